// Package templates shows templates: everything beside the kernels is made by those that cudagen
// brings, and by one of its own. Its tests use what they make.
package templates

//go:generate go run ../../cmd/cudagen -template builtin:mock -template builtin:bench -template builtin:markdown -template builtin:cheader -template builtin:slices -template builtin:fuzz -template names.tmpl kernels.cu
