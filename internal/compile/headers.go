package compile

import (
	"cmp"
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
		if strings.Contains(w.Text, separateVariable) || strings.Contains(w.Text, "is treated as a static definition") {
			w.Code = diag.Linking
			w.Add(advice("it is not the variable of another file", diag.Do("name the file that defines it with -dlink")))
		}
	}
}

// advice returns what is added to a compiler's message.
func advice(why string, remedy diag.Remedy) diag.Message {
	return diag.Message{Text: "; " + why + ": " + remedy.Error(), Remedy: remedy}
}

// MissingHeader returns the header that a compiler's message says it does not find, as #include names
// it; "" for other messages.
func MissingHeader(message string) string {
	if m := missingHeader.FindStringSubmatch(message); m != nil {
		return m[1] + m[2] + m[3] + m[4]
	}
	return ""
}

// LibraryHint returns what to add to a message about a missing header, if a library of the CUDA toolkit
// has it. The remedy is for the libraries called names.
func LibraryHint(header string, names ...string) diag.Message {
	library, found := cudalibs.OfHeader(header)
	if !found {
		return diag.Message{}
	}
	return advice("it belongs to the CUDA toolkit's library "+library.Name,
		diag.Do("run %s, or install the library for your toolkit", diag.Call("toolchain install -with "+cmp.Or(strings.Join(names, ","), library.Name))))
}

// Finds reports whether c finds the header that #include names with name in a folder of its own, or in one
// of the system's.
func Finds(c Compiler, name string) bool {
	return slices.ContainsFunc(slices.Concat(HeaderFolders(c), hostFolders(c)), func(folder string) bool {
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		return err == nil && !info.IsDir()
	})
}

// hostFolders returns where c looks for headers that are not its own.
func hostFolders(c Compiler) []string {
	if _, rtc := c.(*nvrtc); rtc {
		return nil
	}
	return systemFolders()
}

// HeaderFolders returns the folders with headers that belong to c.
func HeaderFolders(c Compiler) (folders []string) {
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
	case *nvrtc:
		folders = c.location.IncludeDirs()
	}
	return folders
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

// JoinLibraries makes the messages of list that want libraries of the toolkit installed want all of them at
// once.
func JoinLibraries(list diag.List) {
	var names []string
	var wanting diag.List
	for _, e := range list {
		header := MissingHeader(e.Text)
		if library, found := cudalibs.OfHeader(header); found && e.Remedy == LibraryHint(header).Remedy {
			wanting = append(wanting, e)
			if !slices.Contains(names, library.Name) {
				names = append(names, library.Name)
			}
		}
	}
	for _, e := range wanting {
		e.Aside, e.Remedy = "", diag.Remedy{}
		e.Add(LibraryHint(MissingHeader(e.Text), names...))
	}
}
