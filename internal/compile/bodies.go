package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// declared compiles unit for its debug information without the bodies of kernels, which nvcc translates in many
// times the time of all else. Out of preprocessed source nothing but bodies goes. It reports whether that could be
// done: another preprocessor than gcc's cannot be told that a source is preprocessed.
//
// GCC, Preprocessor Options: -fpreprocessed. NVIDIA CUDA Compiler Driver NVCC, --preprocess.
func (c *nvcc) declared(ctx context.Context, unit *unit, temp string, out *Output) (done bool, err error) {
	req := unit.request
	input, err := unit.write(temp)
	if err != nil {
		return false, err
	}
	marker := filepath.Join(temp, "gcc.h")
	if err := os.WriteFile(marker, []byte(byGCC), 0o600); err != nil {
		return false, fmt.Errorf("compiling %s: %w", req.Source, err)
	}
	output := filepath.Join(temp, "out.ii")
	arch := unit.target.virtual() // -arch alone has no macros of what one architecture has: compute_90a
	phase := []string{"-E", "-gencode", "arch=" + arch + ",code=" + arch}
	log, err := c.runTraced(ctx, req, unit.dir, temp, slices.Concat(phase, c.sourceFlags(unit), []string{"-o", output, "-keep-dir", temp, "-include", marker}, input))
	if err != nil && !req.DryRun {
		return false, nil // compiling says what is wrong
	}
	source := filepath.Join(temp, filepath.Base(unit.name))
	var preprocessed []byte
	if !req.DryRun {
		preprocessed, err = c.output(output, req.Source, log)
		if err != nil || !bytes.Contains(preprocessed, []byte("\n"+gccPragma+"\n")) {
			return false, err
		}
		cut, bodies := withoutBodies(bytes.Replace(preprocessed, []byte(gccPragma), nil, 1))
		if bodies == 0 {
			return false, nil
		}
		if err := os.WriteFile(source, cut, 0o600); err != nil {
			return false, fmt.Errorf("compiling %s: %w", req.Source, err)
		}
	}
	out.Declared = true
	args := slices.Concat(c.ptxFlags(unit), []string{"-Xcompiler", "-fpreprocessed"})
	nothing := includeReport{args: func(temp string) []string { return []string{"-keep-dir", temp} }, names: func(string) ([]string, error) { return begun(preprocessed), nil }}
	return true, c.compileInput(ctx, unit, args, []string{source}, temp, nothing, unit.position, out)
}

const (
	gccPragma = "#pragma cudagen gcc"
	byGCC     = "#if defined __GNUC__ && !defined __clang__\n" + gccPragma + "\n#endif\n"
)

// withoutBodies returns preprocessed C++ with empty bodies in place of those of kernels, and how many that are. Lines keep
// their numbers. What may be something else, or mean something outside, is left: a brace that
// does not follow the parameters, and pragmas other than those of loops. A kernel returns void, so that no type depends on
// its body, but for what instances of templates that are made there define: friends that a constant or the type of a
// result was declared for. Where there may be such a friend, all is left.
//
// CUDA C++ Programming Guide, __global__. C++ standard, [temp.inst]: the friends of a class template.
func withoutBodies(text []byte) (cut []byte, bodies int) {
	done := 0
	friends := friendFunctions{declared: make(map[string]bool), defined: make(map[string]bool)}
	for i := 0; i < len(text); {
		word, end := cutToken(text, i)
		friends.read(string(word), text[i:end])
		if i = end; string(word) != "__attribute__" || !bytes.HasPrefix(text[i:], []byte("((global))")) {
			continue
		}
		begin, end, ok := kernelBody(text, i+len("((global))"))
		if !ok {
			continue
		}
		cut = append(append(cut, text[done:begin]...), '{')
		for line := range bytes.Lines(text[begin:end]) {
			if isMarker(line) {
				cut = append(cut, line...)
			} else if bytes.HasSuffix(line, []byte("\n")) {
				cut = append(cut, '\n')
			}
		}
		cut = append(cut, '}')
		i, done = end, end
		bodies++
	}
	if friends.meet() {
		return text, 0
	}
	return append(cut, text[done:]...), bodies
}

// friendFunctions are the names of the friends that are declared for a constant or the type of a result, but not
// in headers of the system, and of those that are defined as friends.
type friendFunctions struct {
	declared, defined map[string]bool

	statement statement
	system    bool // the text is of a header of the system
}

// A statement is what a declaration has, as far as it was read.
type statement struct {
	friend, constant, body bool
	names                  []string // in front of parentheses
	last                   string   // word, or an operator with its name so far
	enclosed               string   // the word before the last )
}

// read reads a token, which is text.
func (f *friendFunctions) read(word string, text []byte) {
	s := &f.statement
	switch word {
	case "":
		return
	case "#":
		if isMarker(text) {
			_, flags, _ := bytes.Cut(text[bytes.IndexByte(text, '"')+1:], []byte(`"`))
			f.system = bytes.Contains(flags, []byte("3"))
		}
		return
	case "friend":
		s.friend = true
	case "constexpr", "consteval", "auto":
		s.constant = true
	case "default", "delete":
		s.body = true
	case "(":
		if s.last == ")" { // a name may be in parentheses
			s.names = append(s.names, s.enclosed)
		}
		s.names = append(s.names, s.last)
	case ")":
		s.enclosed = s.last
	case ";", "{", "}":
		if s.friend && word == "{" {
			f.add(f.defined)
		} else if s.friend && word == ";" && s.constant && !s.body && !f.system {
			f.add(f.declared)
		}
		*s = statement{}
		return
	}
	if strings.HasPrefix(s.last, "operator") && word != "(" {
		word = s.last + word
	}
	s.last = word
}

