package cu

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A toolkit is the folders of CUDA's own headers, with a slash at their ends; none when these are not included.
type toolkit []string

// toolkitOf returns the folders of CUDA's own headers, with a slash at their ends, if these are among the
// headers that were found. CCCL's may be a copy of the user's.
func toolkitOf(headers []string) (folders toolkit) {
	for _, header := range headers {
		for _, own := range toolkitHeaders {
			if root, ok := strings.CutSuffix(filepath.ToSlash(header), own.header); ok && (root == "" || strings.HasSuffix(root, "/")) {
				for _, folder := range own.folders {
					folders = append(folders, root+folder)
				}
			}
		}
	}
	return folders
}

// toolkitHeaders has the headers by which the folders of CUDA's own headers are known, which are in the
// folder that an #include names the header from.
var toolkitHeaders = []struct {
	header  string
	folders []string
}{
	{"crt/host_defines.h", []string{""}},
	{"cuda/std/__cccl/version.h", []string{"cuda/", "nv/"}},
	{"cub/version.cuh", []string{"cub/"}},
	{"thrust/version.h", []string{"thrust/"}},
}

// has reports whether at is in one of CUDA's own headers.
func (t toolkit) has(at lex.Place) bool {
	if len(t) == 0 {
		return false
	}
	name := filepath.ToSlash(at.File().Name)
	return slices.ContainsFunc(t, func(folder string) bool { return strings.HasPrefix(name, folder) })
}

// stands returns e, or, when e is what CUDA's own headers declare as name, and these are
// among the included ones, the type that the name stands for without them: generated Go has
// the same types, whether a -I finds the headers or not.
func (t toolkit) stands(name string, e *entity) *entity {
	if e == nil || e.typ == nil || e.at.Origin == nil || !t.has(e.at) {
		return e
	}
	known := ctype.Known(name)
	if known == nil {
		return e
	}
	switch ctype.Unqualified(known).(type) {
	case *ctype.Vector, *ctype.Library:
		return &entity{typ: known, at: e.at, depends: e.depends}
	}
	return e
}
