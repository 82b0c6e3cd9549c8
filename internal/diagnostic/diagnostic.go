// Package diagnostic parses the errors and warnings that CUDA compilers print: nvcc, NVRTC,
// and the host compilers that nvcc runs. It runs no compiler.
package diagnostic

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The forms in which they report: NVIDIA's front end and cl.exe as
// "file(line): error #20: text", the preprocessors gcc and clang as
// "file:line:column: error: text".
var (
	frontEndMessage = regexp.MustCompile(`^(.+?)\((\d+)\): ((?:catastrophic |fatal |internal )?error|warning)(?: [#A-Z][-0-9A-Z]*)?: (.*)$`)
	hostMessage     = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)? ((?:fatal )?error|warning): (.*)$`)
)

// Parse finds the errors and warnings in a compiler's log, each once, sorted by
// position. position turns the compiler's file names into the user's.
//
// The front end gives no columns, and the marker below the line that it prints
// cannot be used: macros such as __global__ are already expanded there.
func Parse(log string, position func(file string) string) (errs, warnings scanner.ErrorList) {
	lines := strings.Split(strings.ReplaceAll(log, "\r\n", "\n"), "\n")
	for i, line := range lines {
		var pos token.Position
		var severity, text string
		if m := frontEndMessage.FindStringSubmatch(line); m != nil {
			pos = token.Position{Filename: position(m[1]), Line: number(m[2])}
			severity = m[3]
			text = strings.Join(append([]string{m[4]}, explanation(lines[i+1:])...), "; ")
		} else if m := hostMessage.FindStringSubmatch(line); m != nil {
			pos = token.Position{Filename: position(m[1]), Line: number(m[2]), Column: number(m[3])}
			severity, text = m[4], m[5]
		} else {
			continue
		}
		list := &errs
		if severity == "warning" {
			list = &warnings
		}
		// A file is read once for each target and once for the host.
		same := func(e *scanner.Error) bool { return e.Pos == pos && e.Msg == text }
		if !slices.ContainsFunc(*list, same) {
			list.Add(pos, text)
		}
	}
	errs.Sort()
	warnings.Sort()
	return errs, warnings
}

// explanation returns what the front end adds to a message in the indented lines
// below it, such as "detected during instantiation of …", without the line of
// source that it shows.
func explanation(lines []string) []string {
	var added []string
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || !strings.HasPrefix(line, "  "):
			return added
		case text == "^":
			added = added[:max(0, len(added)-1)] // the line of source above the marker
		default:
			added = append(added, text)
		}
	}
	return added
}

// number reads decimal digits; none, or too many, give 0: unknown.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
