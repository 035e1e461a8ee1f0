package demo

import (
	"fmt"
	"strings"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// students is how many numbered students there are.
const students = 40

type person struct {
	username, first, last string
	role                  policy.Role
}

// staff are the accounts with a name; aadmin comes first and has the id 1.
var staff = []person{
	{"aadmin", "Ada", "Admin", policy.Admin},
	{"acain", "Alba", "Cain", policy.Admin},
	{"ajones", "Amir", "Jones", policy.Admin},
	{"aconvenor", "Ana", "Convenor", policy.Convenor},
	{"rwilson", "Ruth", "Wilson", policy.Convenor},
	{"acummaudo", "Aldo", "Cummaudo", policy.Convenor},
	{"atutor", "Arun", "Tutor", policy.Tutor},
	{"cliff", "Cliff", "Warren", policy.Tutor},
	{"joostfunkekupper", "Joost", "Funke Kupper", policy.Tutor},
	{"angusmorton", "Angus", "Morton", policy.Tutor},
	{"123456x", "Xiu", "Lin", policy.Student},
	{"astudent", "Aisha", "Student", policy.Student},
}

var (
	firstNames = []string{"Mia", "Noah", "Zoë", "Liam", "Fatima", "José", "Yuki", "Oluwaseun", "Chloe", "Dmitri",
		"Ngọc", "Ella", "Søren", "Priya", "Jack", "Leila"}
	lastNames = []string{"Nguyen", "O'Brien", "García", "Smith", "Okafor", "Tanaka", "Müller", "Kowalski", "Singh",
		"Brown", "Rossi", "Ivanova", "Haddad"}
)

// people makes the accounts.
func (b *builder) people(seal string) {
	all := append([]person(nil), staff...)
	for i := range 10 {
		all = append(all, person{fmt.Sprintf("tutor_%d", i), "Tutor", fmt.Sprintf("Number %d", i), policy.Tutor})
	}
	for i := range students {
		all = append(all, person{studentName(i), firstNames[i%len(firstNames)],
			lastNames[i*7%len(lastNames)], policy.Student})
	}
	for i, p := range all {
		key := strings.ToLower(p.username)
		r := row{"username": p.username, "username_key": key, "email": key + "@example.edu",
			"email_key":  key + "@example.edu",
			"first_name": p.first, "last_name": p.last, "nickname": p.first, "role": int64(p.role),
			"name_key":                 ident.NameKey(p.first, p.last),
			"has_run_first_time_setup": true,
			"password_hash":            seal, "created_at": b.q.Now(), "updated_at": b.q.Now()}
		if p.role == policy.Student {
			r["student_id"] = fmt.Sprintf("2%08d", 10_000+i)
		}
		b.add(p.username, "users", r)
	}
	if b.err == nil {
		_, b.err = db.Exec(b.ctx, b.q, `UPDATE users SET has_run_first_time_setup = FALSE WHERE username = 'student_0'`)
	}
}

// studentName is the user name of a student by number.
func studentName(n int) string { return fmt.Sprintf("student_%d", n) }
