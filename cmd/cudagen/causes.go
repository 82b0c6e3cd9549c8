package main

import (
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
)

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
		if e.Part == "" {
			causes = append(causes, e)
			continue
		}
		k := key{e.Pos.Filename, e.Text}
		if at, seen := first[k]; seen {
			more.Add(e.Pos, e.Code.Errorf("for the same reason as %s in line %d", at.kernel, at.line).About(e.Name))
			continue
		}
		first[k] = place{e.Name, e.Pos.Line}
		causes = append(causes, e)
	}
	return slices.Concat(causes, more)
}
