package page

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// included is a line of a style sheet that stands for the style of a component or a layer.
var included = regexp.MustCompile(`(?m)^@import "([^"]+)";\n`)

// layers are those of all styles, each beating the ones before it whatever their selectors are:
// a page's rule beats a component's. Files of assets/layers are named after the layer they are.
const layers = "@layer tokens, base, components, pages, print;"

// part is a style that sheets include, and the layer its rules are in.
type part struct {
	layer string
	text  func() string
}

// sheets are the style sheets that pages link, by name. One names the components whose styles
// it has, and is sent as one file: what a browser would fetch is put in here. Its own rules are
// those of pages.
func (h *House) sheets() map[string]func() string {
	out, parts := map[string]func() string{}, h.styles()
	add := func(from fs.FS, file string) {
		name := path.Base(file)
		if out[name] != nil {
			panic("page: there are two style sheets " + name)
		}
		out[name] = func() string { return joined(file, text(from, file), parts) }
	}
	for _, file := range glob(assetFiles, "assets/*.css") {
		add(assetFiles, file)
	}
	for _, k := range h.kits {
		for _, file := range glob(k.Files, "templates/*.css") {
			add(k.Files, file)
		}
	}
	return out
}

// joined is a style sheet with the parts it names, each in its layer.
func joined(file, text string, parts map[string]part) string {
	var out strings.Builder
	out.WriteString(layers)
	for _, m := range included.FindAllStringSubmatch(text, -1) {
		one, ok := parts[m[1]]
		if !ok {
			panic("page: " + file + " names a style that no component has: " + m[1])
		}
		out.WriteString(inLayer(one.layer, one.text()))
	}
	out.WriteString(inLayer("pages", included.ReplaceAllString(text, "")))
	return out.String()
}

// remark and spaces are what a style sheet has for whoever reads it.
var (
	remark = regexp.MustCompile(`(?s)/\*.*?\*/`)
	spaces = regexp.MustCompile(`\s*\n\s*`)
	marks  = regexp.MustCompile(` ?([{};,]) ?`)
	colon  = regexp.MustCompile(`([a-z0-9]): `)
)

// inLayer puts rules into a layer, without what only readers need.
func inLayer(layer, rules string) string {
	rules = spaces.ReplaceAllString(remark.ReplaceAllString(rules, ""), " ")
	rules = colon.ReplaceAllString(marks.ReplaceAllString(rules, "$1"), "$1:")
	return "@layer " + layer + "{" + strings.TrimSpace(rules) + "}\n"
}

// styles are those of components and layers, by the names of their files.
func (h *House) styles() map[string]part {
	out := map[string]part{}
	add := func(from fs.FS, file, layer string) {
		name := path.Base(file)
		if _, known := out[name]; known {
			panic("page: there are two styles " + name)
		}
		out[name] = part{layer, func() string { return text(from, file) }}
	}
	for _, file := range glob(assetFiles, "assets/layers/*.css") {
		add(assetFiles, file, strings.TrimSuffix(path.Base(file), ".css"))
	}
	for _, k := range h.kits {
		for _, file := range glob(k.Files, "components/*.css") {
			add(k.Files, file, "components")
		}
	}
	return out
}

// text is the content of a file of the program.
func text(from fs.FS, name string) string {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		panic(err) // it is inside the program
	}
	return string(data)
}
