package trash

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// row is a row of the database by column: strings, whole numbers, truth values,
// bytes and nil, the same for both engines.
type row map[string]any

func toRow(r db.Record) row {
	out := make(row, len(r.Columns))
	for i, c := range r.Columns {
		out[c] = r.Values[i]
		if t, ok := r.Values[i].(time.Time); ok {
			out[c] = clock.At(t).String()
		}
	}
	return out
}

func (r row) id(column string) int64 {
	n, _ := r[column].(int64)
	return n
}

func (r row) text(column string) string {
	s, _ := r[column].(string)
	return s
}

// binary stands for bytes in JSON.
type binary struct {
	Base64 string `json:"base64"`
}

// encode writes a row as JSON with its columns in order.
func (r row) encode() (string, error) {
	out := make(map[string]any, len(r))
	for c, v := range r {
		if b, ok := v.([]byte); ok {
			v = binary{base64.StdEncoding.EncodeToString(b)}
		}
		out[c] = v
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func decode(text string) (row, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var r row
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("read a row that was deleted: %w", err)
	}
	for c, v := range r {
		var err error
		switch v := v.(type) {
		case json.Number:
			if r[c], err = v.Int64(); err != nil {
				r[c], err = v.Float64()
			}
		case map[string]any:
			s, _ := v["base64"].(string)
			r[c], err = base64.StdEncoding.DecodeString(s)
		}
		if err != nil {
			return nil, fmt.Errorf("read the column %s that was deleted: %w", c, err)
		}
	}
	return r, nil
}
