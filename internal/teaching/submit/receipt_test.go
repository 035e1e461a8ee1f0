package submit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/ground/canonical"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func newSigner(t testing.TB) (*Signer, *KeySet) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Signer{keyID(public), private}, &KeySet{Former: []PublicKey{{ID: keyID(public),
		Key: base64.StdEncoding.EncodeToString(public)}}}
}

func sampleBody(t *rapid.T) ReceiptBody {
	const most = 1<<53 - 1 // of what a receipt can hold
	text, whole := rapid.String(), rapid.Int64Range(-most, most)
	b := ReceiptBody{Type: receiptType, Service: text.Draw(t, "service"),
		Unit: ReceiptUnit{whole.Draw(t, "unit"), text.Draw(t, "code")},
		Task: ReceiptTask{1, 2, text.Draw(t, "abbr"), text.Draw(t, "name")}, Student: text.Draw(t, "student"),
		Group:       []int64{},
		SubmittedAt: clock.At(time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0)), Sequence: rapid.Int64Range(1,
			most).Draw(t,
			"sequence"), Files: []ReceiptFile{}}
	for range rapid.IntRange(0, 3).Draw(t, "files") {
		b.Files = append(b.Files, ReceiptFile{"file0", text.Draw(t, "file"), text.Draw(t, "sum"),
			whole.Draw(t, "size")})
	}
	return b
}

// A receipt survives every way of writing the same JSON, and no change of it.
func TestReceiptsCannotBeChanged(t *testing.T) {
	s, keys := newSigner(t)
	rapid.Check(t, func(t *rapid.T) {
		r, err := s.sign(sampleBody(t))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(map[string]any{"receipt": r, "task_id": 7}, "  ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(text, keys); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		var tree map[string]any
		d := json.NewDecoder(bytes.NewReader(r.Body))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"service", "unit", "task", "project_id", "student", "submitted_at", "files",
			"sequence", "previous", "group", "type"}).Draw(t, "changed")
		tree[name] = "another"
		forged := *r
		forged.Body, _ = json.Marshal(tree)
		data, _ := json.Marshal(forged)
		if _, err := Verify(data, keys); !errors.Is(err, ErrForged) {
			t.Fatalf("%s changed: %v", name, err)
		}
		delete(tree, name)
		forged.Body, _ = json.Marshal(tree)
		if data, _ = json.Marshal(forged); err == nil {
			_, err = Verify(data, keys)
		}
		if !errors.Is(err, ErrForged) {
			t.Fatalf("%s left out: %v", name, err)
		}
	})
}

func TestOtherKeysProveNothing(t *testing.T) {
	s, keys := newSigner(t)
	_, others := newSigner(t)
	r, err := s.sign(ReceiptBody{Type: receiptType, Files: []ReceiptFile{}, Group: []int64{}})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(r)
	if _, err := Verify(text, others); err == nil {
		t.Error("a key that did not sign it says it is genuine")
	}
	// A forger who names his own key as ours.
	liar := *others
	liar.Former[0].ID = keys.Former[0].ID
	if _, err := Verify(text, &liar); err == nil {
		t.Error("the name of a key was believed")
	}
	wrongHash := *r
	wrongHash.Hash = strings.Repeat("0", 64)
	if data, _ := json.Marshal(wrongHash); err == nil {
		if _, err := Verify(data, keys); err == nil {
			t.Error("a wrong hash passed")
		}
	}
	for _, bad := range []string{"", "{}", "[]", `{"body":1.5,"key_id":"` + s.id + `"}`, `{"body":{}}`,
		`{"body":{"type":"x"},"signature":"!","key_id":"` + s.id + `"}`} {
		if _, err := Verify([]byte(bad), keys); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

// A body in its canonical form stays as it is.
func TestCanonicalBodyIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := json.Marshal(sampleBody(t))
		once, err := canonical.JSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := canonical.JSON(once); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
	})
}

// Many instances that need a key for the first time agree on one.
func TestOneKeyIsMade(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ids := make([]string, 8)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				s, err := NewKeys(d, nil).Signer(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = s.id
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Errorf("keys %v", ids)
			}
		}
		set, err := PublicKeys(t.Context(), d.Pool())
		if err != nil || set.Current == nil || set.Current.ID != ids[0] || len(set.Former) != 0 {
			t.Errorf("%v: %+v", err, set)
		}
	})
}

// A key given by file takes over, and goes again; what each signed stays provable.
func TestKeysChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, given, _ := ed25519.GenerateKey(rand.Reader)
		var receipts [][]byte
		for i, k := range []ed25519.PrivateKey{nil, given, given, nil, given} {
			s, err := NewKeys(d, k).Signer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.sign(ReceiptBody{Type: receiptType, Sequence: int64(i)})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(r)
			receipts = append(receipts, text)
		}
		set, err := PublicKeys(t.Context(), d.Pool())
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Former) != 2 || set.Current.ID != keyID(given.Public().(ed25519.PublicKey)) {
			t.Errorf("keys %+v", set)
		}
		served, _ := json.Marshal(set)
		keys, err := ParseKeys(served)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range receipts {
			if _, err := Verify(r, keys); err != nil {
				t.Errorf("receipt %d: %v", i, err)
			}
		}
		if strings.Contains(string(served), "seed") {
			t.Error("the secret is served")
		}
	})
}

// A receipt that another one of its unit overtook follows that one.
func TestAReceiptFollowsWhoeverCameFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, _ := newSigner(t)
		err := d.Tx(t.Context(), func(q db.Q) error {
			unit, err := db.One[int64](t.Context(), q, `INSERT INTO units (code, name, description, start_date,
				end_date, created_at, updated_at) VALUES ('A', 'A', '', '2026-01-01', '2026-06-01', $1, $1) RETURNING id`,
				q.Now())
			if err != nil {
				return err
			}
			found, b := end{}, ReceiptBody{Unit: ReceiptUnit{ID: *unit}}
			first, err := s.extend(t.Context(), q, &b, found)
			if err != nil || first == nil || b.Sequence != 1 || b.Previous != "" {
				t.Fatalf("the first: %v, %+v", err, b)
			}
			if late, err := s.extend(t.Context(), q, &b, found); err != nil || late != nil {
				t.Errorf("a second after an end that is gone: %v, %+v", err, late)
			}
			now, err := heldEnd(t.Context(), q, *unit)
			if err != nil || now != (end{Sequence: 1, Hash: first.Hash}) {
				t.Errorf("the end is %+v, %v", now, err)
			}
			second, err := s.extend(t.Context(), q, &b, now)
			if err != nil || second == nil || b.Sequence != 2 || b.Previous != first.Hash {
				t.Errorf("the second: %v, %+v", err, b)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
