package api

import (
	"strings"
	"testing"

	"lectern/internal/connect/notify"
)

const sheetOfThree = "username,email,first_name,last_name,system_role\nann,ann@example.edu,Ann,A,Student\n" +
	"bob,bob@example.edu,Bob,B,Tutor\ncid,cid@example.edu,Cid,C,Student\n"

// invited imports a sheet as somebody, with the invitations.
func (w *world) invited(as, csv string, fields map[string]string) *answered {
	w.Helper()
	fields["send_mail"] = "true"
	return w.do(as, "POST /api/csv/users", upload{fields: fields, files: []part{{"file", "users.csv", csv}}})
}

// soFar is how far the invitations are.
func (w *world) soFar(as string) (got notify.Invitations) {
	w.Helper()
	w.do(as, "GET /api/users/invitations", nil).status(200).into(&got)
	return got
}

func TestASheetOfPeopleSendsInvitationsWhenAskedTo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, delivered := w.post(t)
		users(t, w, strings.Split(sheetOfThree, "cid")[0], nil) // by itself it sends none
		users(t, w, sheetOfThree, map[string]string{"dry_run": "true", "send_mail": "false"})
		if n := w.count("invitations"); n != 0 || len(delivered()) != 0 {
			t.Fatalf("%d invitations unasked", n)
		}
		dry := w.invited("admin", sheetOfThree, map[string]string{"dry_run": "true"}).status(201).Body.String()
		if n := w.count("invitations"); n != 0 || strings.Count(dry, "they are invited") != 2 {
			t.Fatalf("a dry run invites %d: %s", n, dry)
		}
		for _, who := range []string{"", "student", "tutor"} {
			w.invited(who, sheetOfThree, map[string]string{}).status(map[bool]int{true: 401, false: 403}[who == ""])
		}
		var r importReport
		w.invited("convenor", sheetOfThree, map[string]string{}).status(201).into(&r)
		if len(r.Success) != 1 || len(r.Ignored) != 2 || !strings.Contains(r.Ignored[0].Message, "they are invited") {
			t.Errorf("%+v", r)
		}
		if got := w.soFar("convenor"); got.Waiting != 3 || got.LastAt != nil || len(got.Troubled) != 0 {
			t.Errorf("%+v", got)
		}
		emails := delivered()
		for _, name := range []string{"ann", "bob", "cid"} {
			if emails[name] == nil || !strings.HasPrefix(emails[name].Header.Get("Subject"), "Welcome") {
				t.Errorf("no email to %s: %v", name, emails)
			}
		}
		if got := w.soFar("admin"); got.Sent != 3 || got.Waiting != 0 || got.LastAt == nil {
			t.Errorf("%+v", got)
		}
		w.invited("admin", sheetOfThree, map[string]string{}).status(201).into(&r)
		if len(r.Success) != 0 || strings.Contains(r.Ignored[0].Message, "invited") || len(delivered()) != 0 {
			t.Errorf("invited twice: %+v", r)
		}
		w.set(`UPDATE invitations SET state = 'failed', error = 'no such mailbox' WHERE user_id = (SELECT id FROM users
			WHERE username = 'bob')`)
		if got := w.soFar("admin"); got.Failed != 1 || len(got.Troubled) != 1 || got.Troubled[0].Username != "bob" ||
			got.Troubled[0].State != notify.Failed || got.Troubled[0].Error != "no such mailbox" {
			t.Errorf("%+v", got)
		}
		w.invited("admin", sheetOfThree, map[string]string{}).status(201)
		if emails := delivered(); len(emails) != 1 || emails["bob"] == nil {
			t.Errorf("emails to %v", emails)
		}
	})
}

func TestASheetIsNotImportedWhereItsInvitationsCannotBeSent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api.usecases.Mailer = notify.Disabled()
		before := w.count("users")
		w.invited("admin", sheetOfThree, map[string]string{}).status(503).says("sends no emails")
		if w.count("users") != before {
			t.Error("the people were made without their emails")
		}
	})
}

// The API calls the column system_role, sheets called it role before.
func TestTheSheetOfUsersTakesSystemRoleAsWellAsRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i, head := range []string{"role", "system_role", "System Role"} {
			name := "n" + string(rune('a'+i))
			r := users(t, w, "username,email,first_name,last_name,"+head+"\n"+name+","+name+"@example.edu,A,B,Tutor\n", nil)
			if len(r.Success) != 1 || w.count("users WHERE role = 2 AND username = '"+name+"'") != 1 {
				t.Errorf("%s: %+v", head, r)
			}
		}
		both := upload{files: []part{{"file", "u.csv",
			"username,email,first_name,last_name,role,system_role\nx,x@example.edu,A,B,Tutor,Admin\n"}}}
		w.do("admin", "POST /api/csv/users", both).status(400).says("role")
		w.do("admin", "POST /api/csv/users", upload{files: []part{{"file", "u.csv",
			"username,email,first_name,last_name\n"}}}).status(400).says("role")
	})
}
