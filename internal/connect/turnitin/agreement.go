package turnitin

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/tca"
)

// terms are what people have to agree to.
type terms struct {
	Required     bool    `db:"require_eula"`
	Version      *string `db:"eula_version"`
	Text         *string `db:"eula_html"`
	Repositories *string `db:"repositories"`
}

func readTerms(ctx context.Context, q db.Q) (*terms, error) {
	list, err := db.All[terms](ctx, q, `SELECT require_eula, eula_version, eula_html, repositories FROM tii_service
		WHERE id = 1`)
	if err != nil || len(list) == 0 {
		return &terms{Required: true}, err
	}
	return &list[0], nil
}

// Agreement gives the text people agree to, which is HTML; nil: there is none, or the
// service is not configured.
func (s *Service) Agreement(ctx context.Context, q db.Q) (*string, error) {
	if !s.Enabled() {
		return nil, nil
	}
	t, err := readTerms(ctx, q)
	if err != nil {
		return nil, err
	}
	return t.Text, nil
}

// acceptance is a row of tii_agreements.
type acceptance struct {
	Version   string      `db:"version"`
	At        clock.Time  `db:"accepted_at"`
	Confirmed *clock.Time `db:"confirmed_at"`
	Username  string      `db:"username"`
}

// agreed gives somebody's acceptance of the version in force; nil: there is none.
func agreed(ctx context.Context, q db.Q, userID int64) (*acceptance, error) {
	list, err := db.All[acceptance](ctx, q, `SELECT a.version, a.accepted_at, a.confirmed_at, u.username
		FROM tii_agreements a JOIN users u ON u.id = a.user_id JOIN tii_service s ON s.eula_version = a.version
		WHERE a.user_id = $1`, userID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Accepted tells whether somebody need not be shown the agreement: they accepted the
// version in force, or nobody has to. Nil: the service is not configured.
func (s *Service) Accepted(ctx context.Context, q db.Q, userID int64) (*bool, error) {
	if !s.Enabled() {
		return nil, nil
	}
	t, err := readTerms(ctx, q)
	if err != nil {
		return nil, err
	}
	a, err := agreed(ctx, q, userID)
	yes := a != nil || !t.Required
	return &yes, err
}

// Accept notes that somebody agreed, and has the service told. It is fault.Conflict where there
// is nothing to agree to. It is for the user themselves (policy.AcceptTerms).
func (s *Service) Accept(ctx context.Context, q db.Q, userID int64) error {
	if !s.Enabled() {
		return fault.New(fault.Conflict, "There is no agreement to accept, because no similarity service is set up.")
	}
	t, err := readTerms(ctx, q)
	if err != nil {
		return err
	}
	if t.Version == nil {
		return fault.New(fault.Conflict, "The agreement of the similarity service is not here yet. Try again in a "+
			"few minutes.")
	}
	n, err := db.Exec(ctx, q, `INSERT INTO tii_agreements (user_id, version, accepted_at, service)
		VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) DO UPDATE SET version = excluded.version,
			accepted_at = excluded.accepted_at, service = excluded.service, confirmed_at = NULL
		WHERE tii_agreements.version <> excluded.version`, userID, *t.Version, q.Now(), s.Client.Host())
	if err != nil {
		return err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Agreement, Action: "accepted", UserID: userID}); err != nil ||
		n == 0 {
		return err
	}
	return want(ctx, q, AcceptEULA, subject{userID: userID})
}

// sendAcceptance is the step of AcceptEULA.
func (s *Service) sendAcceptance(ctx context.Context, a *Action) error {
	user := *a.UserID
	got, err := agreed(ctx, s.DB.Pool(), user)
	if err != nil {
		return err
	}
	if got == nil {
		return errLost // they were erased, or a newer version is in force
	}
	if got.Confirmed != nil {
		return nil
	}
	err = s.call(ctx, func(ctx context.Context) error {
		return s.Client.AcceptEULA(ctx, tca.NewAcceptance(got.Username, got.Version, got.At.Time))
	})
	if err != nil {
		return unless(err, tca.NotFound, &failure{Other,
			"The similarity service does not know this version of its agreement.", false})
	}
	return s.advance(ctx, a, "The similarity service was told.", func(q db.Q) error {
		return confirm(ctx, q, user, got.Version)
	})
}

// confirm notes that the service knows of an acceptance.
func confirm(ctx context.Context, q db.Q, userID int64, version string) error {
	_, err := db.Exec(ctx, q, `UPDATE tii_agreements SET confirmed_at = $3 WHERE user_id = $1 AND version = $2
		AND confirmed_at IS NULL`, userID, version, q.Now())
	return err
}

// fetchFeatures is the step of FetchFeatures.
func (s *Service) fetchFeatures(ctx context.Context, a *Action) error {
	var f *tca.Features
	err := s.call(ctx, func(ctx context.Context) (err error) {
		f, err = s.Client.Features(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return s.advance(ctx, a, "The similarity service told what it offers.", func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_service SET require_eula = $1, repositories = $2, features_at = $3
			WHERE id = 1`, f.Tenant.RequireEULA, strings.Join(f.Similarity.Generation.Repositories, ","), q.Now())
		return err
	})
}

// fetchEULA is the step of FetchEULA. Version and text change together, so that nobody
// accepts what they were not shown.
func (s *Service) fetchEULA(ctx context.Context, a *Action) error {
	var e *tca.EULA
	err := s.call(ctx, func(ctx context.Context) (err error) {
		e, err = s.Client.LatestEULA(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var text string
	if err = s.call(ctx, func(ctx context.Context) (err error) {
		text, err = s.Client.EULAText(ctx, e.Version)
		return err
	}); err != nil {
		return err
	}
	return s.advance(ctx, a, "Version "+e.Version+" of the agreement was fetched.", func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_service SET eula_version = $1, eula_html = $2, eula_at = $3 WHERE id = 1`,
			e.Version, strings.ReplaceAll(text, "\x00", ""), q.Now())
		return err
	})
}

// HookPath is where the service sends its notifications.
const HookPath = "/api/tii_hook"

// hook is a fingerprint of what the service is told about notifications.
func (s *Service) hook() string { return fingerprint(s.PublicURL + HookPath + "\n" + s.SigningKey) }

// registerWebhook is the step of RegisterWebhook. An address that is there already may
// have been given with another secret, so unless we know better it is given anew.
func (s *Service) registerWebhook(ctx context.Context, a *Action) error {
	address := s.PublicURL + HookPath
	var list []tca.Webhook
	err := s.call(ctx, func(ctx context.Context) (err error) {
		list, err = s.Client.Webhooks(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, h := range list {
		if h.URL != address {
			continue
		}
		err := s.call(ctx, func(ctx context.Context) error { return s.Client.DeleteWebhook(ctx, h.ID) })
		if err != nil && tca.StatusOf(err) != tca.NotFound {
			return err
		}
	}
	err = s.call(ctx, func(ctx context.Context) error { return s.Client.AddWebhook(ctx, address, s.SigningKey) })
	if err != nil && tca.StatusOf(err) != tca.Conflict {
		return err
	}
	return s.advance(ctx, a, "The similarity service notifies "+address+".", func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_service SET hook = $1 WHERE id = 1`, s.hook())
		return err
	})
}
