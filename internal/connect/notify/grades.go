package notify

import (
	"context"
	"fmt"

	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/enrol"
)

// gradeArgs ask for the emails about final grades that students see, or see no longer.
type gradeArgs struct {
	UnitID   int64        `json:"unit_id"`
	What     enrol.Seeing `json:"what"`
	Projects []int64      `json:"projects,omitempty"` // none: all who have a grade
}

// Kind implements jobs.Args.
func (gradeArgs) Kind() string { return "grade_mails" }

// GradesSeen has students emailed that they see their final grade, another one or none any longer: those of
// some projects, or all of a unit who have one. The grade itself is in no email.
func (m *Mailer) GradesSeen(ctx context.Context, q db.Q, unitID int64, what enrol.Seeing, projects ...int64) error {
	if !m.Sends() {
		return nil
	}
	_, err := jobs.Enqueue(ctx, q, gradeArgs{unitID, what, projects}, jobs.Options{})
	return err
}

// grades writes the emails of a job, one to each student, some at a time. Their names hold the job and the student,
// so a job that was killed goes on where it was. What was published and taken back meanwhile is not told.
func (m *Mailer) grades(ctx context.Context, job jobs.Job, a gradeArgs) error {
	if !m.Sends() {
		return nil
	}
	for last := int64(0); ; {
		some, err := a.students(ctx, m.db.Pool(), last)
		if err != nil {
			return fmt.Errorf("find whom to tell of final grades: %w", err)
		}
		err = m.db.Tx(ctx, func(q db.Q) error {
			if len(some) == 0 {
				return job.Done(ctx, q)
			}
			return m.post(ctx, q, m.gradeMails(job.ID, a.What, some))
		})
		if err != nil || len(some) == 0 {
			return err
		}
		last = some[len(some)-1].ProjectID
	}
}

// students are some of those whom the job tells, the next after a project.
func (a gradeArgs) students(ctx context.Context, q db.Q, after int64) ([]student, error) {
	which, args, is := `p.grade > 0`, []any{a.UnitID, after, postAtOnce}, "IS NOT NULL"
	if a.What == enrol.GradeTakenBack {
		is = "IS NULL"
	}
	if len(a.Projects) > 0 {
		rows := make([][]any, len(a.Projects))
		for i, id := range a.Projects {
			rows[i] = []any{id}
		}
		from, with, err := db.Rows(q, args, []string{"id BIGINT"}, rows)
		if err != nil {
			return nil, err
		}
		which, args = `p.id IN (SELECT v.id FROM `+from+` v)`, with
	}
	return db.All[student](ctx, q, `SELECT `+studentColumns+` FROM projects p`+studentJoins+`
		WHERE p.unit_id = $1 AND p.id > $2 AND p.enrolled AND u.grades_published_at `+is+` AND s.`+flags[Feedback]+`
		AND `+which+` ORDER BY p.id LIMIT $3`, args...)
}

// gradeMails are the emails to some students.
func (m *Mailer) gradeMails(job int64, what enrol.Seeing, some []student) []email {
	list := make([]email, len(some))
	for i := range some {
		s := &some[i]
		list[i] = s.email(Feedback, mail.FinalGrade{
			Frame: m.toStudent(s, Feedback, links.To(links.Project, s.ProjectID)), Unit: s.Unit,
			Changed: what == enrol.GradeChanged, TakenBack: what == enrol.GradeTakenBack})
		list[i].name = fmt.Sprintf("grade-%d-%d", job, s.ProjectID)
	}
	return list
}
