package compile

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/cudalibs"
	"github.com/cudagen/cudagen/internal/diag"
)

// missingHeader matches what nvcc, its host compilers and NVRTC say of a header that they do not
// find.
var missingHeader = regexp.MustCompile(`(?:cannot|could not) open source file "([^"]+)"|^([^\s:]+): No such file or directory|'([^']+)' file not found|Cannot open include file: '([^']+)'`)

// separateVariable is the number of the warning of nvcc and NVRTC for an extern variable without
// relocatable code: it is then not the variable of the other file.
const separateVariable = "#20044-D"

// explainWarnings adds to a compiler's warnings what to do.
func explainWarnings(list diag.List) {
	for _, w := range list {
		if strings.Contains(w.Msg, separateVariable) || strings.Contains(w.Msg, "is treated as a static definition") {
			w.Code = diag.Linking
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

// Finds reports whether c finds the header that #include names with name in a folder of its own, or in one
// of the system's.
func Finds(c Compiler, name string) bool {
	var folders []string
	switch c := c.(type) {
	case *nvcc:
		root := c.words[len(c.words)-1]
		if path, ok := (&search{env: c.env}).program(root); ok {
			root = path
		}
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		root = filepath.Dir(filepath.Dir(root))
		for _, pattern := range []string{"include", "include/cccl", "targets/*/include", "targets/*/include/cccl"} {
			found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
			folders = append(folders, found...)
		}
		folders = append(folders, systemFolders()...)
	case *nvrtc:
		folders = c.location.IncludeDirs()
	default:
		folders = systemFolders()
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		return err == nil && !info.IsDir()
	})
}

// systemFolders returns where the compilers of the host look for headers, too.
func systemFolders() []string {
	folders := []string{"/usr/local/include", "/usr/include"}
	several, _ := filepath.Glob("/usr/include/*-linux-gnu")
	folders = append(folders, several...)
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"} {
		folders = append(folders, filepath.SplitList(os.Getenv(name))...)
	}
	return folders
}

// LibraryHint returns what to add to a message about a missing header of a library of the toolkit, or "".
func LibraryHint(header string) string {
	return libraryHint(header + ": No such file or directory")
}

// JoinLibraries makes the messages of list that want libraries of the toolkit installed want all of them at
// once.
func JoinLibraries(list diag.List) {
	var names []string
	for _, e := range list {
		if m := wantedLibrary.FindStringSubmatch(e.Msg); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	for _, e := range list {
		e.Msg = wantedLibrary.ReplaceAllLiteralString(e.Msg, "toolchain install -with "+strings.Join(names, ","))
	}
}

var wantedLibrary = regexp.MustCompile(`toolchain install -with (\w+)`)
