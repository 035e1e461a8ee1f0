package student

import (
	"fmt"
	"html/template"
	"strconv"
	"sync"

	"rsc.io/qr/coding"
)

// qrCode is a code that a phone reads off the screen or off paper.
type qrCode struct {
	Size int           // squares on a side
	Path template.HTML // the black ones, as the path of an SVG
}

// Box is the view of the picture: the white margin that readers need is around the code.
func (c *qrCode) Box() string { return fmt.Sprintf("-4 -4 %d %d", c.Size+8, c.Size+8) }

const level = coding.L // the code is small and whole: larger squares are read better than spare ones

// plans are where the squares of each size of code go. They take as long to make as all the rest.
var plans = func() (all [coding.MaxVersion + 1]func() (*coding.Plan, error)) {
	for v := range all {
		all[v] = sync.OnceValues(func() (*coding.Plan, error) { return coding.NewPlan(coding.Version(v), level, 0) })
	}
	return all
}()

// newQR makes the code of an address that ends in digits, which take less room than
// letters; nil where they are more than a code holds.
func newQR(address, digits string) (*qrCode, error) {
	parts := []coding.Encoding{coding.String(address), coding.Num(digits)}
	for v := coding.Version(coding.MinVersion); v <= coding.MaxVersion; v++ {
		if parts[0].Bits(v)+parts[1].Bits(v) > v.DataBytes(level)*8 {
			continue
		}
		p, err := plans[v]()
		if err != nil {
			return nil, err
		}
		code, err := p.Encode(parts...)
		if err != nil {
			return nil, err
		}
		drawn := template.HTML(`<path d="` + blacks(code) + `"/>`) //nolint:gosec // numbers and letters of our own
		return &qrCode{code.Size, drawn}, nil
	}
	return nil, nil
}

// mostCodes is how many codes are kept drawn, about 50 KB each: those of the last receipts that
// somebody looked at.
const mostCodes = 100

// drawnCodes are the codes that were drawn last, by the hash of the receipt they lead to.
type drawnCodes struct {
	mu   sync.Mutex
	by   map[string]*qrCode
	keys [mostCodes]string // of those in by, in a ring
	next int
}

// of gives a code that is kept, or draws it and keeps it in place of the oldest.
func (d *drawnCodes) of(hash string, draw func() (*qrCode, error)) (*qrCode, error) {
	d.mu.Lock()
	code, ok := d.by[hash]
	d.mu.Unlock()
	if ok {
		return code, nil
	}
	code, err := draw()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.by == nil {
		d.by = map[string]*qrCode{}
	}
	if _, ok := d.by[hash]; !ok {
		delete(d.by, d.keys[d.next])
		d.keys[d.next] = hash
		d.next = (d.next + 1) % mostCodes
	}
	d.by[hash] = code
	return code, nil
}

// blacks draws what is black, row by row.
func blacks(c *coding.Code) string {
	var b []byte
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			from := x
			for c.Black(x, y) {
				x++
			}
			if x > from {
				b = strconv.AppendInt(append(b, 'M'), int64(from), 10)
				b = strconv.AppendInt(append(b, ' '), int64(y), 10)
				b = strconv.AppendInt(append(b, 'h'), int64(x-from), 10)
				b = strconv.AppendInt(append(b, "v1h-"...), int64(x-from), 10)
				b = append(b, 'z')
			}
		}
	}
	return string(b)
}
