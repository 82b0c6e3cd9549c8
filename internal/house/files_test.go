package house

import (
	"fmt"
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
	"golang.org/x/tools/go/packages"

	"github.com/cudagen/cudagen/internal/testenv"
)

// fewFiles is how many files a package of one subject has: they may use each other as they like.
const fewFiles = 4

// Of the files of a package, at most half are a circle, in which each uses all others, by way of others or not: a reader can begin
// somewhere.
func TestCirclesOfFiles(t *testing.T) {
	for _, pkg := range packagesOf(t, "./runtime/cuda/...", "./runtime/sim/...") {
		uses := usesOfFiles(pkg)
		circle := largestCircle(uses)
		assert.True(t, len(uses) <= fewFiles || 2*len(circle) <= len(uses), "%s: %d of %d files are a circle: move a declaration to the file that needs it, or what needs least of the others into a package: %s",
			pkg.PkgPath, len(circle), len(uses), strings.Join(circle, " "))
	}
}

func TestLargestCircle(t *testing.T) {
	uses := fileUses{"a": {"b": "x"}, "b": {"c": "x"}, "c": {"b": "x", "d": "x"}, "d": {"e": "x"}, "e": nil}
	assert.Equal(t, []string{"b", "c"}, largestCircle(uses))
	uses["e"] = map[string]string{"b": "x"}
	assert.Equal(t, []string{"b", "c", "d", "e"}, largestCircle(uses))
	assert.Empty(t, largestCircle(fileUses{"a": {"b": "x"}, "b": nil}))
}

// The files of the package use those of their own layer and of earlier ones, as the package comment lists them.
func TestFilesAreLayered(t *testing.T) {
	pkg := packagesOf(t, "./gen/internal/cu")[0]
	uses, comment := usesOfFiles(pkg), ""
	for _, file := range pkg.Syntax {
		comment += file.Doc.Text()
	}
	var layers [][]string
	for _, item := range regexp.MustCompile(`(?m)^ +- [^:]+:((?: +\w+,?|\n)+)`).FindAllStringSubmatch(comment, -1) {
		layers = append(layers, regexp.MustCompile(`\w+`).FindAllString(item[1], -1))
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(uses)), slices.Concat(layers...), "each file is in one layer")
	assert.Empty(t, usesOfLater(uses, layers), "files use what stands in a later layer")
	slices.Reverse(layers)
	assert.NotEmpty(t, usesOfLater(uses, layers), "a control")
}

// usesOfLater returns what files use of files in later layers.
func usesOfLater(uses fileUses, layers [][]string) (list []string) {
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

// packagesOf returns the packages that match patterns, with their types.
func packagesOf(t *testing.T, patterns ...string) []*packages.Package {
	testenv.Need(t, testenv.Go)
	loaded, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, patterns...)
	require.NoError(t, err)
	require.NotEmpty(t, loaded)
	for _, pkg := range loaded {
		require.Empty(t, pkg.Errors, pkg.PkgPath)
	}
	return loaded
}

// fileUses has for each file of a package those that it uses, with a name that it uses of them. File names have no ends.
type fileUses map[string]map[string]string

// usesOfFiles returns for each file with declarations the others of its package whose identifiers it mentions.
func usesOfFiles(pkg *packages.Package) fileUses {
	base := func(at token.Pos) string { return strings.TrimSuffix(filepath.Base(pkg.Fset.File(at).Name()), ".go") }
	uses := make(fileUses)
	for _, file := range pkg.Syntax {
		if len(file.Decls) > 0 {
			uses[base(file.Pos())] = make(map[string]string)
		}
	}
	for name, object := range pkg.TypesInfo.Uses {
		if _, imported := object.(*types.PkgName); imported || object.Pkg() != pkg.Types {
			continue
		}
		if user, used := base(name.Pos()), base(object.Pos()); user != used {
			uses[user][used] = name.Name
		}
	}
	return uses
}

// largestCircle returns the most files that reach each other, sorted, or nothing if no two do.
func largestCircle(uses fileUses) (largest []string) {
	reached := make(map[string]map[string]bool)
	for file := range uses {
		seen := make(map[string]bool)
		var visit func(string)
		visit = func(from string) {
			for to := range uses[from] {
				if !seen[to] {
					seen[to] = true
					visit(to)
				}
			}
		}
		visit(file)
		reached[file] = seen
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		var circle []string
		for _, other := range slices.Sorted(maps.Keys(reached[file])) {
			if reached[other][file] {
				circle = append(circle, other)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	return largest
}
