package compile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
)

var (
	versionDirective = regexp.MustCompile(`(?m)^\.version\s+\d+\.\d+\s*$`)
	targetDirective  = regexp.MustCompile(`(?m)^\.target\s+\w`)
	fileDirective    = regexp.MustCompile(`(?m)^\s*\.file\s+(\d+)\s+"`)
	locDirective     = regexp.MustCompile(`(?m)^\s*\.loc\s+(\d+)\s`)
)

// complete reports what is missing from a PTX that was only written in part: a
// compiler that is killed, or a disk that is full, leaves one behind.
func complete(ptx []byte) error {
	switch {
	case len(ptx) == 0:
		return errors.New("the compiler wrote an empty file")
	case !versionDirective.Match(ptx) || !targetDirective.Match(ptx):
		return errors.New("the compiler wrote no PTX: .version and .target are missing")
	case ptx[len(ptx)-1] != '\n':
		return errors.New("the compiler's output is cut off: its last line has no end")
	}
	depth := 0
	for _, c := range blankQuoted(ptx) {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	if depth != 0 {
		return errors.New("the compiler's output is cut off: its braces do not match")
	}
	files := map[string]bool{}
	for _, m := range fileDirective.FindAllSubmatch(ptx, -1) {
		files[string(m[1])] = true
	}
	for _, m := range locDirective.FindAllSubmatch(ptx, -1) {
		if !files[string(m[1])] {
			return fmt.Errorf("the compiler's output is cut off: .loc refers to file %s, which no .file names", m[1])
		}
	}
	return nil
}

// isELF reports whether a cubin is whole: its section headers, which come last, lie in it.
//
// System V ABI, Object Files: ELF Header.
func isELF(cubin []byte) bool {
	if len(cubin) < 64 || string(cubin[:4]) != "\x7fELF" {
		return false
	}
	header := binary.LittleEndian
	end := header.Uint64(cubin[40:]) + uint64(header.Uint16(cubin[58:]))*uint64(header.Uint16(cubin[60:]))
	programs := header.Uint64(cubin[32:]) + uint64(header.Uint16(cubin[54:]))*uint64(header.Uint16(cubin[56:]))
	return max(end, programs) <= uint64(len(cubin))
}

// blankQuoted returns a copy of ptx with comments and strings replaced by spaces.
func blankQuoted(ptx []byte) []byte {
	return quoted.ReplaceAllFunc(ptx, func(b []byte) []byte {
		blank := make([]byte, len(b))
		for i := range blank {
			blank[i] = ' '
		}
		return blank
	})
}

var quoted = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"`)