// add adds the names of the statement to a set: the one of the function is among them.
func (f *friendFunctions) add(names map[string]bool) {
	for _, name := range f.statement.names {
		switch name {
		case "decltype", "__attribute__", "noexcept", "alignas", "requires", "(", ")", "__declspec", "explicit", "sizeof":
		default:
			names[name] = true
		}
	}
}

// meet reports whether a friend that is declared may be one that an instance defines.
func (f *friendFunctions) meet() bool {
	for name := range f.declared {
		if f.defined[name] {
			return true
		}
	}
	return false
}

// kernelBody returns where the body of the function is whose declaration goes on at text[i:], if it has
// one that can go.
func kernelBody(text []byte, i int) (begin, end int, ok bool) {
	depth, last := 0, ""
	for i < len(text) {
		token, next := cutToken(text, i)
		switch word := string(token); word {
		case "", "#":
			i = next
			continue
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "{":
			if depth > 0 {
				break
			}
			end, ok = bodyEnd(text, next)
			return i, end, ok && (last == ")" || last == "noexcept")
		case ";", "}", "requires", "try", "->":
			if depth == 0 {
				return 0, 0, false
			}
		}
		last, i = string(token), next
	}
	return 0, 0, false
}

// bodyEnd returns the end of the body that goes on at text[i:], if that can go.
func bodyEnd(text []byte, i int) (end int, ok bool) {
	for depth := 1; i < len(text); {
		token, next := cutToken(text, i)
		switch string(token) {
		case "{":
			depth++
		case "}":
			depth--
		case "#":
			if line := text[i:next]; !isMarker(line) && !loopPragma(line) {
				return 0, false
			}
		case "_Pragma":
			return 0, false
		}
		if i = next; depth == 0 {
			return i, beginsDeclaration(text, i)
		}
	}
	return 0, false
}

// beginsDeclaration reports whether text[i:] may follow a function: behind the braces of an expression comes an operator.
func beginsDeclaration(text []byte, i int) bool {
	for i < len(text) {
		token, next := cutToken(text, i)
		if len(token) > 0 && token[0] != '#' {
			return isWordByte(token[0]) || token[0] == '}' || token[0] == ';' || bytes.HasPrefix(text[i:], []byte("[["))
		}
		i = next
	}
	return true
}

// isMarker reports whether line is a line marker.
//
// GNU CPP, Preprocessor Output.
func isMarker(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("#"))
	if !ok {
		return false
	}
	_, ok = markedFile(bytes.TrimRight(rest, "\n 0123456789"))
	return ok
}

// loopPragma reports whether line is a pragma about the loop behind it.
func loopPragma(line []byte) bool {
	words := strings.Fields(strings.TrimPrefix(string(line), "#"))
	return len(words) > 1 && words[0] == "pragma" && (words[1] == "unroll" || words[1] == "nounroll" || strings.HasPrefix(words[1], "unroll("))
}

// cutToken returns the token at text[i:] and its end: a word or number, # for a whole line with a directive, a literal
// as its quote, or one byte; nothing for white space. The text is preprocessed: it has no comments.
//
// C++ standard, [lex.pptoken].
func cutToken(text []byte, i int) (token []byte, end int) {
	switch c := text[i]; {
	case c == '#' && lineBegins(text, i):
		return text[i : i+1], min(indexFrom(text, i, "\n")+1, len(text))
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f':
		return nil, i + 1
	case c == '"' || c == '\'':
		return text[i : i+1], endOfLiteral(text, i)
	case isWordByte(c):
		number := '0' <= c && c <= '9'
		for end = i + 1; end < len(text) && (isWordByte(text[end]) || number && text[end] == '\'' && end+1 < len(text) && isWordByte(text[end+1])); {
			end++
		}
		if rawPrefixes[string(text[i:end])] && end < len(text) && text[end] == '"' {
			open := indexFrom(text, end, "(")
			return text[i:end], min(indexFrom(text, open, ")"+string(text[end+1:open])+`"`)+open-end+1, len(text))
		}
		return text[i:end], end
	case c == '-' && i+1 < len(text) && text[i+1] == '>':
		return text[i : i+2], i + 2
	}
	return text[i : i+1], i + 1
}

// rawPrefixes stand in front of raw strings. C++ standard, [lex.string].
var rawPrefixes = map[string]bool{"R": true, "u8R": true, "uR": true, "UR": true, "LR": true}

// endOfLiteral returns the end of the string or character literal at text[i].
func endOfLiteral(text []byte, i int) int {
	for at := i + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case text[i]:
			return at + 1
		case '\n':
			return at
		}
	}
	return len(text)
}

// lineBegins reports whether nothing but blanks stands in front of text[i] in its line.
func lineBegins(text []byte, i int) bool {
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return i == 0 || text[i-1] == '\n'
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
