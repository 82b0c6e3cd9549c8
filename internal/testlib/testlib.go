// Package testlib is a C library for tests, with functions of every form that cudagen library wraps.
package testlib

import "embed"

//go:generate go tool cudagen library testlib.h

// Sources has the C code, in src/testlib.c.
//
//go:embed src
var Sources embed.FS
