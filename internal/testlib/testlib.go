// Package testlib is a C library for tests, with functions of every form that cudagen library wraps.
package testlib

import "embed"

//go:generate go run ../../cmd/cudagen library testlib.h

// Sources has the C code, in src/testlib.c.
//
//go:embed src
var Sources embed.FS

// sum is what a plan of several dimensions keeps.
func sum(n []int32, count int32) (total int64) {
	for _, one := range n[:count] {
		total += int64(one)
	}
	return total
}
