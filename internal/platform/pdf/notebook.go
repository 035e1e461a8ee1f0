package pdf

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"golang.org/x/net/html"
)

// outputLines is how much of one output is shown; the rest is in the original,
// which is then attached.
const outputLines = 400

// nbText is a text that notebooks write as one string or as a list of lines.
type nbText string

func (t *nbText) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = nbText(one)
		return nil
	}
	var many []string
	if json.Unmarshal(b, &many) == nil {
		*t = nbText(strings.Join(many, ""))
	}
	return nil // anything else, such as an embedded JSON value, has no text to show
}

type nbCell struct {
	Type        string `json:"cell_type"`
	Source      nbText
	Input       nbText // nbformat 3
	Count       *int   `json:"execution_count"`
	Outputs     []nbOutput
	Attachments map[string]map[string]nbText
}

type nbOutput struct {
	Type      string `json:"output_type"`
	Name      string
	Text      nbText
	PNG       nbText `json:"png"`  // nbformat 3
	JPEG      nbText `json:"jpeg"` // nbformat 3
	Data      map[string]nbText
	Count     *int `json:"execution_count"`
	EName     string
	EValue    string
	Traceback []string
}

type notebook struct {
	Cells      []nbCell
	Worksheets []struct{ Cells []nbCell } // nbformat 3
	Metadata   struct {
		Kernel   struct{ Language string } `json:"kernelspec"`
		Language struct{ Name string }     `json:"language_info"`
	}
}

// nbReader turns a notebook into blocks, cell by cell.
type nbReader struct {
	job     *readJob
	lexer   chroma.Lexer
	blocks  []Block
	figures int
	cut     bool
}

func readNotebook(j *readJob, data []byte) ([]Block, readDone, error) {
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, readDone{}, told("it is not a notebook that can be read")
	}
	cells := nb.Cells
	for _, w := range nb.Worksheets {
		cells = append(cells, w.Cells...)
	}
	if len(cells) == 0 {
		return nil, readDone{}, told("it is a notebook without cells")
	}
	language := nb.Metadata.Language.Name
	if language == "" {
		language = nb.Metadata.Kernel.Language
	}
	if language == "" {
		language = "python"
	}
	r := &nbReader{job: j, lexer: lexers.Get(language)}
	for i := range cells {
		r.cell(&cells[i])
	}
	done := readDone{About: fmt.Sprintf("Notebook (%s) · %s · %s", visible(language), count(len(cells), "cell"),
		SizeText(int64(len(data))))}
	if r.cut {
		done.Cut = fmt.Sprintf("Long outputs were cut after %d lines.", outputLines)
	}
	return r.blocks, done, nil
}

func (r *nbReader) cell(c *nbCell) {
	source := tidyLines(string(c.Source + c.Input))
	switch c.Type {
	case "markdown", "heading":
		m := &mdReader{job: r.job, figures: &r.figures, attached: func(name string) []byte {
			return attachedImage(c,
				name)
		}}
		m.read(source)
		r.blocks = append(r.blocks, m.blocks...)
	case "code":
		label := "In [ ]"
		if c.Count != nil {
			label = fmt.Sprintf("In [%d]", *c.Count)
		}
		lines := coloured(r.lexer, source, r.job.Limits.HighlightKB)
		r.blocks = append(r.blocks, Block{Listing: &Listing{Lines: lines, Label: label, Tint: paper}})
		for i := range c.Outputs {
			r.output(&c.Outputs[i])
		}
	default:
		r.blocks = append(r.blocks, Block{Listing: &Listing{Lines: plainLines(source)}})
	}
}

func attachedImage(c *nbCell, name string) []byte {
	for mime, b64 := range c.Attachments[name] {
		if strings.HasPrefix(mime, "image/") {
			return imageBytes(b64)
		}
	}
	return nil
}

func imageBytes(b64 nbText) []byte {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' {
			return -1
		}
		return r
	}, string(b64))
	data, _ := base64.StdEncoding.DecodeString(clean)
	return data
}

func (r *nbReader) output(o *nbOutput) {
	switch o.Type {
	case "stream":
		style := Span{}
		if o.Name == "stderr" {
			style.Color = 0x8a2a21
		}
		r.listing(Listing{Lines: ansiLines(string(o.Text), style), Label: " "})
	case "error", "pyerr":
		text := strings.Join(o.Traceback, "\n")
		if text == "" {
			text = o.EName + ": " + o.EValue
		}
		r.listing(Listing{Lines: ansiLines(text, Span{}), Label: " ", Tint: 0xfdf1f0, Bar: 0xb3261e})
	default:
		r.display(o)
	}
}

// display shows the richest form of a value that is an image, else its text.
// HTML is never interpreted: its plain twin stands for it, or its bare text.
func (r *nbReader) display(o *nbOutput) {
	for _, b64 := range []nbText{o.Data["image/png"], o.Data["image/jpeg"], o.PNG, o.JPEG} {
		if b64 == "" {
			continue
		}
		r.figures++
		fig, err := readImage(imageBytes(b64), fmt.Sprintf("%s-%d", r.job.Out, r.figures), r.job.Limits.Pixels)
		if err == nil {
			r.blocks = append(r.blocks, Block{Figure: fig, Inset: true})
			return
		}
		r.listing(Listing{Lines: plainLines("[image not shown: " + err.Error() + "]"), Label: " "})
	}
	if source, ok := formulaIn(string(o.Data["text/latex"])); ok {
		r.blocks = append(r.blocks, Block{Math: true, Spans: plain(source)})
		return
	}
	text := string(o.Data["text/plain"] + o.Text)
	for _, mime := range []string{"text/markdown", "text/latex", "application/javascript"} {
		if text == "" {
			text = string(o.Data[mime])
		}
	}
	if text == "" {
		text = htmlText(string(o.Data["text/html"]))
	}
	if text == "" {
		return
	}
	label := " "
	if o.Count != nil {
		label = fmt.Sprintf("Out[%d]", *o.Count)
	}
	r.listing(Listing{Lines: ansiLines(text, Span{}), Label: label})
}

// formulaIn takes the formula out of an output that is nothing else.
func formulaIn(latex string) (string, bool) {
	latex = strings.TrimSpace(latex)
	opener, closer := closerOf([]byte(latex))
	if opener == "" || len(latex) <= len(opener)+len(closer) || !strings.HasSuffix(latex, closer) {
		return "", false
	}
	source := latex[len(opener) : len(latex)-len(closer)]
	return strings.TrimSpace(source), !strings.Contains(source, "$")
}

func (r *nbReader) listing(l Listing) {
	if extra := len(l.Lines) - outputLines; extra > 0 {
		l.Lines = append(l.Lines[:outputLines:outputLines], []Span{{Text: fmt.Sprintf("… %d more lines", extra),
			Italic: true, Color: quiet}})
		r.cut = true
	}
	r.blocks = append(r.blocks, Block{Listing: &l})
}

// htmlText gives the words of an HTML text, without scripts and styles.
func htmlText(src string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(src))
	skip := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken:
			tag, _ := z.TagName()
			skip = string(tag) == "script" || string(tag) == "style"
		case html.EndTagToken:
			skip = false
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
			}
		}
	}
}
