package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"lectern/internal/app"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/trash"
	"lectern/internal/usecase"
)

type unitCmd struct {
	Retire unitRetireCmd `cmd:"" help:"Show the work of a unit that is over, and decide what becomes of it."`
}

type unitRetireCmd struct {
	app.Storage
	ID   int64  `arg:"" help:"The number of the unit, as its address has it."`
	Plan string `env:"-" enum:"keep,anonymise,delete_work," default:"" help:"keep; anonymise: submissions and comments stay, without names; delete_work: grades stay. Without one, what there is is shown, and nothing done."`
	As   string `env:"-" help:"User name of who decides: an administrator, or a convenor of the unit."`
	Undo int64  `env:"-" help:"Undo the decision of this number, within 30 days."`
	Yes  bool   `env:"-" help:"Do not ask for the code of the unit."`
}

// Run shows what there is. With a plan it puts the decision on record, which the service carries out as it runs.
func (c *unitRetireCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		uses := usecase.New(usecase.Config{DB: d})
		if c.Undo == 0 && c.Plan == "" {
			_, _, err := c.show(ctx, d, os.Stdout)
			return err
		}
		who, err := c.decider(ctx, d)
		if err != nil {
			return err
		}
		if c.Undo == 0 {
			return c.decide(ctx, d, uses, who)
		}
		if _, err := uses.UndoRetirement(ctx, who, c.ID, c.Undo); err != nil {
			return err
		}
		fmt.Println("The decision is being undone: the service brings the work back, a task at a time.")
		return nil
	})
}

// decider finds who decides, and whether they may.
func (c *unitRetireCmd) decider(ctx context.Context, d *db.DB) (*access.Caller, error) {
	if c.As == "" {
		return nil, errors.New("say who decides, with --as")
	}
	u, err := ident.ByUsername(ctx, d.Pool(), c.As)
	if err != nil {
		return nil, err
	}
	who := &access.Caller{ID: u.ID, Username: u.Username, Role: u.Role}
	held, err := access.Holding(ctx, d.Pool(), who, policy.DeleteWork, []int64{c.ID})
	if err == nil && len(held) == 0 {
		err = fmt.Errorf("%s is neither an administrator nor a convenor of this unit", c.As)
	}
	return who, err
}

// show prints what a plan is about, and what was decided before.
func (c *unitRetireCmd) show(ctx context.Context, d *db.DB, to io.Writer) (*course.Unit, *trash.RetirementPlan, error) {
	u, err := course.UnitByID(ctx, d.Pool(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	p, err := trash.PlanOf(ctx, d.Pool(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	list, err := trash.Retirements(ctx, d.Pool(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(to, "%s %s, until %s\n", u.Code, u.Name, u.EndDate)
	fmt.Fprintf(to, "Work: %d submissions with %d files (%d bytes), %d comments and %d portfolios, of %d students.\n",
		p.Submissions, p.Files, p.Bytes, p.Comments, p.Portfolios, p.Students)
	fmt.Fprintf(to, "Stays with the students in every plan: %d tasks with status and grade, %d final grades.\n",
		p.Kept.Tasks, p.Kept.FinalGrades)
	for _, r := range list {
		fmt.Fprintf(to, "Decision %d: %s, %s, by %s on %s", r.ID, r.Plan, r.State, r.By, r.At)
		if r.Undoable {
			fmt.Fprintf(to, "; --undo %d until %s", r.ID, r.KeptUntil)
		}
		fmt.Fprintln(to)
	}
	return u, p, nil
}

// plans says what each plan does.
var plans = map[trash.Plan]string{
	trash.KeepAll:    "All of it stays as it is.",
	trash.Anonymise:  "Submissions and comments stay, under numbers in place of names; portfolios are deleted.",
	trash.DeleteWork: "Submissions, comments and portfolios are deleted.",
}

func (c *unitRetireCmd) decide(ctx context.Context, d *db.DB, uses *usecase.Service, who *access.Caller) error {
	u, p, err := c.show(ctx, d, os.Stdout)
	if err != nil {
		return err
	}
	plan := trash.Plan(c.Plan)
	fmt.Println(plans[plan])
	if !c.Yes && !agreedTo(os.Stdin, "the code of the unit", u.Code) {
		return errors.New("nothing was changed: type the code of the unit to agree, or give --yes")
	}
	r, err := uses.RetireUnit(ctx, who, c.ID, trash.Intent{Plan: plan, Confirm: u.Code, Submissions: p.Submissions,
		Comments: p.Comments, Portfolios: p.Portfolios})
	if err != nil {
		return err
	}
	fmt.Printf("Decision %d is on record.\n", r.ID)
	if plan != trash.KeepAll {
		fmt.Printf("The service carries it out, a task at a time. Until %s, --undo %d brings the work back.\n", r.KeptUntil,
			r.ID)
	}
	return nil
}
