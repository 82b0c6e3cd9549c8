package testenv

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// Importer imports what generated Go imports, from the export data in the go command's build cache.
func Importer(fset *token.FileSet) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		name, err := exportFile(path)
		if err != nil {
			return nil, err
		}
		return os.Open(name)
	})
}

// exports are the files with the export data of packages.
var exports struct {
	sync.Mutex
	files map[string]string
}

// exportFile returns the file with the export data of a package. It asks the go command once for a
// package and those that it imports.
func exportFile(path string) (string, error) {
	exports.Lock()
	defer exports.Unlock()
	if name, ok := exports.files[path]; ok {
		return name, nil
	}
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "--", path).Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", path, err)
	}
	if exports.files == nil {
		exports.files = map[string]string{}
	}
	for line := range strings.Lines(string(out)) {
		imported, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		exports.files[imported] = name
	}
	return exports.files[path], nil
}
