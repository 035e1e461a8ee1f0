package mail

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	"text/template"

	"lectern/internal/ground/words"
)

// The words of emails stand in one table per language, so that another language is another file. A part
// of a text between ** is set off where an email is drawn.
//
//go:embed words/*.json
var wordFiles embed.FS

//go:embed templates
var files embed.FS

// Language is what emails speak: a table of words as plain text says them, the same as HTML does, and the
// templates that ask for them, parsed once: a mistake in them shows at the start of any program and test
// that uses this package.
type Language struct {
	*words.Table
	marked *words.Table
	html   map[string]*htmltemplate.Template
	text   map[string]*template.Template
}

// Spoken is what emails speak where nothing else is asked for.
var Spoken = Speaking(words.Spoken)

// Speaking gives a language that is inside the program.
func Speaking(tag string) *Language {
	table, err := words.Read(wordFiles, tag)
	if err != nil {
		panic(err)
	}
	return NewLanguage(table)
}

// NewLanguage makes a language of a table of words.
func NewLanguage(table *words.Table) *Language {
	plain, marked := table.Some(""), table.Some("")
	for key, text := range plain {
		plain[key] = text.Each(func(form string) string { return strings.ReplaceAll(form, setOff, "") })
		marked[key] = text.Each(emphasize)
	}
	l := &Language{Table: words.New(table.Tag, plain), marked: words.New(table.Tag, marked),
		html: map[string]*htmltemplate.Template{}, text: map[string]*template.Template{}}
	for _, c := range contents {
		name := c.template()
		l.html[name] = htmltemplate.Must(htmltemplate.New("frame.html").Funcs(l.markup()).
			ParseFS(files, "templates/frame.html", "templates/"+name+".html"))
		l.text[name] = template.Must(template.New("frame.txt").Funcs(l.plain()).
			ParseFS(files, "templates/frame.txt", "templates/"+name+".txt"))
	}
	return l
}

// setOff stands before and after a part of a text that is told apart.
const setOff = "**"

// emphasize is a text as HTML has it, ready for values that are HTML themselves.
func emphasize(text string) string {
	var out strings.Builder
	for i, part := range strings.Split(text, setOff) {
		if i > 0 {
			out.WriteString([]string{"</strong>", "<strong>"}[i%2])
		}
		out.WriteString(escape(part))
	}
	return out.String()
}

// escape writes text as the templates of HTML do, so that a name can be found in all of an email.
func escape(text string) string {
	return strings.ReplaceAll(htmltemplate.HTMLEscapeString(text), "+", "&#43;")
}

// said is a text of the table with its values: it can be a value of another.
type said string

// plain is what the templates of texts know. The strings that are put into words come from people, and
// are kept to their line.
func (l *Language) plain() template.FuncMap {
	say := func(key string, values ...any) said {
		for i, v := range values {
			if text, ok := v.(string); ok {
				values[i] = oneLine(text)
			}
		}
		return said(l.Word(key, values...))
	}
	return template.FuncMap{"line": oneLine, "quote": quote, "quoteWhole": quoteWhole, "link": webLink, "t": say,
		"sentence": func(text said) string { return sentence(string(text)) },
		"due": func(d ToldDue) said {
			on := say("due.on", d.Near, d.When())
			if d.Overdue {
				on = say("due.was", d.Near, d.When())
			}
			if d.Until == "" {
				return on
			}
			return on + "; " + say("due.late-until", d.Until)
		}}
}

// markup is what the templates of HTML know: the same, and what they set off.
func (l *Language) markup() htmltemplate.FuncMap {
	say := func(key string, values ...any) htmltemplate.HTML {
		for i, v := range values {
			if text, ok := v.(string); ok {
				values[i] = escape(oneLine(text))
			}
		}
		return htmltemplate.HTML(l.marked.Word(key, values...)) //nolint:gosec // escaped above
	}
	return htmltemplate.FuncMap{"line": oneLine, "cut": cut, "whole": whole, "link": webLink, "t": say,
		"lang": func() string { return l.Tag },
		"sentence": func(text htmltemplate.HTML) htmltemplate.HTML {
			return htmltemplate.HTML(sentence(string(text))) //nolint:gosec // escaped as it was
		},
		"late": func(key string) htmltemplate.HTML {
			return `<strong class="late">` + say(key) + `</strong>`
		},
		"anchor": func(to, key string) htmltemplate.HTML {
			return htmltemplate.HTML(`<a href="`+escape(webLink(to))+`">`) + say(key) + `</a>` //nolint:gosec // escaped here
		}}
}
