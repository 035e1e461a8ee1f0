package notify

import (
	"crypto/rand"
	"fmt"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/platform/mail"
)

// Trial is an email that tells somebody that emails arrive, from an address that may not be set yet. It is
// sent at once by whoever asks for it, and is on no record.
func (m *Mailer) Trial(from string, to *ident.User) (mail.Message, error) {
	words, err := mail.Render(mail.Trial{Frame: m.frame(reader{id: to.ID, name: greeting(to.FirstName, &to.Nickname)},
		None, links.AdminSettings)})
	return mail.Message{To: to.Email, ToName: to.FirstName + " " + to.LastName, From: from, FromName: m.product,
		Subject: words.Subject, Text: words.Text, HTML: words.HTML,
		ID: fmt.Sprintf("trial-%s%s", strings.ToLower(rand.Text()), idEnd(m.key, from))}, err
}
