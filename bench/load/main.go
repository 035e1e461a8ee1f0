// Command load compares two builds of the service under load: both serve a copy
// of the same demo data, take turns, and the medians of the rounds are printed as
// a table in Markdown. It is the command behind docs/performance.md:
//
//	go build -o new ./cmd/lectern
//	go run ./bench/load -old ./old -new ./new
//
// With -minute it also puts 200 clients that never pause on the new build for a
// minute, and fails when a request fails. With -database-url PostgreSQL is used,
// by the new build only: the address of an empty database.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

type options struct {
	old, new string
	rounds   int
	round    time.Duration
	clients  int
	minute   bool
	database string
	only     string
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.old, "old", "", "program to compare with; none when empty")
	flag.StringVar(&o.new, "new", "", "program to measure")
	flag.IntVar(&o.rounds, "rounds", 5, "turns of each program and load")
	flag.DurationVar(&o.round, "round", 3*time.Second, "how long a turn takes")
	flag.IntVar(&o.clients, "clients", 100, "clients at once, without a pause between requests")
	flag.BoolVar(&o.minute, "minute", false, "also 200 clients for a minute")
	flag.StringVar(&o.database, "database-url", "", "empty PostgreSQL database for the new program")
	flag.StringVar(&o.only, "only", "", "measure this load only")
	flag.Parse()
	if err := run(o); err != nil {
		log.Fatal(err)
	}
}

func run(o options) error {
	dir, err := os.MkdirTemp("", "lectern-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err := start(o, dir)
	for _, p := range programs {
		defer p.stop()
	}
	if err != nil {
		return err
	}
	if err := compare(o, programs); err != nil {
		return err
	}
	for _, p := range programs {
		fmt.Printf("\n%s: %d MB resident, %d MB at most.\n", p.name, p.memory("VmRSS")>>10, p.memory("VmHWM")>>10)
	}
	if !o.minute {
		return nil
	}
	return minute(programs[len(programs)-1])
}

// compare prints a row for each load: requests a second and the 95th percentile
// of each program, by the median of the rounds, and how many times the old.
func compare(o options, programs []*program) error {
	fmt.Print("| Load |")
	for _, p := range programs {
		fmt.Printf(" %s /s | p95 ms | CPU ms |", p.name)
	}
	fmt.Println(" times | by CPU |\n|---|" + strings.Repeat("---|---|---|", len(programs)) + "---|---|")
	for _, l := range loads {
		if o.only != "" && o.only != l.name {
			continue
		}
		var rates, slow, work [2][]float64
		for range o.rounds {
			for i, p := range programs {
				before := p.cpu()
				r := p.bombard(l, o.clients, o.round)
				if r.failed > 0 {
					return fmt.Errorf("%s: %d of %d requests failed: %w", l.name, r.failed, r.total(), r.err)
				}
				rates[i] = append(rates[i], r.rate())
				slow[i] = append(slow[i], r.percentile(95))
				work[i] = append(work[i], (p.cpu()-before).Seconds()*1000/float64(r.total()))
			}
		}
		fmt.Printf("| %s, %d clients |", l.name, o.clients)
		for i := range programs {
			fmt.Printf(" %.0f | %.1f | %.2f |", median(rates[i]), median(slow[i]), median(work[i]))
		}
		last := len(programs) - 1
		fmt.Printf(" %.2f | %.2f |\n", median(rates[last])/median(rates[0]), median(work[0])/median(work[last]))
	}
	return nil
}

// minute is the load that must starve nobody.
func minute(p *program) error {
	r := p.bombard(mixed, 200, time.Minute)
	fmt.Printf("\n200 clients without a pause for a minute on %s: %.0f requests a second, %d failed. Reads: p50 %.0f "+
		"ms, "+
		"p99 %.0f ms; writes: p50 %.0f ms, p99 %.0f ms. %d MB resident.\n", p.name, r.rate(), r.failed,
		at(r.reads, 50), at(r.reads, 99), at(r.writes, 50), at(r.writes, 99), p.memory("VmRSS")>>10)
	if r.failed > 0 {
		return r.err
	}
	return nil
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
