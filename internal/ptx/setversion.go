package ptx

import (
	"bytes"
	"fmt"
	"slices"
)

// SetVersion returns text with v in its .version directive; all other bytes stay the
// same. It returns an error, with a position in filename, if the directive is missing.
//
// PTX ISA, PTX Module Directives: .version.
func SetVersion(filename string, text []byte, v Version) ([]byte, error) {
	p := &parser{m: &Module{}}
	p.scan = scan{file: filename, src: string(bytes.TrimRight(text, "\x00")), line: 1, report: p.report}
	var begin, end int
	p.attempt(func() {
		p.next()
		if p.tok.kind != dotted || p.tok.text != "version" {
			p.fail(p.tok.pos, "found %v, want .version: every PTX module begins with it", p.tok)
		}
		p.next()
		if p.tok.kind != number {
			p.fail(p.tok.pos, "found %v, want a version such as 9.0", p.tok)
		}
		begin, end = p.tok.pos.Offset, p.tok.end
	})
	if len(p.errs) > 0 {
		return nil, p.errs[0]
	}
	return slices.Concat(text[:begin], fmt.Append(nil, v), text[end:]), nil
}
