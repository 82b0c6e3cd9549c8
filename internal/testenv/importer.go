package testenv

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
)

// Importer type-checks from source what generated Go imports. The packages have the files that they
// have without cgo: nothing here uses it, and go/build, which takes cgo to be there where the go
// command has found no C compiler, would look for what cgo makes of runtime/cgo.
func Importer(fset *token.FileSet) types.Importer {
	build.Default.CgoEnabled = false
	return importer.ForCompiler(fset, "source", nil)
}
