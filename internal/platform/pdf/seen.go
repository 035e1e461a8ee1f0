package pdf

import (
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// seen is a foreign page as it is looked at, whichever way it is turned: how one of our own points,
// counted from its upper left corner, comes to stand on it.
type seen struct {
	turn       [6]float64 // from points of ours, counted upwards from its lower left corner
	wide, tall float64
}

// seenPage is a page with this box that is turned by so many degrees, on which a point of ours is
// k points.
func seenPage(rotate int, b [4]float64, k float64) seen {
	w, h := b[2]-b[0], b[3]-b[1]
	v := seen{wide: w / k, tall: h / k}
	if rotate%180 != 0 {
		v.wide, v.tall = v.tall, v.wide
	}
	switch rotate {
	case 90:
		v.turn = [6]float64{0, k, -k, 0, b[2], b[1]}
	case 180:
		v.turn = [6]float64{-k, 0, 0, -k, b[2], b[3]}
	case 270:
		v.turn = [6]float64{0, -k, k, 0, b[0], b[3]}
	default:
		v.turn = [6]float64{k, 0, 0, k, b[0], b[1]}
	}
	return v
}

// matrix is what the page writer needs to draw on it: it counts from the top of an A4 page.
func (v seen) matrix() string {
	text := ""
	for i, one := range v.turn {
		if i < 4 {
			text += strconv.FormatFloat(one, 'f', 4, 64) + " "
		} else {
			text += n(one) + " "
		}
	}
	return text + "cm 1 0 0 1 0 " + n(v.tall-pageH)
}

// onPage gives a box in the coordinates of the page itself.
func (v seen) onPage(x1, y1, x2, y2 float64) [4]float64 {
	at := func(x, y float64) (float64, float64) {
		y = v.tall - y
		return v.turn[0]*x + v.turn[2]*y + v.turn[4], v.turn[1]*x + v.turn[3]*y + v.turn[5]
	}
	ax, ay := at(x1, y1)
	bx, by := at(x2, y2)
	return [4]float64{min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)}
}

// scaleOf is how large what we draw beside a page is, so that it can be read on wider pages, too.
func scaleOf(rotate int, b [4]float64) float64 {
	w := b[2] - b[0]
	if rotate%180 != 0 {
		w = b[3] - b[1]
	}
	return min(max(w/pageW, 0.3), 8)
}

// leadsTo is a destination on a page, so far up.
func leadsTo(page int, y float64) types.Array {
	return types.Array{ref(page), types.Name("FitH"), types.Float(y)}
}
