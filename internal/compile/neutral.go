package compile

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// paths are the places on this machine whose traces neutral removes. All are
// absolute, clean and with slashes.
type paths struct {
	main     string   // another path by which .file may name the .cu file, or empty
	dirs     []string // spellings of the folder that user files are relative to
	toolkits []string // spellings of the root of the CUDA toolkit, the folder above bin
	source   string   // the .cu file, relative to dirs
}

// neutral returns ptx without what depends on where and by whom it was compiled:
//
//   - file names in .file: relative to the folder of the user, "cuda/include/…" for
//     the toolkit's headers, the base name for others, with folders as far as these tell
//     files apart; times and sizes are dropped;
//   - names that hold a hash of the source's absolute path, in the text and in the
//     strings that inlined functions are named by;
//   - the numbers of calls in comments, which NVRTC of CUDA 12 goes on counting from one
//     compilation of a process to the next.
//
// It reports false, and returns ptx as it is, when ptx has debug information: its
// strings have counted lengths and hold absolute paths.
//
// PTX ISA, Debugging Directives: .file, .loc, .section.
func neutral(ptx []byte, p paths) ([]byte, bool) {
	if debugInfo.Match(ptx) {
		return ptx, false
	}
	ptx = lineEnd.ReplaceAllLiteral(ptx, []byte("\n"))
	names := p.files(ptx)
	ptx = fileName.ReplaceAllFunc(ptx, func(line []byte) []byte {
		m := fileName.FindSubmatch(line)
		return fmt.Appendf(nil, `%s"%s"`, m[1], quote(names[cleaned(string(m[2]))]))
	})
	// CRC-32, as in nvcc, but of a path that is the same everywhere: units that are
	// linked together keep different names.
	hash := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(p.source)))
	ptx = neutralNames(ptx, hash)
	ptx = neutralCalls(ptx)
	return debugStrings.ReplaceAllFunc(ptx, func(section []byte) []byte {
		return byteList.ReplaceAllFunc(section, func(list []byte) []byte { return neutralByteList(list, hash) })
	}), true
}

var (
	lineEnd      = regexp.MustCompile(`\r+\n`)
	debugInfo    = regexp.MustCompile(`(?m)^\s*\.section\s+\.debug_info\b`)
	debugStrings = regexp.MustCompile(`(?m)^\s*\.section\s+\.debug_str\s*\{[^{}]*\}`)
	byteList     = regexp.MustCompile(`(?m)(?:^\s*\.b8\s+[0-9][0-9, \t]*\n)+`)
	callNumber   = regexp.MustCompile(`(?m)^(\s*[{}] // callseq )(\d+)`)
	fileName     = regexp.MustCompile(`(?m)^([ \t]*\.file[ \t]+\d+[ \t]+)"((?:[^"\\\n]|\\.)*)"[^\n]*$`)
)

// neutralCalls numbers the calls in comments in their order:
//
//	{ // callseq 17, 0
//	} // callseq 17
func neutralCalls(ptx []byte) []byte {
	numbers := make(map[string]int)
	return callNumber.ReplaceAllFunc(ptx, func(line []byte) []byte {
		m := callNumber.FindSubmatch(line)
		n, seen := numbers[string(m[2])]
		if !seen {
			n = len(numbers)
			numbers[string(m[2])] = n
		}
		return strconv.AppendInt(m[1], int64(n), 10)
	})
}

// files returns what the files of ptx are called, by their clean names.
func (p paths) files(ptx []byte) map[string]string {
	names, taken := make(map[string]string), make(map[string]bool)
	outside := make(map[string][]string) // by their base names
	for _, m := range fileName.FindAllSubmatch(ptx, -1) {
		name := cleaned(string(m[2]))
		if _, seen := names[name]; seen {
			continue
		}
		short, inside := p.file(name)
		if names[name] = short; !inside {
			outside[path.Base(name)] = append(outside[path.Base(name)], name)
		} else {
			taken[short] = true
		}
	}
	for _, same := range outside {
		for n := 1; ; n++ {
			told := make(map[string]bool) // apart, by the last n parts of their paths
			for _, name := range same {
				names[name] = tail(name, n)
				told[names[name]] = true
			}
			if len(told) == len(same) && !slices.ContainsFunc(same, func(name string) bool { return taken[names[name]] }) || n == maxTail {
				break
			}
		}
	}
	return names
}

// maxTail is how many parts of a path are kept at most.
const maxTail = 16

// tail returns the last n parts of a path, without what is no name.
func tail(name string, n int) string {
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool { return part == "" || part == ".." || part == "." })
	if len(parts) == 0 {
		return path.Base(name)
	}
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}

// cleaned returns a quoted name as it is compared.
func cleaned(quoted string) string { return path.Clean(filepath.ToSlash(unquote(quoted))) }

// file returns the name of a file of the user or of the toolkit; inside is false for others.
func (p paths) file(name string) (short string, inside bool) {
	if name == p.main {
		return p.source, true
	}
	for _, root := range p.toolkits {
		if below, ok := strings.CutPrefix(name, root+"/"); ok {
			// Installers put include where they like: include, targets/x86_64-linux/include.
			if _, header, ok := strings.Cut("/"+below, "/include/"); ok {
				return "cuda/include/" + header, true
			}
		}
	}
	for _, dir := range p.dirs {
		if below, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok {
			return below, true
		}
	}
	if !path.IsAbs(name) && filepath.VolumeName(name) == "" && !strings.HasPrefix(name, "../") {
		return name, true
	}
	return "", false
}

