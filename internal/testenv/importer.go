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

// Importer imports packages from the export data in the go command's build cache. It asks the go command once
// for all that are likely and what they import, and once for each other package.
func Importer(fset *token.FileSet, likely ...string) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		name, err := exportFile(path, likely)
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

// Generated are packages that generated Go imports.
var Generated = []string{"embed", "math", "structs", "github.com/cudagen/cudagen/runtime/cuda", "github.com/cudagen/cudagen/runtime/nvrtc"}

// folder is where the tests began, in this module: a test may be elsewhere when it imports a package.
var folder, _ = os.Getwd()

// exportFile returns the file with the export data of a package. If that is not known, it asks the go command
// for those of the package and of likely ones, and of all that they import.
func exportFile(path string, likely []string) (string, error) {
	exports.Lock()
	defer exports.Unlock()
	if name, ok := exports.files[path]; ok {
		return name, nil
	}
	asked := []string{path}
	for _, other := range likely {
		if _, known := exports.files[other]; !known {
			asked = append(asked, other)
		}
	}
	list := exec.Command("go", append([]string{"list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "--"}, asked...)...)
	list.Dir = folder
	out, err := list.Output()
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
