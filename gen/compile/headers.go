package compile

import (
	"go/scanner"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/internal/cudalibs"
)

// missingHeader matches what nvcc, its host compilers and NVRTC say of a header that they do not
// find.
var missingHeader = regexp.MustCompile(`(?:cannot|could not) open source file "([^"]+)"|^([^\s:]+): No such file or directory|'([^']+)' file not found|Cannot open include file: '([^']+)'`)

// separateVariable is the number of the warning that nvcc and NVRTC give of a variable that is
// declared extern when no other file is linked: it is another variable then than that of the other
// file.
const separateVariable = "#20044-D"

// explainWarnings adds to a compiler's warnings what to do.
func explainWarnings(list scanner.ErrorList) {
	for _, w := range list {
		if strings.Contains(w.Msg, separateVariable) || strings.Contains(w.Msg, "is treated as a static definition") {
			w.Msg += "; it is not the variable of another file: name the file that defines it with -dlink"
		}
	}
}

// MissingHeader returns the header that a compiler's message says it does not find, as #include names
// it; "" for other messages.
func MissingHeader(message string) string {
	if m := missingHeader.FindStringSubmatch(message); m != nil {
		return m[1] + m[2] + m[3] + m[4]
	}
	return ""
}

// libraryHint returns what to add to a message about a missing header of a library of the CUDA
// toolkit, or "".
func libraryHint(message string) string {
	library, found := cudalibs.OfHeader(MissingHeader(message))
	if !found {
		return ""
	}
	return "; " + library.Hint()
}