// unquote undoes quote.
func unquote(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		if code, err := strconv.ParseUint(e[1:], 8, 8); err == nil && len(e) == 4 {
			return string([]byte{byte(code)})
		}
		return e[1:]
	})
}

var escape = regexp.MustCompile(`(?s)\\(?:[0-7]{3}|.)`)

// quote writes a string as LLVM's assembly printer does: what is not printable
// ASCII in octal.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// What nvcc puts in front of the token that stands for the translation unit: in a
// C++ source name of a counted length, and in front of whole symbols with -rdc=true,
// where the length counts one underscore and the token.
var unitName = regexp.MustCompile(`([0-9]+)(_INTERNAL_|_GLOBAL__N__)|(?:__nv_static_)([0-9]+)(__)`)

// A token is HASH_LENGTH_FILE_SYMBOL, where HASH is made from the absolute path,
// FILE is the base name, LENGTH its length, and SYMBOL the first symbol that the
// unit exports. A unit that exports nothing has HASH_PROCESS there instead, the
// decimal id of the compiler's process, or HASH alone.
var (
	tokenStart = regexp.MustCompile(`^[0-9a-f]{8}_([1-9][0-9]{0,3})_`)
	tokenEnd   = regexp.MustCompile(`^_[0-9a-f]{8}(?:_([0-9]{1,10}))?`)
)

// neutralNames replaces the hashes in names by hash and process ids by 0, and
// corrects the lengths in front of them.
func neutralNames(text []byte, hash string) []byte {
	var out []byte
	for {
		m := unitName.FindSubmatchIndex(text)
		if m == nil {
			return append(out, text...)
		}
		digits, mark := m[2:4], m[4:6] // where the length is, and what follows it
		counted := mark[1] - mark[0]   // bytes of mark that the length counts
		if digits[0] < 0 {
			digits, mark, counted = m[6:8], m[8:10], 1
		}
		length := text[digits[0]:digits[1]]
		rest := text[mark[1]:]
		file := fileEnd(rest)
		if file == 0 {
			out = append(out, text[:mark[1]]...)
			text = rest
			continue
		}
		token := hash + string(rest[len(hash):file])
		end := file
		if n := noSymbol(rest, file, counted, length); n > 0 {
			token += "_" + hash + "_0"
			end = n
			old := len(strconv.Itoa(counted + n))
			length = strconv.AppendInt(bytes.Clone(length[:len(length)-old]), int64(counted+len(token)), 10)
		}
		out = append(append(out, text[:digits[0]]...), length...)
		out = append(append(out, text[mark[0]:mark[1]]...), token...)
		text = rest[end:]
	}
}

// fileEnd returns the length of HASH_LENGTH_FILE at the beginning of text, or 0.
func fileEnd(text []byte) int {
	m := tokenStart.FindSubmatch(text)
	if m == nil {
		return 0
	}
	end := len(m[0]) + number(string(m[1]))
	if end > len(text) {
		return 0
	}
	return end
}

// noSymbol returns the length of the token at the beginning of text when it has no
// SYMBOL, otherwise 0. file is where FILE ends. What follows a process id may be
// another digit: only the length of the name, the last digits of length, tells
// where it ends.
func noSymbol(text []byte, file, counted int, length []byte) int {
	m := tokenEnd.FindSubmatch(text[file:])
	if m == nil {
		return 0
	}
	shortest := file + len("_00000000")
	ends := []int{shortest}
	for n := range len(m[1]) {
		ends = append(ends, shortest+len("_0")+n)
	}
	for _, end := range ends {
		if bytes.HasSuffix(length, strconv.AppendInt(nil, int64(counted+end), 10)) {
			return end
		}
	}
	return 0
}

// bytesPerLine is how many values nvcc writes in a line of a list of bytes.
const bytesPerLine = 40

// neutralByteList applies neutralNames to names that are written as decimal bytes:
//
//	.b8 95,90,78,51,0
//
// A list that it cannot read, or need not change, is returned as it is.
func neutralByteList(list []byte, hash string) []byte {
	var text []byte
	for line := range strings.Lines(string(list)) {
		_, values, _ := strings.Cut(line, ".b8")
		for value := range strings.SplitSeq(values, ",") {
			c, err := strconv.ParseUint(strings.TrimSpace(value), 10, 8)
			if err != nil {
				return list
			}
			text = append(text, byte(c))
		}
	}
	named := neutralNames(text, hash)
	if bytes.Equal(named, text) {
		return list
	}
	var out []byte
	for i, c := range named {
		switch {
		case i == 0:
			out = append(out, ".b8 "...)
		case i%bytesPerLine == 0:
			out = append(out, "\n.b8 "...)
		default:
			out = append(out, ',')
		}
		out = strconv.AppendUint(out, uint64(c), 10)
	}
	return append(out, '\n')
}
