package nvrtc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/internal/nvrtclib"
)

// An entry is what the cache keeps of a build.
type entry struct {
	sha256  string // of code, in hexadecimal
	log     string
	symbols map[string]string
	code    string
}

// encode writes an entry: strings after their lengths, the code last.
func encode(r *nvrtclib.Result) string {
	sum := sha256.Sum256(r.Code)
	var b []byte
	put := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	put(hex.EncodeToString(sum[:]))
	put(r.Log)
	b = binary.AppendUvarint(b, uint64(len(r.Symbols)))
	for _, name := range slices.Sorted(maps.Keys(r.Symbols)) {
		put(name)
		put(r.Symbols[name])
	}
	return string(b) + string(r.Code)
}

// decode reads what encode has written. Its strings share data.
func decode(data string) (entry, error) {
	d := decoder{rest: data}
	e := entry{sha256: d.text(), log: d.text()}
	n := d.number()
	if n > uint64(len(data)) {
		d.bad = true
	}
	if !d.bad {
		e.symbols = make(map[string]string, n)
	}
	for range n {
		if d.bad {
			break
		}
		name := d.text()
		e.symbols[name] = d.text()
	}
	if d.bad {
		return entry{}, errors.New("an entry of the build cache cannot be read")
	}
	e.code = d.rest
	return e, nil
}

type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) number() uint64 {
	var value uint64
	for shift := 0; shift < 64; shift += 7 {
		if d.rest == "" {
			break
		}
		c := d.rest[0]
		d.rest = d.rest[1:]
		value |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return value
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return ""
	}
	text := d.rest[:n]
	d.rest = d.rest[n:]
	return text
}
