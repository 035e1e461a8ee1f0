package student

import (
	"fmt"
	"strings"

	"rsc.io/qr/coding"
)

// qrCode is a code that a phone reads off the screen or off paper.
type qrCode struct {
	Size int    // squares on a side
	Path string // the black ones, as the path of an SVG
}

// Box is the view of the picture: the white margin that readers need is around the code.
func (c *qrCode) Box() string { return fmt.Sprintf("-4 -4 %d %d", c.Size+8, c.Size+8) }

// newQR makes the code of an address that ends in digits, which take less room than
// letters; nil where they are more than a code holds.
func newQR(address, digits string) (*qrCode, error) {
	const level = coding.L // the code is small and whole: larger squares are read better than spare ones
	parts := []coding.Encoding{coding.String(address), coding.Num(digits)}
	for v := coding.Version(coding.MinVersion); v <= coding.MaxVersion; v++ {
		if parts[0].Bits(v)+parts[1].Bits(v) > v.DataBytes(level)*8 {
			continue
		}
		p, err := coding.NewPlan(v, level, 0)
		if err != nil {
			return nil, err
		}
		code, err := p.Encode(parts...)
		if err != nil {
			return nil, err
		}
		return &qrCode{code.Size, blacks(code)}, nil
	}
	return nil, nil
}

// blacks draws what is black, row by row.
func blacks(c *coding.Code) string {
	var b strings.Builder
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			from := x
			for c.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from, y, x-from, x-from)
			}
		}
	}
	return b.String()
}
