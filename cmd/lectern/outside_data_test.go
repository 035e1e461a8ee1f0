package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/tca/fake"
)

// sentDocument is a document in a person's export, as far as it concerns the outside
// service.
type sentDocument struct {
	Owner    string  `json:"owner_id"`
	Sender   string  `json:"sender_id"`
	Filename string  `json:"filename"`
	Service  string  `json:"service"`
	Status   string  `json:"status"`
	RemoteID *string `json:"remote_id"`
	SentAt   *string `json:"sent_at"`
	Pct      *int    `json:"pct"`
}

// exported runs the export of a person and reads one table of it.
func (o *outsider) exported(name, table string, into any) {
	o.t.Helper()
	out := filepath.Join(o.t.TempDir(), name+".zip")
	if said, err := o.userCommand("", "export", name, "-o", out); err != nil {
		o.t.Fatalf("%v %s", err, said)
	}
	z, err := zip.OpenReader(out)
	if err != nil {
		o.t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(table + ".json")
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(into); err != nil {
		o.t.Fatal(err)
	}
}

// userCommand runs a command about users beside the service.
func (o *outsider) userCommand(input string, words ...string) (string, error) {
	return userCommand(o.t, o.storage)(input, words...)
}

// TestWhatWasSentIsExportedAndForgotten has two students hand in, of whom one declined
// the agreement. Their exports tell what was sent where and what was not; and when one is
// erased, the running service has deleted there what was sent, and nothing of others.
func TestWhatWasSentIsExportedAndForgotten(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "postgres" {
				dbtest.Long(t)
			}
			t.Parallel()
			o := newOutsider(t, engine)
			o.known()
			definition, class := classroom(o.instance, 3, `[{"key":"file0","name":"Essay","type":"document",
				"tii_check":true,"tii_pct":80}]`)
			mine := o.send(class[0], definition, true, "file0")
			waittest.Until(t, "the report is here", func() bool {
				o.far.Finish()
				return slices.Equal(o.statuses(mine), []string{"complete_low_similarity"})
			})
			kept := o.send(class[1], definition, false, "file0")
			if _, body := o.get(fmt.Sprintf("/api/tasks/%d/tii_submissions", kept)); !strings.Contains(string(body),
				"agreement") || !slices.Equal(o.statuses(kept), []string{"declined"}) {
				t.Errorf("the staff see %s", body)
			}
			other := o.send(class[2], definition, true, "file0")
			waittest.Until(t, "another's file is there", func() bool {
				return slices.Equal(o.statuses(other), []string{"uploaded"})
			})
			o.told(class)
			for _, name := range []string{"student_1", "student_2"} {
				said, err := o.userCommand(name+"\n", "erase", name)
				if err != nil || !strings.Contains(said, "outside similarity service was sent are deleted there") {
					t.Fatalf("%v %s", err, said)
				}
			}
			o.stop()
			o.instance = start(t, o.args...) // what is marked is found at the next look, here that of a start
			waittest.Until(t, "the document is deleted there", func() bool {
				return slices.Equal(o.statuses(mine), []string{"deleted"}) && o.left() == 1
			})
			for _, s := range o.far.Submissions() {
				if s.Deleted != (s.Owner == "student_1") {
					t.Errorf("%s of %s: deleted %v", s.FileName, s.Owner, s.Deleted)
				}
			}
			o.stop()
		})
	}
}

// left counts the documents that the service still has.
func (o *outsider) left() (n int) {
	for _, s := range o.far.Submissions() {
		if !s.Deleted {
			n++
		}
	}
	return n
}

// told checks the exports: the first sent a document, the second declined.
func (o *outsider) told(class []student) {
	o.t.Helper()
	var sent, kept []sentDocument
	o.exported(class[0].name, "tii_submissions", &sent)
	o.exported(class[1].name, "tii_submissions", &kept)
	if len(sent) != 1 || len(kept) != 1 {
		o.t.Fatalf("%+v, %+v", sent, kept)
	}
	for _, d := range sent {
		there := slices.ContainsFunc(o.far.Submissions(), func(s fake.Submission) bool {
			return d.RemoteID != nil && s.ID == *d.RemoteID && s.Owner == class[0].name
		})
		if !there || d.Owner != "you" || d.Sender != "you" || d.SentAt == nil || !strings.Contains(o.service, d.Service) ||
			d.Service == "" || d.Pct == nil || *d.Pct != 77 {
			o.t.Errorf("sent: %+v", d)
		}
	}
	for _, d := range kept {
		if d.Status != "declined" || d.SentAt != nil || d.RemoteID != nil {
			o.t.Errorf("not sent: %+v", d)
		}
	}
	var agreements []struct {
		Version   string  `json:"version"`
		Confirmed *string `json:"confirmed_at"`
	}
	o.exported(class[0].name, "tii_agreements", &agreements)
	if len(agreements) != 1 || agreements[0].Version != fake.Version || agreements[0].Confirmed == nil {
		o.t.Errorf("agreements: %+v", agreements)
	}
}
