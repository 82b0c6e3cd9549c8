package compile

import (
	"bytes"
	"encoding/binary"
	"maps"
	"regexp"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
)

var (
	versionDirective = regexp.MustCompile(`(?m)^\.version\s+\d+\.\d+\s*$`)
	targetDirective  = regexp.MustCompile(`(?m)^\.target\s+\w`)
	fileDirective    = regexp.MustCompile(`^\.file\s+(\d+)\s+"`)
	locDirective     = regexp.MustCompile(`^\.loc\s+(\d+)\s`)
)

// complete reports what is missing from a PTX that was only written in part: a
// compiler that is killed, or a disk that is full, leaves one behind.
func complete(ptx []byte) error {
	switch {
	case len(ptx) == 0:
		return diag.OfCompiler.New("the compiler wrote an empty file")
	case !versionDirective.Match(ptx) || !targetDirective.Match(ptx):
		return diag.OfCompiler.New("the compiler wrote no PTX: .version and .target are missing")
	case ptx[len(ptx)-1] != '\n':
		return diag.OfCompiler.New("the compiler's output is cut off: its last line has no end")
	}
	if openBraces(ptx) != 0 {
		return diag.OfCompiler.New("the compiler's output is cut off: its braces do not match")
	}
	return filesAreNamed(ptx)
}

// filesAreNamed reports a .loc of a file that no .file names.
func filesAreNamed(ptx []byte) error {
	files, named := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(ptx) {
		line = bytes.TrimLeft(line, " \t")
		if m := locDirective.FindSubmatch(line); m != nil {
			files[string(m[1])] = true
		} else if m := fileDirective.FindSubmatch(line); m != nil {
			named[string(m[1])] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !named[file] {
			return diag.OfCompiler.Errorf("the compiler's output is cut off: .loc refers to file %s, which no .file names", file)
		}
	}
	return nil
}

// openBraces returns how many braces more are opened than closed, outside of comments and
// strings.
func openBraces(ptx []byte) int {
	depth := 0
	for i := 0; i < len(ptx); i++ {
		switch c := ptx[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '"':
			i = endOfString(ptx, i)
		case c == '/' && bytes.HasPrefix(ptx[i:], []byte("//")):
			i = indexFrom(ptx, i, "\n")
		case c == '/' && bytes.HasPrefix(ptx[i:], []byte("/*")):
			i = indexFrom(ptx, i+2, "*/") + 1
		}
	}
	return depth
}

// endOfString returns where the string that begins at ptx[from] ends, or its line.
func endOfString(ptx []byte, from int) int {
	for i := from + 1; i < len(ptx); i++ {
		switch ptx[i] {
		case '\\':
			i++
		case '"', '\n':
			return i
		}
	}
	return len(ptx)
}

// indexFrom returns where what is next found in ptx, or its length.
func indexFrom(ptx []byte, from int, what string) int {
	if from > len(ptx) {
		return len(ptx)
	}
	if i := bytes.Index(ptx[from:], []byte(what)); i >= 0 {
		return from + i
	}
	return len(ptx)
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
