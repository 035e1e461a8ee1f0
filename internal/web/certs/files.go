// Package certs gives the certificates that the service shows where it speaks TLS
// itself: from two files, read again when they change, or from an authority that
// issues them by ACME (RFC 8555).
package certs

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// Files is the certificate that stands in two files. Whoever renews them need not
// tell the service: every handshake looks whether they changed.
type Files struct {
	cert, key string
	log       *slog.Logger
	mu        sync.Mutex
	shown     *tls.Certificate
	stamp     string // of the files when they were last read, well or not
}

// FromFiles reads the certificate, followed by those that lead to its authority,
// and its key, both PEM. It fails where they do not belong together.
func FromFiles(cert, key string, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log}
	var err error
	if f.stamp, err = f.stampNow(); err != nil {
		return nil, err
	}
	if f.shown, err = f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// Config is what a TLS server needs to show the certificate.
func (f *Files) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get}
}

// get gives the certificate in the files, or the last that was good: a renewal
// writes two files, and between them they do not match.
func (f *Files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp, err := f.stampNow()
	if err == nil && stamp == f.stamp {
		return f.shown, nil
	}
	var fresh *tls.Certificate
	if err == nil {
		fresh, err = f.read()
	}
	if stamp != f.stamp { // told once, however many handshakes there are
		f.stamp = stamp
		if err != nil {
			f.log.Warn("the changed certificate cannot be used; the one before is still shown", "err", err)
		} else {
			f.log.Info("the certificate was read again", "valid_until", fresh.Leaf.NotAfter)
		}
	}
	if err == nil {
		f.shown = fresh
	}
	return f.shown, nil
}

// read reads both files; they must belong together.
func (f *Files) read() (*tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return &c, nil
}

// stampNow tells one state of the files from another. It is empty where one is
// not there.
func (f *Files) stampNow() (string, error) {
	stamp := ""
	for _, name := range []string{f.cert, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return "", fmt.Errorf("read the certificate: %w", err)
		}
		stamp += fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
	}
	return stamp, nil
}
