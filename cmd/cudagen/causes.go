package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/diag"
)

// ofParameter matches an error about a parameter of a kernel: the kernel, and what is wrong with
// the type.
var ofParameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?): parameter [^\s:]+:? (.*)$`)
})

// byCause returns errors with those last that have the cause of an earlier one of their file, such
// as a struct that several kernels take. They only name it.
func byCause(list diag.List) diag.List {
	type key struct{ file, cause string }
	type place struct {
		kernel string
		line   int
	}
	first := make(map[key]place)
	var causes, more diag.List
	for _, e := range list {
		m := ofParameter().FindStringSubmatch(e.Msg)
		if m == nil {
			causes = append(causes, e)
			continue
		}
		cause, _, _ := strings.Cut(m[2], " (-keep-going ")
		k := key{e.Pos.Filename, cause}
		if at, seen := first[k]; seen {
			more.Add(e.Pos, e.Code.Sprintf("%s: for the same reason as %s in line %d", m[1], at.kernel, at.line))
			continue
		}
		first[k] = place{m[1], e.Pos.Line}
		causes = append(causes, e)
	}
	return slices.Concat(causes, more)
}
