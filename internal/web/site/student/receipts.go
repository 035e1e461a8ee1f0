package student

import (
	"context"
	"encoding/json"
	"io"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/submit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

const (
	receiptCheck = "/receipts/check"
	// mostReceipt is how many bytes a receipt may have: that of a submission of twenty
	// files with long names has a fifth of it.
	mostReceipt = 64 << 10
)

func (s *room) receiptRoutes() {
	page.Show(s.Site, receiptCheck, policy.Anybody, "Check a receipt", s.askReceipt)
	page.Form(s.Site, receiptCheck, policy.Anybody, "Check a receipt", s.checkReceipt,
		endpoint.Unaudited("it changes nothing"), endpoint.Uploads(1, mostReceipt),
		endpoint.Again(func(ctx context.Context, who *access.Caller, _ checkIn, wrong error) (endpoint.Drawing, error) {
			p, _, err := s.receiptPage(ctx, who, "")
			if err != nil {
				return nil, err
			}
			return s.Again(p, wrong)
		}))
}

// receiptCheckPage asks for a receipt and says what it proves. It holds the public
// keys, so that a script can check receipts when the network is gone.
type receiptCheckPage struct {
	Text  string // as it was sent
	Keys  string // as JSON
	Most  int
	Valid *submit.ReceiptBody // what a good one says
}

func (s *room) receiptPage(ctx context.Context, who *access.Caller, text string) (*page.Page, *submit.KeySet, error) {
	keys, err := submit.PublicKeys(ctx, s.DB.Pool())
	if err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(keys)
	return s.Page(who, "receipt-check", &receiptCheckPage{Text: text, Keys: string(data), Most: mostReceipt}), keys, err
}

// askReceipt asks for a receipt, or checks the one that the address holds, as the QR code of
// every receipt does.
func (s *room) askReceipt(ctx context.Context, who *access.Caller, in struct {
	Digits string `param:"r" text:"any"`
}) (*page.Page, error) {
	if in.Digits == "" {
		p, _, err := s.receiptPage(ctx, who, "")
		return p, err
	}
	text, wrong := submit.FromDigits(in.Digits)
	p, keys, err := s.receiptPage(ctx, who, string(text))
	if err != nil {
		return nil, err
	}
	return s.verified(p, keys, text, wrong)
}

// receiptCode is the QR code that leads to the check of a receipt.
func (s *room) receiptCode(r *submit.Receipt) (*qrCode, error) {
	return s.codes.of(r.Hash, func() (*qrCode, error) {
		digits, err := r.Digits()
		if err != nil {
			return nil, err
		}
		return newQR(s.Usecases.PublicURL+receiptCheck+"?r=", digits)
	})
}

// verified says on the page what a receipt proves, or that it proves nothing.
func (s *room) verified(p *page.Page, keys *submit.KeySet, text []byte, wrong error) (*page.Page, error) {
	body := &submit.ReceiptBody{}
	if wrong == nil {
		body, wrong = submit.Verify(text, keys)
	}
	if wrong != nil {
		return s.Again(p, fault.New(fault.Refused, "%s %s", s.Word("receipt-check.bad"), wrong))
	}
	p.Data.(*receiptCheckPage).Valid = body
	return p, nil
}

type checkIn struct {
	Text string         `param:"receipt" text:"any"`
	File *params.Upload `param:"file"`
}

func (s *room) checkReceipt(ctx context.Context, who *access.Caller, in checkIn) (endpoint.Drawing, error) {
	text := []byte(in.Text)
	if in.File != nil && in.File.Size > 0 {
		var err error
		if text, err = readReceipt(in.File); err != nil {
			return nil, err
		}
	}
	p, keys, err := s.receiptPage(ctx, who, string(text))
	switch {
	case err != nil:
		return nil, err
	case len(text) == 0:
		return s.Again(p, fault.New(fault.Invalid, "%s", s.Word("receipt-check.empty")))
	case len(text) > mostReceipt:
		p.Data.(*receiptCheckPage).Text = ""
		return s.Again(p, fault.New(fault.Invalid, "%s", s.Word("receipt-check.long")))
	}
	return s.verified(p, keys, text, nil)
}

func readReceipt(u *params.Upload) ([]byte, error) {
	f, err := u.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostReceipt+1))
}
