package api

var _ = rights(
	rightRow{"GET /api/unsubscribe/{token}", "/api/unsubscribe/none", "everybody", nil},
	rightRow{"POST /api/unsubscribe/{token}", "/api/unsubscribe/none", "everybody", nil},
	rightRow{"POST /api/auth/forgot", "", "everybody", `{"username":"nobody"}`},
)
