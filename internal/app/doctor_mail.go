package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/textproto"
	"os"
	"strings"

	"lectern/internal/platform/mail"
)

// checkMailServer asks the mail server as an email would be sent: it connects, encrypts and signs
// in. No email is sent.
func checkMailServer(ctx context.Context, s *Settings) []finding {
	if s.MailDir != "" {
		return []finding{checkMailDir(s.MailDir)}
	}
	m, err := mail.NewSMTP(s.SMTPURL)
	if s.SMTPURL == "" || err != nil || s.checkMail() != nil {
		return nil // told with the other settings
	}
	f := finding{What: "mail", Saw: m.Server() + " takes emails"}
	if m.SignsIn() {
		f.Saw = m.Server() + " takes the name and the password, and emails"
	}
	if err := m.Look(ctx); err != nil {
		f.Saw, f.Bad, f.Advice = m.Server()+": "+err.Error(), true, mailRemedy(err)
	}
	return []finding{f}
}

// checkMailDir looks at where emails are written to files.
func checkMailDir(dir string) finding {
	f := finding{What: "mail", Saw: "emails are written to files in " + dir + ", and sent to nobody"}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Advice = "lectern serve will make it."
	case err != nil:
		f.Saw, f.Bad, f.Advice = err.Error(), true, "Check --mail-dir."
	case !info.IsDir():
		f.Saw, f.Bad, f.Advice = dir+" is no directory", true, "Check --mail-dir."
	}
	return f
}

// mailRemedy says what to do about a mail server that does not take us.
func mailRemedy(err error) string {
	said, isSaid := errors.AsType[*textproto.Error](err)
	_, isRecord := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isSaid && (said.Code == 535 || said.Code == 534 || said.Code == 530 || said.Code == 538):
		return "The name or the password is wrong: check those in --smtp-url, percent-encoded."
	case strings.Contains(err.Error(), "STARTTLS"):
		return "It offers no encryption there: check the port, use smtps:// where it speaks TLS from the start, or add " +
			"?tls=never for a relay on this machine."
	case isRecord || errors.Is(err, io.EOF):
		return "It does not speak TLS there: check the port, and smtp:// against smtps://."
	}
	return remedy(err)
}
