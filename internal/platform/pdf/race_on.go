//go:build race

package pdf

import "os"

// addressFactor makes room for the race detector's shadow of every byte.
const addressFactor = 24

// childProgram is the program itself built without the detector, where
// LECTERN_TEST_CHILD names it: nobody hears what the detector has to say of a child, and
// under it the start of one alone takes 0.45 s of a processor instead of 0.03.
func childProgram() (string, error) {
	if plain := os.Getenv("LECTERN_TEST_CHILD"); plain != "" {
		return plain, nil
	}
	return ownProgram()
}
