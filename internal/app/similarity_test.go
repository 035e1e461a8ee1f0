package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lectern/internal/platform/tca/fake"
)

// With only some settings of the outside similarity service the service starts, says
// that it does not use it, and takes no notification that is not signed.
func TestHalfTheSettingsOfTheOutsideService(t *testing.T) {
	for _, o := range []OutsideSimilarity{{TiiURL: "https://similar.example.edu"}, {TiiAPIKey: "k"},
		{TiiSigningKey: "s"}, {TiiURL: "https://similar.example.edu", TiiAPIKey: "k"}, {TiiAPIKey: "k", TiiSigningKey: "s"}} {
		a, err := New(t.Context(), Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, LogLevel: 12,
			OutsideSimilarity: o}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		a.web.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/settings", nil))
		if !strings.Contains(w.Body.String(), `"tiiEnabled":false`) {
			t.Errorf("%+v: %s", o, w.Body)
		}
		w = httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/api/tii_hook", strings.NewReader("{}"))
		r.Header.Set("X-Similarity-EventType", "SUBMISSION_COMPLETE")
		r.Header.Set("X-Similarity-Signature", strings.Repeat("0", 64))
		if a.web.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
			t.Errorf("%+v: %d %s", o, w.Code, w.Body)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDoctorLooksAtTheOutsideService(t *testing.T) {
	s := httptest.NewServer(fake.New(fake.Options{Key: "right"}))
	defer s.Close()
	look := func(o OutsideSimilarity) string { return doctored(t, Settings{OutsideSimilarity: o}) }
	says(t, look(OutsideSimilarity{TiiURL: s.URL, TiiAPIKey: "right"}), "LECTERN_TII_SIGNING_KEY missing")
	says(t, look(OutsideSimilarity{TiiURL: s.URL}), "LECTERN_TII_API_KEY and LECTERN_TII_SIGNING_KEY missing")
	says(t, look(OutsideSimilarity{TiiURL: s.URL, TiiAPIKey: "right", TiiSigningKey: "s"}), "answers")
	says(t, look(OutsideSimilarity{TiiURL: s.URL, TiiAPIKey: "wrong", TiiSigningKey: "s"}), "refuses the key")
	s.Close()
	says(t, look(OutsideSimilarity{TiiURL: s.URL, TiiAPIKey: "right", TiiSigningKey: "s"}), "may call the service")
}
