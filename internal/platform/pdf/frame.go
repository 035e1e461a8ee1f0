package pdf

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A foreign page keeps its content as it is: it is drawn as one form, which
// cannot reach out of its own box, and the page grows by a strip above it for
// our header and one below it for the page number.
const (
	stripTop    = 56.0 // in points of an A4 page; wider pages have wider strips
	stripBottom = 34.0
	stripSide   = 28.0
)

// flateStream packs a stream.
func flateStream(d types.Dict, data []byte) types.StreamDict {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	d["Filter"] = types.Name("FlateDecode")
	return types.StreamDict{Dict: d, Raw: b.Bytes()}
}

// signature marks a page we wrote: the box of its content without header and
// footer, and whether it has room for them. They are the second of its streams.
func (a *assembly) signature(box types.Array, own bool) types.Dict {
	at := a.job.Document.Meta.Created.UTC().Format("D:20060102150405Z")
	return types.Dict{"Lectern": types.Dict{
		"LastModified": bytesString(at), "Private": types.Dict{"Box": box, "Own": types.Boolean(own)},
	}}
}

// stripFurniture takes headers and footers off the pages of a document of ours,
// and tells which pages have room for others.
func (s *source) stripFurniture() []bool {
	own := make([]bool, len(s.pages))
	for i := range s.pages {
		p := &s.pages[i]
		private := s.dict(s.dict(s.dict(p.dict["PieceInfo"])["Lectern"])["Private"])
		contents, box := s.array(p.dict["Contents"]), s.box(private["Box"])
		if box == nil || len(contents) != 2 {
			continue // made before pages were signed
		}
		p.dict["Contents"] = contents[0]
		p.media, p.crop = box, nil
		flag, _ := private["Own"].(types.Boolean)
		own[i] = bool(flag)
	}
	return own
}

// visible is the part of a page that is shown.
func (p *sourcePage) visible() (b [4]float64) {
	box := p.media
	if p.crop != nil {
		box = p.crop
	}
	for i := range b {
		v, _ := box[i].(types.Float)
		b[i] = float64(v)
	}
	return b
}

// dress gives a foreign page its header and footer.
func (a *assembly) dress(ch *chunk, c *copier, i int, page types.Dict) error {
	p := &c.src.pages[i]
	box := p.visible()
	if ch.kept {
		a.dressKept(ch, c, i, page)
		return nil
	}
	own := i < len(ch.ours) && ch.ours[i]
	number := ch.number + i
	body := a.asForm(c, p, page, box)
	strips := box
	var extra []byte
	if own {
		extra = a.drawFurniture("", func() {
			a.headLine(ch.header, marginX, marginX+textW)
			a.footLine(number, marginX, marginX+textW, pageH-34)
		})
	} else {
		strips, extra = a.strips(ch, p, box, number)
	}
	page["Contents"] = types.Array{a.packed(body), a.packed(extra)}
	page["MediaBox"] = rect(strips[:]...)
	delete(page, "CropBox")
	delete(page, "Group")
	page["TrimBox"] = rect(box[:]...)
	page["StructParents"], page["Tabs"] = a.slotFor(ch.tags[i]), types.Name("S")
	page["PieceInfo"] = a.signature(rect(box[:]...), own)
	return nil
}

// asForm makes the content of a page a form in its resources, and gives what draws that.
func (a *assembly) asForm(c *copier, p *sourcePage, page types.Dict, box [4]float64) (body []byte) {
	xobjects := types.Dict{}
	if form, ok := a.form(c, p, page, box); ok {
		xobjects["Sheet"] = a.add(form)
		body = []byte("/P <</MCID 0>> BDC q /Sheet Do Q EMC\n")
	}
	page["Resources"] = a.add(types.Dict{"Font": ref(a.fontList()), "XObject": xobjects})
	return body
}

// drawFurniture draws on a page that is not one of ours and gives the stream.
func (a *assembly) drawFurniture(matrix string, draw func()) []byte {
	before := a.page
	p := &page{}
	p.layer.to = &p.extra
	a.page = p
	if matrix != "" {
		p.extra.WriteString("q " + matrix + " cm\n")
	}
	draw()
	a.endArtifact()
	if matrix != "" {
		p.extra.WriteString("Q\n")
	}
	a.page = before
	return p.extra.Bytes()
}

// strips makes room above and below a page as it is seen, whichever way it is
// turned, and draws the header and footer there.
func (a *assembly) strips(ch *chunk, p *sourcePage, b [4]float64, number int) ([4]float64, []byte) {
	k := scaleOf(p.rotate, b)
	above, below := stripTop*k, stripBottom*k
	switch p.rotate {
	case 90:
		b[0], b[2] = b[0]-above, b[2]+below
	case 180:
		b[1], b[3] = b[1]-above, b[3]+below
	case 270:
		b[0], b[2] = b[0]-below, b[2]+above
	default:
		b[1], b[3] = b[1]-below, b[3]+above
	}
	v := seenPage(p.rotate, b, k)
	return b, a.drawFurniture(v.matrix(), func() {
		a.headLine(ch.header, stripSide, v.wide-stripSide)
		a.footLine(number, stripSide, v.wide-stripSide, v.tall-13)
		a.line(stripSide, v.tall-26, v.wide-stripSide, v.tall-26, hairline, 0.5)
	})
}

// form makes the content of a page something that can be drawn as a whole.
func (a *assembly) form(c *copier, p *sourcePage, page types.Dict, box [4]float64) (types.StreamDict, bool) {
	streams := c.src.streams(p.dict["Contents"])
	if len(streams) == 0 {
		return types.StreamDict{}, false
	}
	one := streams[0]
	if len(streams) > 1 {
		one = joined(streams)
	}
	sd, ok := c.value(one, 0).(types.StreamDict)
	if !ok {
		return sd, false
	}
	sd.Dict["Type"], sd.Dict["Subtype"] = types.Name("XObject"), types.Name("Form")
	sd.Dict["BBox"], sd.Dict["Resources"] = rect(box[:]...), page["Resources"]
	if g := page["Group"]; g != nil {
		sd.Dict["Group"] = g
	}
	return sd, true
}

// streams are the parts a page's content is cut into.
func (s *source) streams(o types.Object) (out []types.StreamDict) {
	switch v := s.resolve(o).(type) {
	case types.StreamDict:
		return []types.StreamDict{v}
	case types.Array:
		for _, part := range v {
			if sd, ok := s.resolve(part).(types.StreamDict); ok {
				out = append(out, sd)
			}
		}
	}
	return out
}

// joined makes one stream of several. One that cannot be unpacked is left out,
// as viewers leave it out.
func joined(streams []types.StreamDict) types.StreamDict {
	var all bytes.Buffer
	for _, sd := range streams {
		unpack(&all, sd)
		all.WriteByte('\n')
	}
	return flateStream(types.Dict{}, all.Bytes())
}

func unpack(to *bytes.Buffer, sd types.StreamDict) {
	switch {
	case len(sd.FilterPipeline) == 0:
		to.Write(sd.Raw)
	case len(sd.FilterPipeline) == 1 && sd.FilterPipeline[0].Name == "FlateDecode" &&
		sd.FilterPipeline[0].DecodeParms == nil:
		if z, err := zlib.NewReader(bytes.NewReader(sd.Raw)); err == nil {
			_, _ = io.Copy(to, io.LimitReader(z, maxStream)) // what can be had of a damaged one
		}
	default:
		if sd.DecodeWithLimit(maxStream) == nil {
			to.Write(sd.Content)
		}
	}
}
