package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/submit"
	"lectern/internal/web/endpoint"
)

func (s *Server) receiptRoutes() {
	endpoint.Route(s.Server, "GET /api/receipt_key", 200, policy.Anybody,
		"Get the public keys that receipts of submissions are checked with", s.receiptKey)
}

func (s *Server) receiptKey(ctx context.Context, _ *access.Caller, _ none) (*submit.KeySet, error) {
	return submit.PublicKeys(ctx, s.db.Pool())
}
