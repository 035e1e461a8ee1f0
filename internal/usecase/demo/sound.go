package demo

import (
	"bytes"
	"encoding/binary"
	"math"
)

// chime gives a WAV file of a second in which a tone of so many hertz fades away.
func chime(hertz int) []byte {
	const rate = 8000
	var b bytes.Buffer
	b.WriteString("RIFF")
	head := []any{uint32(36 + 2*rate), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(rate),
		uint32(2 * rate), uint16(2), uint16(16), []byte("data"), uint32(2 * rate)}
	for _, v := range head {
		_ = binary.Write(&b, binary.LittleEndian, v) // into memory it cannot fail
	}
	for i := range rate {
		t := float64(i) / rate
		sample := int16(12000 * math.Exp(-4*t) * math.Sin(2*math.Pi*float64(hertz)*t))
		_ = binary.Write(&b, binary.LittleEndian, sample)
	}
	return b.Bytes()
}
