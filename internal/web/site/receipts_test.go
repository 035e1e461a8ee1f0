package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr/coding"
)

var _ = morePages(map[string][4]int{
	"GET /receipts/check":  {200, 200, 200, 200},
	"POST /receipts/check": {400, 400, 400, 400}, // there is none
})

// inked is the picture of a QR code, and its rows of black squares.
var (
	inked  = regexp.MustCompile(`<svg class="qr" viewBox="-4 -4 (\d+) \d+"[^>]*>\s*<path d="([^"]+)"/>`)
	blacks = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`)
)

// scanned reads the QR code of a page, as a phone would: bit by bit, where they stand.
func scanned(t *testing.T, text string) string {
	t.Helper()
	found := inked.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("there is no QR code")
	}
	side, black := toNumber(found[1])-8, map[[2]int]bool{}
	for _, m := range blacks.FindAllStringSubmatch(found[2], -1) {
		for i := range toNumber(m[3]) {
			black[[2]int{toNumber(m[1]) + i, toNumber(m[2])}] = true
		}
	}
	v := coding.Version((side - 17) / 4)
	plan, err := coding.NewPlan(v, coding.L, 0)
	if err != nil {
		t.Fatal(err)
	}
	bits := make([]byte, 8*plan.DataBytes)
	for y, row := range plan.Pixel {
		for x, p := range row {
			if p.Role() == coding.Data && black[[2]int{x, y}] != (p&coding.Black != 0) {
				bits[p.Offset()] = 1
			}
		}
	}
	return read(bits, v)
}

func toNumber(text string) int {
	n, _ := strconv.Atoi(text) // they are digits
	return n
}

// read gives the text of a code's bits: characters of eight bits, and digits by threes in ten.
func read(bits []byte, v coding.Version) string {
	take := func(n int) (value int) {
		for _, b := range bits[:n] {
			value = 2*value + int(b)
		}
		bits = bits[n:]
		return value
	}
	large := v > 9
	var out strings.Builder
	for {
		switch take(4) {
		case 1:
			n := take(map[bool]int{false: 10, true: map[bool]int{false: 12, true: 14}[v > 26]}[large])
			for ; n > 0; n -= 3 {
				fmt.Fprintf(&out, "%0*d", min(n, 3), take([]int{0, 4, 7, 10}[min(n, 3)]))
			}
		case 4:
			for range take(map[bool]int{false: 8, true: 16}[large]) {
				out.WriteByte(byte(take(8)))
			}
		default:
			return out.String()
		}
	}
}

// Every receipt has a QR code, which leads to its check: anybody who scans it sees what it
// proves, without an account.
func TestTheQRCodeOfAReceipt(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		at := ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303).Header().Get("Location")
		shown := ann.do(at, nil).status(200).says("Scan to check")
		ann.sound("a receipt", ann.do(at, nil))
		address := scanned(t, shown.text())
		check, ok := strings.CutPrefix(address, "http://lectern.test")
		if !ok || !strings.HasPrefix(check, "/receipts/check?r=") {
			t.Fatalf("it says %q", address)
		}
		w.do(check, nil).status(200).says("The receipt is valid").says("<bdi>ann</bdi>").says("a.go")
		w.sound("a receipt that was scanned", w.do(check, nil))
		w.do(check[:len(check)-7], nil).status(422).says("Not a valid receipt:")
		w.do("/receipts/check?r=abc", nil).status(422).says("Not a valid receipt:")
		if size := len(inked.FindStringSubmatch(shown.text())[2]); size > 40_000 {
			t.Errorf("the picture has %d bytes", size)
		}
	})
}

func TestCheckingAReceipt(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		to := ann.upload(path+"/hand-in", "application/json", url.Values{"key": {"0a1b"}}, "file0", "a<i>.go",
			"package a\n").to()
		receipt := ann.do(to+".json", nil).status(200).Body.String()
		const check = "/receipts/check"
		keys := w.do(check, nil).status(200).says("data-keys=").Body.String()
		if !strings.Contains(keys, "Ed25519") {
			t.Error("the page holds no key")
		}
		// Anybody can check it, pasted or as a file, and what it says is harmless.
		w.do(check, url.Values{"receipt": {receipt}}).status(200).says("The receipt is valid").says("<bdi>ann</bdi>").
			says("&lt;script&gt;alert(1)&lt;/script&gt;").says("a_i_.go")
		w.upload(check, "text/html", nil, "file", "receipt.json", receipt).status(200).says("The receipt is valid")
		w.do(check, url.Values{"receipt": {strings.Replace(receipt, `"student":"ann"`, `"student":"eve"`, 1)}}).
			status(422).says("the signature does not fit")
		w.do(check, url.Values{"receipt": {strings.Replace(receipt, `"key_id":"`, `"key_id":"x`, 1)}}).status(422).
			says("which is not among the given ones")
		w.do(check, url.Values{"receipt": {"<script>"}}).status(422).says("the file is not JSON").says("&lt;script&gt;")
		w.do(check, url.Values{}).status(400).says("Choose a file or paste")
		w.do(check, url.Values{"receipt": {strings.Repeat("x", 64<<10+1)}}).status(400).says("too long to be a receipt")
		w.upload(check, "text/html", nil, "file", "receipt.json", strings.Repeat("x", 64<<10+1)).status(413)
	})
}
