package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// Erasure is something that was removed for good. Backups from before still hold it, so it is noted
// beside them, and done again first of all where one is restored.
type Erasure struct {
	Kind  string     `json:"kind"` // of what was removed
	ID    int64      `json:"id"`
	Files bool       `json:"files"` // what it uploaded went, too
	At    clock.Time `json:"at"`
}

// ErasedPerson is the kind of an erased person.
const ErasedPerson = "person"

// erasureName begins the names of erasures among the rows of the installation, and erasedFolder
// those of their notes in a place.
const (
	erasureName  = "erasure of "
	erasedFolder = "erased/"
)

// NoteArgs ask for notes of erasures beside the backups.
type NoteArgs struct{}

// Kind implements jobs.Args.
func (NoteArgs) Kind() string { return "note erasures" }

// Erased notes an erasure in its transaction. The service writes it beside the backups within
// seconds, where it knows their place, and the next backup does in any case.
func Erased(ctx context.Context, q db.Q, e Erasure) error {
	e.At = q.Now()
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := db.SetInstallation(ctx, q, fmt.Sprint(erasureName, e.Kind, " ", e.ID), string(text)); err != nil {
		return fmt.Errorf("note the erasure: %w", err)
	}
	_, err = jobs.Enqueue(ctx, q, NoteArgs{}, jobs.Options{})
	return err
}

// Note writes the erasures since the oldest backup beside the backups, those that are not there
// yet. A place without backups needs none.
func (m *Maker) Note(ctx context.Context, d *db.DB) error {
	lock, err := alone(ctx, d)
	if err != nil {
		return err
	}
	defer lock.Release()
	on, err := shelfAt(m.Dir)
	if err != nil {
		return err
	}
	if _, err := placeOn(ctx, on); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := m.open(ctx, d); err != nil { // it may be that of another installation
		return err
	}
	return m.note(ctx, d)
}

func (m *Maker) note(ctx context.Context, d *db.DB) error {
	all, err := setsOn(ctx, m.on)
	if err != nil || len(all.finished) == 0 {
		return err
	}
	have := map[string]bool{}
	if err := m.on.each(ctx, erasedFolder, func(name string) error { have[name] = true; return nil }); err != nil {
		return err
	}
	texts, err := db.All[string](ctx, d.Pool(), `SELECT value FROM installation WHERE name LIKE $1`, erasureName+"%")
	if err != nil {
		return err
	}
	for _, text := range texts {
		var e Erasure
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return err
		}
		if name := e.name(); !have[name] && !e.before(all.finished[0]) {
			if err := saveText(ctx, m.on, name, nil, []byte(text)); err != nil {
				return fmt.Errorf("note an erasure: %w", err)
			}
		}
	}
	return nil
}

const erasedLayout = "20060102T150405.000Z"

// name is what a place calls the note.
func (e *Erasure) name() string {
	return fmt.Sprintf("%s%s-%s-%d", erasedFolder, e.At.UTC().Format(erasedLayout), e.Kind, e.ID)
}

// before tells whether a backup holds the erasure for sure: one that was under way at the moment of
// a backup may not be in it.
func (e *Erasure) before(set string) bool {
	at, err := time.Parse(setLayout, set)
	return err == nil && e.At.Before(at.Add(-24*time.Hour))
}

// erasures reads the notes of a place.
func erasures(ctx context.Context, on shelf) (all []Erasure, err error) {
	err = on.each(ctx, erasedFolder, func(name string) error {
		text, err := readText(ctx, on, name, nil)
		if err != nil {
			return err
		}
		var e Erasure
		same := []byte(nil)
		if err = json.Unmarshal(text, &e); err == nil {
			same, err = json.Marshal(e)
		}
		if err != nil || !bytes.Equal(same, text) || e.name() != name {
			return fmt.Errorf("%w: %s, the note of an erasure, is not what was written", errDamaged,
				strings.TrimPrefix(name, erasedFolder))
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// forgetErasures removes the notes that the oldest backup does not need.
func (m *Maker) forgetErasures(ctx context.Context, oldest string) error {
	all, err := erasures(ctx, m.on)
	if err != nil {
		return err
	}
	for _, e := range all {
		if !e.before(oldest) {
			continue
		}
		if err := m.on.remove(ctx, e.name()); err != nil {
			return err
		}
	}
	return nil
}

// firstName is the row of a restored installation that holds what is to be erased first.
const firstName = "erase first"

// eraseFirst notes in the transaction of a restore what is to be done before anybody is served.
func eraseFirst(ctx context.Context, q db.Q, all []Erasure) error {
	if len(all) == 0 {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return db.SetInstallation(ctx, q, firstName, string(text))
}

// ToErase gives what a restored installation has to erase before anybody is served.
func ToErase(ctx context.Context, q db.Q) (all []Erasure, err error) {
	texts, err := db.All[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, firstName)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	return all, json.Unmarshal([]byte(texts[0]), &all)
}

// AllErased ends that.
func AllErased(ctx context.Context, d *db.DB) error {
	return d.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `DELETE FROM installation WHERE name = $1`, firstName)
		return err
	})
}
