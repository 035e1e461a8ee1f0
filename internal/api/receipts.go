package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/policy"
	"lectern/internal/submit"
)

func (s *Server) receiptRoutes() {
	endpoint.Route(s.Server, "GET /api/receipt_key", 200, policy.Anybody,
		"Get the public keys that receipts of submissions are checked with", s.receiptKey)
}

func (s *Server) receiptKey(ctx context.Context, _ *access.Caller, _ none) (*submit.KeySet, error) {
	return submit.PublicKeys(ctx, s.db.Pool())
}
