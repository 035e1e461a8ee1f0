// Package progress sums up how far students are: the shares of a project's
// tasks by colour, and five numbers that stand for many values.
package progress

import (
	"encoding/json"

	"lectern/internal/teaching/status"
)

// Stats are the shares of a project's tasks by the colour of their status,
// each to two decimals; together they are 1. OrderScale sorts students by
// how well they stand.
type Stats struct {
	Red        float64 `db:"red_pct" json:"red_pct"`
	Grey       float64 `db:"grey_pct" json:"grey_pct"`
	Orange     float64 `db:"orange_pct" json:"orange_pct"`
	Blue       float64 `db:"blue_pct" json:"blue_pct"`
	Green      float64 `db:"green_pct" json:"green_pct"`
	OrderScale float64 `db:"order_scale" json:"order_scale"`
}

// Of counts the tasks of one project that its target grade asks for: how many
// stand at each status, of how many definitions in total. What nobody has
// touched is grey. More tasks than definitions, as while definitions are being
// taken away, count as the total.
func Of(counts map[status.Status]int, total int) Stats {
	by, touched := map[status.Colour]int{}, 0
	for s, n := range counts {
		by[s.Colour()] += n
		touched += n
	}
	total = max(total, touched, 1)
	p := parts{
		hundredths(by[status.Red], total), hundredths(by[status.Orange], total),
		hundredths(by[status.Blue], total), hundredths(by[status.Green], total),
	}
	p.fit()
	return p.stats()
}

// String is the JSON text of the statistics, as a task's update carries it.
func (s Stats) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("statistics are always finite: " + err.Error())
	}
	return string(text)
}

// parts are red, orange, blue and green in hundredths: whole numbers, so that
// no sum picks up the dust of binary fractions.
type parts [4]share

type share struct {
	whole int
	over  int // how far above the true share it was rounded, in parts of the total
}

// hundredths rounds n of total, halves up.
func hundredths(n, total int) share {
	whole := (200*n + total) / (2 * total)
	return share{whole, whole*total - 100*n}
}

// fit lowers the shares that were rounded up the most while the four together
// are more than the whole, which would leave less than nothing for grey.
func (p *parts) fit() {
	for p.sum() > 100 {
		s := p.mostOver()
		s.whole, s.over = s.whole-1, 0
	}
}

func (p *parts) sum() (n int) {
	for _, s := range p {
		n += s.whole
	}
	return n
}

func (p *parts) mostOver() *share {
	most := &p[0]
	for i := range p {
		if p[i].over > most.over {
			most = &p[i]
		}
	}
	return most
}

func (p *parts) stats() Stats {
	red, orange, blue, green := p[0].whole, p[1].whole, p[2].whole, p[3].whole
	return Stats{
		Red:        float64(red) / 100,
		Grey:       float64(100-p.sum()) / 100,
		Orange:     float64(orange) / 100,
		Blue:       float64(blue) / 100,
		Green:      float64(green) / 100,
		OrderScale: float64(100*green+100*blue+10*orange-red) / 100,
	}
}
