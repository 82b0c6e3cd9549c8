package compile

import (
	"regexp"

	"github.com/cudagen/cudagen/internal/cudalibs"
)

// missingHeader matches what nvcc, its host compilers and NVRTC say of a header that they do not
// find.
var missingHeader = regexp.MustCompile(`(?:cannot|could not) open source file "([^"]+)"|^([^\s:]+): No such file or directory|'([^']+)' file not found|Cannot open include file: '([^']+)'`)

// libraryHint returns what to add to a message about a missing header of a library of the CUDA
// toolkit, or "".
func libraryHint(message string) string {
	m := missingHeader.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	library, found := cudalibs.OfHeader(m[1] + m[2] + m[3] + m[4])
	if !found {
		return ""
	}
	return "; " + library.Hint()
}
