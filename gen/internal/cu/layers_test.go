package cu_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// The files of the package use those of their own layer and of earlier ones, as the package comment lists them.
func TestFilesAreLayered(t *testing.T) {
	testenv.Need(t, testenv.Go) // which has what the package imports
	uses, comment := fileUses(t)
	layers := listedLayers(comment)
	var listed []string
	for _, layer := range layers {
		listed = append(listed, layer...)
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(uses)), listed, "each file is in one layer")
	assert.Empty(t, usesOfLater(uses, layers), "files use what stands in a later layer")
	slices.Reverse(layers)
	assert.NotEmpty(t, usesOfLater(uses, layers), "a control")
}

// listedLayers returns the files of each layer in the list of the package comment, without the ends of their names.
func listedLayers(comment string) (layers [][]string) {
	for _, item := range regexp.MustCompile(`(?m)^ +- [^:]+:((?: +\w+,?|\n)+)`).FindAllStringSubmatch(comment, -1) {
		layers = append(layers, regexp.MustCompile(`\w+`).FindAllString(item[1], -1))
	}
	return layers
}

// usesOfLater returns what files use of files in later layers.
func usesOfLater(uses map[string]map[string]string, layers [][]string) (list []string) {
	layer := make(map[string]int)
	for i, files := range layers {
		for _, file := range files {
			layer[file] = i
		}
	}
	for file, others := range uses {
		for other, name := range others {
			if layer[other] > layer[file] {
				list = append(list, fmt.Sprintf("%s uses %s of %s", file, name, other))
			}
		}
	}
	slices.Sort(list)
	return list
}

// fileUses returns the files that each file of the package uses, with a name that it uses of them, and the package
// comment. File names have no ends.
func fileUses(t *testing.T) (uses map[string]map[string]string, comment string) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	uses = make(map[string]map[string]string)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
		if comment += file.Doc.Text(); len(file.Decls) > 0 {
			uses[strings.TrimSuffix(name, ".go")] = make(map[string]string)
		}
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: testenv.Importer(fset)}
	pkg, err := config.Check("github.com/cudagen/cudagen/gen/internal/cu", fset, files, info)
	require.NoError(t, err)
	for name, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		base := func(at token.Pos) string { return strings.TrimSuffix(fset.File(at).Name(), ".go") }
		if user, used := base(name.Pos()), base(object.Pos()); user != used {
			uses[user][used] = name.Name
		}
	}
	return uses, comment
}
