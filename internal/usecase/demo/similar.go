package demo

import (
	"strings"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine/corpus"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// comparedTask is the task of the first unit whose work is compared.
const comparedTask = "2.1P"

// addSimilarWork plans what eight students hand in for the task whose work is compared: the
// seventh a copy of the first one's, the eighth a copy of the third one's with other
// names, and all others work of their own. That two of them copied is for the service
// to find.
func (b *builder) addSimilarWork(u *unit) {
	d := find(u, comparedTask)
	day := b.week(d.target, 0)
	for i, text := range solutions() {
		student := studentName(u.students[0] + i)
		b.plan(at(day, 9+i), func(q db.Q) error {
			list, err := b.program(d, text)
			if err == nil {
				p := b.place(u, student, d)
				_, err = b.desk.HandIn(b.ctx, q, b.signer, submit.Request{By: work.Mover{UserID: b.id[student],
					As: status.Student}, ProjectID: p.ProjectID, DefinitionID: p.DefinitionID, Files: list})
			}
			return b.story(err, u, student, d, student)
		})
	}
}

// program puts a program into the store as what a task asks for.
func (b *builder) program(d definition, text string) ([]submit.File, error) {
	wanted, err := taskdef.ParseRequirements(d.upload)
	if err != nil {
		return nil, err
	}
	info, err := b.put([]byte(text))
	r := wanted[0]
	return []submit.File{{Key: r.Key, Title: r.Name, Kind: r.Type, Name: "Program.cs", Hash: info.Hash,
		Size: info.Size, Checked: r.Checked()}}, err
}

// solutions gives six programs that solve the same exercises independently, a copy
// of the first, and a copy of the third with other names.
func solutions() []string {
	const independent = 6
	for _, c := range corpus.Make(corpus.Options{Seed: 7, Classes: 1, Independent: independent, Copies: 3}) {
		if c.Language != ".cs" {
			continue
		}
		var out []string
		for i, w := range c.Works {
			if i < independent || w.How == "verbatim" || w.How == "renamed" {
				out = append(out, strings.TrimPrefix(w.Text, c.Template))
			}
		}
		return out
	}
	return nil
}
