package mailtest

import (
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/mail"
)

// Now is when the samples are written.
var Now = time.Date(2026, 3, 16, 7, 0, 0, 0, time.UTC)

// Frame is that of an email one can unsubscribe from.
var Frame = mail.Frame{Product: "Lectern", Name: "Ada", About: "COS10001 Introduction to Programming",
	Link: "https://lectern.example.edu/projects/7", Settings: "https://lectern.example.edu/profile",
	Unsubscribe: "https://lectern.example.edu/unsubscribe?token=7", Now: Now, Zone: time.UTC}

// Samples holds one email of each kind, and those whose words differ.
func Samples() map[string]mail.Content { return SamplesIn(nil) }

// SamplesIn holds the same in a language.
func SamplesIn(l *mail.Language) map[string]mail.Content {
	frame := Frame
	frame.Words = l
	hello := mail.Task{Abbreviation: "1.1P", Name: "Hello World"}
	arrays := mail.Task{Abbreviation: "2.3C", Name: "Arrays & <lists>"}
	needed := frame
	needed.Settings, needed.Unsubscribe = "", ""
	account := needed
	account.About, account.Zone = "", nil
	digest := frame
	digest.About = ""
	unplaced := digest
	unplaced.Zone = nil
	abroad := frame
	abroad.Zone = time.FixedZone("Asia/Kolkata", 5*60*60+30*60)
	there := mail.Due{Ends: Now.AddDate(1, 0, 0), Zone: time.FixedZone("Australia/Melbourne", 10*60*60)}
	past := mail.Due{Ends: Now.AddDate(0, 0, -6), Closes: Now.AddDate(0, 0, 60), Zone: time.UTC, Overdue: true}
	next := mail.Due{Ends: Now.AddDate(0, 0, 1), Closes: Now.AddDate(0, 0, 60), Zone: time.UTC}
	status := func(name, family string) mail.Status { return mail.Status{Name: name, Family: family} }
	return map[string]mail.Content{
		"feedback": mail.Feedback{Frame: frame, Unit: "COS10001", Tasks: []mail.MarkedTask{
			{Task: hello, Status: status("Complete", "green")},
			{Task: arrays, Status: status("Fix and resubmit", "orange"), Due: &next}}},
		"feedback on one": mail.Feedback{Frame: frame, Unit: "COS10001", Tasks: []mail.MarkedTask{
			{Task: hello, Status: status("Discuss", "teal")}}},
		"portfolio ready": mail.PortfolioReady{Frame: frame, Unit: "COS10001", Automatic: true},
		"portfolio failed": mail.PortfolioFailed{Frame: frame, Unit: "COS10001",
			Reason: "The learning summary report is not a PDF."},
		"final grade":            mail.FinalGrade{Frame: frame, Unit: "COS10001"},
		"final grade changed":    mail.FinalGrade{Frame: frame, Unit: "COS10001", Changed: true},
		"final grade taken back": mail.FinalGrade{Frame: frame, Unit: "COS10001", TakenBack: true},
		"pdf failed": mail.PDFFailed{Frame: frame, Unit: "COS10001", Task: hello, Due: next,
			Reason: "main.c is larger than 10 MB.\nShow only the part you wrote."},
		"work deleted": mail.WorkDeleted{Frame: needed, Unit: "COS10001", What: "the task 1.1P Hello World",
			Until: clock.On(2026, 4, 9)},
		"work restored": mail.WorkDeleted{Frame: needed, Unit: "COS10001", What: "the group Red",
			Until: clock.On(2026, 4, 9), Restored: true},
		"work anonymised": mail.WorkDeleted{Frame: needed, Unit: "COS10001", What: "the task 1.1P Hello World",
			Until: clock.On(2026, 4, 9), GradesStay: true, Anonymised: true},
		"announcement": mail.Announcement{Frame: frame, Unit: "COS10001", Title: "No lecture on Monday & <Tuesday>",
			Text: "Hello,\n\nthe lecture moves to Wednesday, 10:00, in <EN 101>.\n\nGrace", Author: "Grace Hopper"},
		"student week": mail.StudentWeek{Frame: frame, Unit: "COS10001", Tasks: []mail.DueTask{
			{Task: hello, Due: past, Status: status("Working on it", "grey")},
			{Task: arrays, Due: next, Status: status("Need help", "violet")}}, Soon: 1,
			Marked: []mail.MarkedTask{{Task: hello, Status: status("Redo", "orange")},
				{Task: arrays, Status: status("Time exceeded", "red")}},
			Progress:         mail.Progress{Target: "Credit", Complete: 9, All: 24, Overdue: 1},
			CommentsReceived: 1, CommentsSent: 3, StatusChanges: 2, NoTutorial: true, Behind: 3},
		"student week elsewhere": mail.StudentWeek{Frame: abroad, Unit: "COS10001", Tasks: []mail.DueTask{
			{Task: hello, Due: there, Status: status("Not started", "grey")}}},
		"student week done": mail.StudentWeek{Frame: frame, Unit: "COS10001",
			Progress: mail.Progress{Target: "Pass", Complete: 4, All: 4}},
		"staff week": mail.StaffWeek{Frame: frame, Unit: "COS10001", Students: 24, Waiting: 7,
			Oldest: &mail.WaitingTask{Task: arrays, Student: "Grace Hopper", Since: Now.AddDate(0, 0, -12)},
			Marked: 31, CommentsReceived: 12, CommentsSent: 18, Tutors: []mail.TutorWeek{
				{Name: "Alan Turing", Students: 24, Waiting: 7, Marked: 31},
				{Name: "Katherine Johnson", Students: 22, Waiting: 0, Marked: 40}}, WithoutTutorial: 3, Behind: 1},
		"staff week quiet": mail.StaffWeek{Frame: frame, Unit: "COS10001", Students: 1},
		"digest of comments": mail.Digest{Frame: unplaced, Comments: []mail.DigestComment{{Unit: "COS10001", Task: hello,
			Author: "Alan Turing", At: Now.Add(-time.Hour), Text: "Nice work."}}},
		"digest of a decision": mail.Digest{Frame: unplaced, Extensions: []mail.DigestExtension{
			{Unit: "COS10001", Task: arrays, Granted: true, Due: mail.Due{Ends: next.Ends}}}},
		"digest of a review request": mail.Digest{Frame: unplaced,
			Asked: []mail.DigestReview{{Unit: "COS10001", Task: arrays, Student: "Grace Hopper"}}},
		"digest of a review": mail.Digest{Frame: unplaced, Reviews: []mail.DigestReview{{Unit: "COS10001", Task: arrays}}},
		"digest": mail.Digest{Frame: digest, Comments: []mail.DigestComment{{Unit: "COS10001", Task: hello,
			Author: "Alan Turing", At: Now.Add(-time.Hour), Text: "Nice work.\nCould you say why the loop ends?"}},
			Extensions: []mail.DigestExtension{
				{Unit: "COS10001", Task: arrays, Granted: true, Due: next, Answer: "Get well soon."},
				{Unit: "COS10001", Task: hello, Due: past}},
			Reviews: []mail.DigestReview{{Unit: "COS10001", Task: hello}}},
		"password":     mail.Password{Frame: account, Username: "ada", Validity: 2 * time.Hour},
		"trial":        mail.Trial{Frame: account},
		"new password": mail.Password{Frame: account, Username: "ada", New: true, Validity: 7 * 24 * time.Hour},
		"new address":  mail.Address{Frame: account, Username: "ada", Confirm: true, Validity: 2 * 24 * time.Hour},
		"asked":        mail.Address{Frame: account, Username: "ada", Pending: true},
		"moved":        mail.Address{Frame: account, Username: "ada"},
	}
}
