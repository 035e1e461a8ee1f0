package audit

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
)

// Check tells whether a signature is one of a key over a text.
type Check func(keyID string, text []byte, signature string) error

// Verdict is what a look at the whole chain found.
type Verdict struct {
	First, Last int64  // numbers of the entries that are there; 0 and 0 when none is
	Head        string // hash of the last
	Checkpoints int64  // signed ones that were met
	Sealed      int64  // number of the last one: what follows it could be cut off unseen
	Waiting     int64  // rows that are committed but not chained yet
	Problems    []string
	More        int64 // problems that are not in the list
}

// Sound tells whether nothing was found wrong.
func (v *Verdict) Sound() bool { return len(v.Problems) == 0 }

const mostProblems = 20

func (v *Verdict) wrong(format string, args ...any) {
	if len(v.Problems) == mostProblems {
		v.More++
		return
	}
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// Mark is an end of the chain that somebody noted down: a number and its hash.
type Mark struct {
	Seq  int64
	Hash string
}

// Verify reads the chain from its start, on one snapshot, so that it works beside a
// running service, and reports every entry that was changed, removed, added or put
// elsewhere. Progress, when given, hears now and then how many entries were read.
//
// It cannot tell when entries behind the last checkpoint were cut off, nor when all
// was written and signed anew by somebody who has the key; a mark that was noted
// elsewhere shows both.
func Verify(ctx context.Context, d *db.DB, check Check, marks []Mark, progress func(int64)) (*Verdict, error) {
	v := &verifier{Verdict: &Verdict{}, check: check, due: map[int64][]string{}}
	for _, m := range marks {
		v.due[m.Seq] = append(v.due[m.Seq], m.Hash)
	}
	if progress == nil {
		progress = func(int64) {}
	}
	err := d.View(ctx, func(q db.Q) error { return v.run(ctx, q, progress) })
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return v.Verdict, nil
}

type verifier struct {
	*Verdict
	check Check
	last  end
	due   map[int64][]string // hashes that were stated, by the entries they were stated of
}

// progressEvery is how many entries are read before progress hears of it.
const progressEvery = 100_000

func (v *verifier) run(ctx context.Context, q db.Q, progress func(int64)) error {
	waiting, err := db.One[int64](ctx, q, `SELECT count(*) FROM audit_outbox`)
	if err != nil {
		return err
	}
	v.Waiting = *waiting
	if err := v.checkpoints(ctx, q); err != nil {
		return err
	}
	var n int64
	for r, err := range db.Each[Record](ctx, q, `SELECT `+columns+` FROM audit_entries ORDER BY seq`) {
		if err != nil {
			return err
		}
		if err := v.entry(&r); err != nil {
			return err
		}
		if n++; n%progressEvery == 0 {
			progress(n)
		}
	}
	v.Head = v.last.Hash
	v.behind()
	return nil
}

// checkpoints reads what was stated of the chain, and where it starts.
func (v *verifier) checkpoints(ctx context.Context, q db.Q) error {
	for c, err := range db.Each[Checkpoint](ctx, q, `SELECT `+checkpointColumns+` FROM audit_checkpoints
		ORDER BY seq`) {
		if err != nil {
			return err
		}
		text, err := c.text()
		if err == nil {
			err = v.check(c.KeyID, text, c.Signature)
		}
		if err != nil {
			v.wrong("The checkpoint at entry %d is not as it was signed: %v.", c.Seq, err)
			continue
		}
		v.Checkpoints++
		if c.Start {
			v.last = end{c.Seq, c.Hash}
			v.stated(c.Seq, c.Hash)
			continue
		}
		v.due[c.Seq] = append(v.due[c.Seq], c.Hash)
		v.Sealed = c.Seq
	}
	return nil
}

// entry follows the chain by one. Behind a fault it goes on with what is there, so
// that each is reported once.
func (v *verifier) entry(r *Record) error {
	switch {
	case r.Seq <= v.last.Seq:
		v.wrong("Entry %d stands before the start of the chain, which is %d.", r.Seq, v.last.Seq+1)
	case r.Seq == v.last.Seq+2:
		v.wrong("Entry %d is missing.", v.last.Seq+1)
	case r.Seq > v.last.Seq+2:
		v.wrong("The entries %d to %d are missing.", v.last.Seq+1, r.Seq-1)
	default:
		hash, err := r.hashAfter(v.last.Hash)
		if err != nil {
			return err
		}
		if hash != r.Hash {
			v.wrong("Entry %d (%s, %s) was changed, or does not belong there.", r.Seq, r.At, r.Kind)
		}
	}
	v.stated(r.Seq, r.Hash)
	if v.First == 0 {
		v.First = r.Seq
	}
	v.Last, v.last = r.Seq, end{r.Seq, r.Hash}
	return nil
}

// stated compares the hash of an entry with what was stated of it.
func (v *verifier) stated(seq int64, hash string) {
	for _, stated := range v.due[seq] {
		if stated != hash {
			v.wrong("Entry %d is not the one that was there when its hash was stated: the chain was written anew.", seq)
		}
	}
	delete(v.due, seq)
}

// behind reports what was stated of entries that are not there.
func (v *verifier) behind() {
	var furthest int64
	for seq := range v.due {
		if seq > v.last.Seq {
			furthest = max(furthest, seq)
		} else if seq < v.First {
			v.wrong("Entry %d, whose hash was stated, is no longer there to compare: the log starts at %d.", seq,
				v.First)
		}
	}
	if furthest > 0 {
		v.wrong("The log ends at entry %d, but entry %d was there: the end was cut off.", v.last.Seq, furthest)
	}
}
