package app

import "fmt"

// Comparing says how handed-in work is compared.
type Comparing struct {
	SimilarityMinScore int   `default:"45" help:"Score from which similar work is flagged, 1 to 100."`
	SimilarityDays     int   `default:"1825" help:"Days that fingerprints of work are kept to compare by; 0 for ever."`
	SimilarityMemoryMB int64 `name:"similarity-memory-mb" default:"400" help:"Memory to compare work in, in MB."`
}

func (c *Comparing) check() error {
	switch {
	case c.SimilarityMinScore < 0 || c.SimilarityMinScore > 100:
		return fmt.Errorf("--similarity-min-score %d is not a number from 1 to 100", c.SimilarityMinScore)
	case c.SimilarityDays < 0:
		return fmt.Errorf("--similarity-days %d is below 0", c.SimilarityDays)
	case c.SimilarityMemoryMB < 0:
		return fmt.Errorf("--similarity-memory-mb %d is below 0", c.SimilarityMemoryMB)
	}
	return nil
}
