package house

import (
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
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

// tangled are the packages below runtime/sim of which more than half of the files are one circle.
var tangled = []string{"runtime/sim/internal/simd"}

// Of the files of a package, at most half are a circle, in which each uses all others, by way of others or not: a reader can begin
// somewhere.
func TestCirclesOfFiles(t *testing.T) {
	testenv.Need(t, testenv.Go)
	const module = "github.com/cudagen/cudagen/"
	loaded, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, "./runtime/sim/...")
	require.NoError(t, err)
	var found []string
	for _, pkg := range loaded {
		require.Empty(t, pkg.Errors, pkg.PkgPath)
		uses := usesOfFiles(pkg)
		if circle := largestCircle(uses); len(uses) > fewFiles && 2*len(circle) > len(uses) {
			name := strings.TrimPrefix(pkg.PkgPath, module)
			found = append(found, name)
			if !slices.Contains(tangled, name) {
				t.Errorf("%s: %d of %d files are a circle: move a declaration to the file that needs it, or what needs least of the others into a package: %s",
					name, len(circle), len(uses), strings.Join(circle, " "))
			}
		}
	}
	assert.ElementsMatch(t, tangled, found, "the list is current")
}

func TestLargestCircle(t *testing.T) {
	uses := map[string]map[string]bool{"a": {"b": true}, "b": {"c": true}, "c": {"b": true, "d": true}, "d": {"e": true}, "e": nil}
	assert.Equal(t, []string{"b", "c"}, largestCircle(uses))
	uses["e"] = map[string]bool{"b": true}
	assert.Equal(t, []string{"b", "c", "d", "e"}, largestCircle(uses))
	assert.Empty(t, largestCircle(map[string]map[string]bool{"a": {"b": true}, "b": nil}))
}

// usesOfFiles returns for each file with declarations the others of its package whose identifiers it mentions.
func usesOfFiles(pkg *packages.Package) map[string]map[string]bool {
	base := func(at token.Pos) string { return filepath.Base(pkg.Fset.File(at).Name()) }
	uses := make(map[string]map[string]bool)
	for _, file := range pkg.Syntax {
		if len(file.Decls) > 0 {
			uses[base(file.Pos())] = make(map[string]bool)
		}
	}
	for name, object := range pkg.TypesInfo.Uses {
		if _, imported := object.(*types.PkgName); imported || object.Pkg() != pkg.Types {
			continue
		}
		if user, used := base(name.Pos()), base(object.Pos()); user != used {
			uses[user][used] = true
		}
	}
	return uses
}

// largestCircle returns the most files that reach each other, sorted, or nothing if no two do.
func largestCircle(uses map[string]map[string]bool) (largest []string) {
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
