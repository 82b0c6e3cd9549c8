// Package clib is what Go packages that cudagen library generates call: it opens a C library, checks arguments, and calls
// C functions without cgo and without allocating.
//
// Programs call the generated packages. What they see of this package is Error, and the names of environment variables
// that say where a library is: CUDAGEN_LIB and the name of the library in capitals, CUDAGEN_LIBCUBLAS,
// with _ for what is no letter and no digit.
//
// docs/libraries.md tells how a library is wrapped.
package clib
