package site_test

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/teaching/submit"
)

// send hands a file in as the form of a task does.
func (w *world) send(path, key, name, text string) *answer {
	w.Helper()
	return w.upload(path, "text/html", url.Values{"key": {key}}, "file0", name, text)
}

// upload sends fields and a file, as a form does or a script of ours.
func (w *world) upload(path, accept string, fields url.Values, field, name, text string) *answer {
	w.Helper()
	return w.parts(path, accept, fields, file{field, name, text})
}

// file is one that a form sends.
type file struct{ field, name, text string }

// parts sends fields and files.
func (w *world) parts(path, accept string, fields url.Values, files ...file) *answer {
	w.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	var err error
	for _, f := range files {
		part, e := m.CreateFormFile(f.field, f.name)
		if e == nil {
			_, e = part.Write([]byte(f.text))
		}
		err = errors.Join(err, e)
	}
	for key, values := range fields {
		for _, v := range values {
			err = errors.Join(err, m.WriteField(key, v))
		}
	}
	if err = errors.Join(err, m.Close()); err != nil {
		w.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, w.public+path, &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Accept", accept)
	r.AddCookie(&http.Cookie{Name: "lectern", Value: w.cookie})
	a := &answer{T: w.T, ResponseRecorder: httptest.NewRecorder()}
	w.site.HTTP.ServeHTTP(a, r)
	return a
}

var keyField = regexp.MustCompile(`name="key" value="(\w+)"`)

// A student hands in on the page of a task, gets a receipt that proves it, and is
// not counted twice for pressing the button again.
func TestHandingInOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		form := ann.do(path, nil).status(200).says("Nothing submitted yet.")
		key := keyField.FindStringSubmatch(form.Body.String())[1]
		ann.send(path+"/hand-in", key, "a.go", "\x7fELF\x02\x01\x01").status(415).says(`role="alert"`)
		at := ann.send(path+"/hand-in", key, "<b>.go", "package a\n").status(303).Header().Get("Location")
		first := ann.do(at, nil).status(200).says("Submitted. Your signed receipt").says("_b_.go")
		ann.send(path+"/hand-in", key, "<b>.go", "package a\n").leadsTo(at)
		again := ann.do(at, nil).status(200)
		number := regexp.MustCompile(`<dd>(\d+)</dd>`)
		if a, b := number.FindString(first.Body.String()), number.FindString(again.Body.String()); a != b || a == "" {
			t.Errorf("two numbers: %q %q", a, b)
		}
		ann.sound("received", first)
		ann.do(path, nil).status(200).says("Ready for feedback").says("Versions (1)").says("PDF is being prepared")
		receipt := ann.do(path+"/receipt", nil).status(200)
		keys, err := submit.PublicKeys(t.Context(), w.db.Pool())
		if err != nil {
			t.Fatal(err)
		}
		if body, err := submit.Verify(receipt.Body.Bytes(), keys); err != nil || body.Student != "ann" {
			t.Errorf("%+v %v", body, err)
		}
		version := regexp.MustCompile(path + `/versions/[^"]+`).FindString(ann.do(path, nil).Body.String())
		ann.do(version, nil).status(200)
		w.as("tom").do(path, nil).status(200).says("Versions (1)")
	})
}

// What somebody wrote is not lost when it is refused, and reading changes nothing.
func TestConversationOnAPage(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
	ann.do(path+"/comments", url.Values{"comment": {"  "}}).status(400).says(`role="alert"`)
	long := strings.Repeat("long ", 1000)
	ann.do(path+"/comments", url.Values{"comment": {long}}).status(400).says(long)
	tom.do(path+"/comments", url.Values{"comment": {"Look at <page> two."}}).leadsTo(path + "#talk")
	for range 2 {
		ann.do(path, nil).status(200).says("Look at &lt;page&gt; two.").says("Mark as read")
	}
	ann.do(path+"/read", url.Values{}).leadsTo(path + "#talk")
	if strings.Contains(ann.do(path, nil).Body.String(), "Mark as read") {
		t.Error("it is still new")
	}
	ann.do(path+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was ill."}}).leadsTo(path + "#talk")
	ann.do(path+"/status", url.Values{"status": {"complete"}}).status(403).says(`role="alert"`)
}
