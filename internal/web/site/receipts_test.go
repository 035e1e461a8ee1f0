package site_test

import (
	"net/url"
	"strings"
	"testing"
)

var _ = morePages(map[string][4]int{
	"GET /receipts/check":  {200, 200, 200, 200},
	"POST /receipts/check": {400, 400, 400, 400}, // there is none
})

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
