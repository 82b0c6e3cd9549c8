package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/cudagen/cudagen"

// The third-party modules that packages may use outside their tests.
const (
	demangle    = "github.com/ianlancetaylor/demangle"
	fsnotify    = "github.com/fsnotify/fsnotify"
	godap       = "github.com/google/go-dap"
	jennifer    = "github.com/dave/jennifer"
	levenshtein = "github.com/agnivade/levenshtein"
	pprof       = "github.com/google/pprof"         // profile alone
	gonum       = "gonum.org/v1/gonum"              // in what libraries do on simulated devices alone
	gointernal  = "github.com/rogpeppe/go-internal" // diff, lockedfile
	purego      = "github.com/ebitengine/purego"
	testify     = "github.com/stretchr/testify"
	xmod        = "golang.org/x/mod"   // modfile
	xtools      = "golang.org/x/tools" // go/analysis
)

// allowed lists, for each package of the module, what it may import outside its
// tests besides the standard library: packages of this module by their folder,
// others by their module. Imports run one way:
//
//	cmd → {gen, templates} → {read, build, proof, bind, output} → {cu, layout, compile, image, emit} → {ctype, model}
//
// A stage of generating knows the values that another hands on, not that stage.
//
// The runtime never imports the generator, nor the generator the runtime: what both
// need lies in internal. Only the command knows both, to tell of GPUs. No package uses
// cgo, and only tests import drivertest, fakecuda, fakenccl, fuzzing, gentest, messages and testenv.
var allowed = map[string][]string{
	".": {},

	"cmd/cudagen": {"gen", "gen/clib", "gen/inspect", "gen/model", "internal/buildcache", "internal/compile", "internal/cufiles", "internal/debugger", "internal/diag", "internal/doctor", "internal/explain",
		"internal/goname", "internal/leftover", "internal/source", "internal/toolchain", "runtime/cuda", "runtime/profile", "runtime/sim", "templates", "vet",
		fsnotify, levenshtein, xmod, xtools},
	"cmd/cudagen-compare": {"gen", "gen/inspect", "internal/compile"},

	"vet": {"internal/record", "internal/source", xtools},

	// What programs may import.
	"gen": {"gen/internal/bind", "gen/internal/build", "gen/internal/compare", "gen/internal/cu", "gen/internal/output",
		"gen/internal/proof", "gen/internal/read", "gen/internal/selection", "gen/model", "internal/compile", "internal/diag", "internal/ended",
		"internal/folderlock", "internal/parallel", "internal/ptx", "internal/record", "internal/source"},
	"gen/inspect": {"gen", "gen/internal/compare", "gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/image",
		"gen/internal/layout", "gen/internal/witness", "internal/diag", "internal/record"},
	"gen/clib": {"gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/layout", "gen/model", "internal/compile", "internal/diag",
		"internal/goname", "internal/leftover", "internal/record", "internal/source"},
	"gen/model": {},
	"templates": {"gen/model", "internal/diag", "internal/source", levenshtein},

	// The stages, in their order. None knows another: gen hands over values.
	"gen/internal/read": {"gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/emit", "gen/internal/image",
		"gen/internal/layout", "gen/internal/selection", "gen/model", "internal/compile", "internal/diag", "internal/goname", "internal/source"},
	"gen/internal/build": {"gen/internal/compare", "gen/internal/cu", "gen/internal/image", "gen/internal/selection", "internal/buildcache",
		"internal/compile", "internal/diag", "internal/parallel", "internal/ptx", "internal/record", "internal/source"},
	"gen/internal/proof": {"gen/internal/compare", "gen/internal/cu", "gen/internal/image", "gen/internal/layout", "gen/internal/selection",
		"gen/internal/witness", "gen/model", "internal/diag", "internal/parallel", "internal/record", "internal/source"},
	"gen/internal/bind": {"gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/emit", "gen/internal/image",
		"gen/internal/layout", "gen/internal/selection", "gen/model", "internal/compile", "internal/diag", "internal/goname", "internal/include",
		"internal/record", "internal/source", xmod},
	"gen/internal/output": {"gen/internal/emit", "gen/internal/image", "gen/internal/layout", "gen/internal/selection", "gen/model",
		"internal/diag", "internal/leftover", "internal/parallel", "internal/record", "internal/source", gointernal},

	// What they use and exchange.
	"gen/internal/compare": {"gen/internal/ctype", "gen/internal/cu", "gen/internal/image", "gen/internal/layout", "gen/internal/selection",
		"gen/internal/witness", "internal/compile", "internal/diag", "internal/ptx", "internal/record", demangle},
	"gen/internal/ctype":     {"internal/diag"},
	"gen/internal/cu":        {"gen/internal/ctype", "gen/internal/cu/lex", "internal/diag"},
	"gen/internal/cu/lex":    {"internal/diag"},
	"gen/internal/directive": {"gen/internal/ctype", "gen/internal/cu", "gen/model", "internal/diag", "internal/goname", levenshtein},
	"gen/internal/emit":      {"gen/model", "internal/goname", jennifer},
	"gen/internal/image":     {"gen/internal/ctype", "internal/diag", "internal/ptx", "internal/source", demangle, levenshtein},
	"gen/internal/layout":    {"gen/internal/ctype", "gen/model", "internal/diag"},
	"gen/internal/selection": {"gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/image",
		"gen/internal/layout", "gen/internal/witness", "gen/model", "internal/diag", "internal/source"},
	"gen/internal/witness": {"internal/diag", "internal/ptx", "internal/ptxdebug"},

	// What tests of several stages share.
	"gen/internal/gentest": {"gen", "gen/internal/ctype", "gen/internal/cu", "gen/internal/directive", "gen/internal/layout",
		"internal/compile", "internal/testenv", testify},

	// What the commands and tests use, too.
	"internal/compile": {"internal/cudalibs", "internal/diag", "internal/leftover", "internal/nvrtclib", "internal/toolchaindir",
		levenshtein},
	"internal/cufiles":   {"internal/diag", "internal/include", "internal/record", "internal/source"},
	"internal/debugexpr": {"internal/ptxdebug"},
	"internal/debugger": {"gen", "internal/debugexpr", "internal/debugwire", "internal/diag", "internal/leftover", "internal/ptx", "internal/ptxdebug", "internal/record",
		godap, levenshtein},
	"internal/debugwire": {},
	"internal/ptxdebug":  {"internal/diag", demangle},
	"internal/doctor":    {"internal/buildcache", "internal/compile", "internal/leftover"},
	"internal/explain":   {"internal/diag"},
	"internal/goname":    {},
	"internal/record":    {"internal/diag", "internal/fresh", "internal/include", "internal/source"},
	"internal/source":    {"internal/diag", "internal/fresh", "internal/goname"},
	"internal/toolchain": {"internal/compile", "internal/cudalibs", "internal/diag", "internal/toolchaindir", "internal/wheels", gointernal, levenshtein},

	"docs/picture": {},

	"runtime/cuda": {"internal/ended", "internal/fresh", "runtime/cuda/internal/dot", "runtime/cuda/internal/element", "runtime/cuda/internal/extent",
		"runtime/cuda/internal/fill", "runtime/cuda/internal/hostcopy", "runtime/cuda/internal/image", "runtime/cuda/internal/inuse",
		"runtime/cuda/internal/ipc", "runtime/cuda/internal/mapping", "runtime/cuda/internal/measure", "runtime/cuda/internal/params",
		"runtime/cuda/internal/sizes", "runtime/cuda/internal/stale", "runtime/cuda/internal/tensordesc", "runtime/cuda/tensormap", "runtime/cuda/vec",
		"runtime/internal/ccall", "runtime/internal/driver", "runtime/internal/goroutine", "runtime/internal/leak", "runtime/internal/libcuda",
		"runtime/internal/tracefile", "runtime/internal/watched"},
	"runtime/cuda/internal/dot":        {},
	"runtime/cuda/internal/element":    {"runtime/cuda/vec", "runtime/internal/driver"},
	"runtime/cuda/internal/extent":     {},
	"runtime/cuda/internal/fill":       {},
	"runtime/cuda/internal/hostcopy":   {},
	"runtime/cuda/internal/image":      {"internal/ptx"},
	"runtime/cuda/internal/inuse":      {},
	"runtime/cuda/internal/ipc":        {"runtime/internal/driver"},
	"runtime/cuda/internal/mapping":    {},
	"runtime/cuda/internal/measure":    {"runtime/internal/driver", "runtime/internal/tracefile"},
	"runtime/cuda/internal/params":     {"runtime/cuda/internal/element", "runtime/cuda/internal/image", "runtime/internal/driver"},
	"runtime/cuda/internal/sizes":      {},
	"runtime/cuda/internal/stale":      {"internal/fresh"},
	"runtime/cuda/internal/tensordesc": {"runtime/cuda/internal/extent", "runtime/cuda/tensormap", "runtime/cuda/vec", "runtime/internal/driver"},
	"runtime/cuda/tensormap":           {},

	"runtime/cuda/vec":           {},
	"runtime/clib":               {"internal/dynlib", "internal/nvrtclib", "runtime/cuda", "runtime/internal/ccall"},
	"runtime/clib/hostwork":      {"runtime/cuda"},
	"runtime/cublas/simulated":   {"runtime/clib", "runtime/clib/hostwork", "runtime/cublas", "runtime/cuda", "runtime/cuda/vec", gonum},
	"runtime/cufft/simulated":    {"runtime/clib/hostwork", "runtime/cuda", "runtime/cufft", gonum},
	"runtime/cublas":             {"runtime/clib", "runtime/cuda", "runtime/cuda/vec"},
	"runtime/cublaslt":           {"runtime/clib", "runtime/cuda"},
	"runtime/curand/simulated":   {"runtime/clib", "runtime/clib/hostwork", "runtime/cuda", "runtime/curand"},
	"runtime/cufft":              {"runtime/clib", "runtime/cuda"},
	"runtime/curand":             {"runtime/clib", "runtime/cuda"},
	"runtime/cusolver":           {"runtime/clib", "runtime/cuda"},
	"runtime/cusparse":           {"runtime/clib", "runtime/cuda", "runtime/cuda/vec"},
	"runtime/cusparse/simulated": {"runtime/clib", "runtime/clib/hostwork", "runtime/cuda", "runtime/cusparse"},
	"runtime/cusolver/simulated": {"runtime/clib", "runtime/clib/hostwork", "runtime/cuda", "runtime/cusolver"},
	"runtime/link":               {"internal/ended", "internal/jitlinklib", "internal/ptx", "runtime/cuda"},
	"runtime/nccl":               {"internal/ended", "runtime/cuda", "runtime/cuda/vec", purego},
	"runtime/nvrtc":              {"internal/buildcache", "internal/include", "internal/nvrtclib", "runtime/cuda"},
	"runtime/sim": {
		"runtime/internal/driver", "runtime/internal/profiled", "runtime/sim/internal/bytecode", "runtime/sim/internal/coverage", "runtime/sim/internal/debug", "runtime/sim/internal/graph",
		"runtime/sim/internal/images", "runtime/sim/internal/interp", "runtime/sim/internal/limits", "runtime/sim/internal/memory", "runtime/sim/internal/profile", "runtime/sim/internal/queue",
		"runtime/sim/internal/schedule", "runtime/sim/internal/simd", "runtime/sim/internal/tensormap", "runtime/sim/internal/texture"},
	"runtime/simtest":           {"runtime/cuda", "runtime/internal/goroutine", "runtime/internal/leak", "runtime/internal/watched", "runtime/profile", "runtime/sim", "runtime/internal/sourcefile"},
	"runtime/profile":           {"internal/ptx", "runtime/internal/driver", "runtime/internal/multiprocessor", "runtime/internal/profiled", demangle, pprof},
	"runtime/internal/profiled": {"runtime/internal/driver"},

	"runtime/internal/multiprocessor": {},
	"runtime/internal/ccall":          {purego},
	"runtime/internal/driver":         {},
	"runtime/internal/sourcefile":     {},
	"runtime/internal/goroutine":      {},
	"runtime/internal/leak":           {},
	"runtime/internal/tracefile":      {"internal/filelock"},
	"runtime/internal/libcuda":        {"runtime/internal/ccall", "runtime/internal/driver", purego},
	"runtime/internal/watched":        {"runtime/internal/driver", "runtime/internal/leak"},

	"runtime/sim/internal/arithmetic": {"internal/ptx", "runtime/sim/internal/bytecode", "runtime/sim/internal/memory",
		"runtime/sim/internal/simd", "runtime/sim/internal/softfloat"},
	"runtime/sim/internal/bytecode": {"internal/ptx", "runtime/internal/driver", "runtime/sim/internal/limits", "runtime/sim/internal/memory",
		"runtime/sim/internal/simd", "runtime/sim/internal/softfloat", "runtime/internal/sourcefile"},
	"runtime/sim/internal/coverage": {"runtime/internal/driver", "runtime/sim/internal/bytecode"},
	"runtime/sim/internal/debug": {"internal/debugwire", "internal/ptx", "runtime/internal/driver", "runtime/sim/internal/bytecode", "runtime/sim/internal/memory",
		"runtime/sim/internal/simd", "runtime/sim/internal/stops"},
	"runtime/sim/internal/graph":  {"runtime/internal/driver"},
	"runtime/sim/internal/images": {"runtime/sim/internal/bytecode", "runtime/sim/internal/interp", "runtime/sim/internal/memory"},
	"runtime/sim/internal/profile": {"internal/ptx", "runtime/internal/driver", "runtime/internal/sourcefile", "runtime/sim/internal/bytecode", "runtime/sim/internal/memory",
		"runtime/sim/internal/simd"},
	"runtime/sim/internal/interp": {
		"internal/ptx", "runtime/internal/driver", "runtime/sim/internal/arithmetic", "runtime/sim/internal/bytecode",
		"runtime/sim/internal/coverage", "runtime/sim/internal/limits", "runtime/sim/internal/matrix", "runtime/sim/internal/mbarrier",
		"runtime/sim/internal/memory", "runtime/sim/internal/planner", "runtime/sim/internal/printf", "runtime/sim/internal/profile", "runtime/sim/internal/schedule",
		"runtime/sim/internal/simd", "runtime/sim/internal/softfloat", "runtime/sim/internal/stops", "runtime/sim/internal/tensormap", "runtime/sim/internal/texture", "runtime/internal/sourcefile"},
	"runtime/sim/internal/limits":    {"runtime/internal/driver", "runtime/internal/multiprocessor"},
	"runtime/sim/internal/matrix":    {"runtime/sim/internal/softfloat", "runtime/sim/internal/tensormap"},
	"runtime/sim/internal/mbarrier":  {},
	"runtime/sim/internal/memory":    {"runtime/internal/driver", "runtime/internal/sourcefile", "runtime/sim/internal/limits", "runtime/sim/internal/simd"},
	"runtime/sim/internal/planner":   {"runtime/sim/internal/bytecode", "runtime/sim/internal/simd"},
	"runtime/sim/internal/printf":    {},
	"runtime/sim/internal/queue":     {},
	"runtime/sim/internal/schedule":  {"runtime/internal/driver"},
	"runtime/sim/internal/simd":      {"internal/ptx", "runtime/sim/internal/limits", "runtime/sim/internal/softfloat"},
	"runtime/sim/internal/softfloat": {},
	"runtime/sim/internal/stops":     {"runtime/internal/driver", "runtime/sim/internal/bytecode", "runtime/sim/internal/limits", "runtime/sim/internal/simd"},
	"runtime/sim/internal/tensormap": {"runtime/internal/driver"},
	"runtime/sim/internal/texture":   {"runtime/internal/driver", "runtime/sim/internal/softfloat"},

	"runtime/internal/driver/drivertest": {"runtime/internal/driver"},
	"runtime/internal/driver/generate":   {},

	"internal/folderlock":   {gointernal},
	"internal/fakecuda":     {"internal/testenv", purego},
	"internal/fakenccl":     {"internal/testenv"},
	"internal/testlib":      {"runtime/clib", "runtime/cuda"},
	"internal/clibtest":     {"internal/fakecuda", "internal/testenv", "runtime/cuda", testify},
	"internal/fuzzing":      {testify},
	"internal/messages":     {},
	"internal/mutants":      {},
	"internal/parallel":     {"internal/diag"},
	"internal/ptx":          {},
	"internal/testenv":      {},
	"internal/cudalibs":     {},
	"internal/toolchaindir": {},
	"internal/wheels":       {},
	"internal/buildcache":   {"internal/ended", "internal/filelock", "internal/leftover"},
	"internal/filelock":     {},
	"internal/leftover":     {},
	"internal/diag":         {},
	"internal/include":      {},
	"internal/fresh":        {},
	"internal/ended":        {},
	"internal/dynlib":       {purego},
	"internal/jitlinklib":   {"internal/ended", "internal/dynlib", "internal/nvrtclib"},
	"internal/nvrtclib":     {"internal/diag", "internal/ended", "internal/dynlib", "internal/leftover", "internal/toolchaindir", purego},

	"example":            {"runtime/cuda", "runtime/cuda/vec"},
	"internal/kept":      {"runtime/cuda"},
	"example/graphs":     {"runtime/cuda", "runtime/sim"},
	"example/templates":  {"runtime/cuda", "runtime/cuda/vec"},
	"example/allreduce":  {"runtime/cuda", "runtime/cuda/vec", "runtime/nccl", "runtime/sim"},
	"example/blur":       {"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/bugs":       {"runtime/cuda", "runtime/sim"},
	"example/histogram":  {"runtime/cuda", "runtime/sim"},
	"example/automaton":  {"runtime/cuda", "runtime/sim"},
	"example/heat":       {"example/opened", "runtime/cublas", "runtime/cublas/simulated", "runtime/cuda", "runtime/cuda/vec", "runtime/cufft", "runtime/cufft/simulated", "runtime/sim"},
	"example/linear":     {"example/opened", "runtime/cublas", "runtime/cublas/simulated", "runtime/cuda", "runtime/cusolver", "runtime/cusolver/simulated", "runtime/sim"},
	"example/regression": {"example/opened", "runtime/cublas", "runtime/cublas/simulated", "runtime/cuda", "runtime/curand", "runtime/curand/simulated", "runtime/sim"},
	"example/wave":       {"runtime/clib", "runtime/cuda", "runtime/sim"},
	"example/julia":      {"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/nbody":      {"example/nbody/gravity", "example/progress", "runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/rotate":     {"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/saxpy":      {"runtime/cuda", "runtime/sim"},
	"example/slow":       {"runtime/cuda", "runtime/cuda/vec", "runtime/profile", "runtime/sim"},
	"example/tensormap":  {"runtime/cuda", "runtime/cuda/tensormap", "runtime/sim"},
	"example/tour": {"example", "example/grayscott/reaction", "example/nbody/gravity", "example/transformer/gpt",
		"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},

	"example/formula":         {"runtime/cuda", "runtime/nvrtc", "runtime/sim"},
	"example/grayscott":       {"example/grayscott/reaction", "example/progress", "runtime/cuda", "runtime/sim"},
	"example/life":            {"example/progress", "runtime/cuda", "runtime/sim"},
	"example/paint":           {"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/precision":       {"runtime/cuda", "runtime/cuda/vec", "runtime/sim"},
	"example/progress":        {},
	"example/opened":          {},
	"example/transformer":     {"example/progress", "example/transformer/gpt", "runtime/cuda", "runtime/sim"},
	"example/transformer/gpt": {"runtime/cuda"},

	"example/grayscott/reaction": {"runtime/cuda"},
	"example/nbody/gravity":      {"runtime/cuda", "runtime/cuda/vec"},
}

func TestImports(t *testing.T) {
	problems, err := checkImports(os.DirFS(root), allowed)
	require.NoError(t, err)
	for _, problem := range problems {
		t.Error(problem)
	}
}

// stages are those of generating, which do not know each other, nor the package that joins them.
var stages = []string{"gen", "gen/internal/read", "gen/internal/build", "gen/internal/proof", "gen/internal/bind", "gen/internal/output"}

// TestArchitectureNamesPackages: the list in docs/ARCHITECTURE.md says what each package is for.
func TestArchitectureNamesPackages(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/ARCHITECTURE.md")
	require.NoError(t, err)
	assert.Empty(t, unnamed(string(page), allowed))
	assert.Equal(t, []string{"b"}, unnamed("`a`", map[string][]string{".": nil, "a": nil, "b": nil, "example/c": nil}))
}

// unnamed returns the packages of a table, but for the examples, that text does not name, sorted.
func unnamed(text string, table map[string][]string) (list []string) {
	for pkg := range table {
		folder, _, _ := strings.Cut(pkg, "/")
		if pkg != "." && folder != "example" && folder != "docs" && !strings.Contains(text, "`"+pkg+"`") {
			list = append(list, pkg)
		}
	}
	slices.Sort(list)
	return list
}

// A stage knows no stage, whatever way it came to know it.
func TestStagesAreStrangers(t *testing.T) {
	for _, stage := range stages[1:] {
		assert.Empty(t, acquainted(stage, allowed), stage)
	}
	for _, via := range []string{"gen/internal/proof", "gen/internal/selection"} {
		table := map[string][]string{"gen/internal/build": {via}, "gen/internal/selection": {"gen/internal/read"}}
		assert.NotEmpty(t, acquainted("gen/internal/build", table), via)
	}
}

// A stage is one function, or few that it takes one behind the other: what it takes and hands on are types, and functions of these belong to
// the packages of values. The methods of fmt.Stringer and error do not count.
func TestStagesHaveOneEntry(t *testing.T) {
	more := map[string]int{
		"gen/internal/bind":   1, // what is wrong with the options, whatever the source is
		"gen/internal/proof":  8, // of images and debug information, of views, of what is left out, of names, and its record
		"gen/internal/output": 5, // which names sources want and cannot have, one package of several, emitters, files, and what is said of one that is left
	}
	for _, stage := range stages[1:] {
		assert.Len(t, entries(t, os.DirFS(root), stage), 1+more[stage], stage)
	}
	several := fstest.MapFS{
		"a/a.go": {Data: []byte("package a\n\nfunc A() {}\nfunc b() {}\n\ntype c struct{}\n\nfunc (c) D() {}\n\ntype E struct{}\n\n" +
			"func (E) String() string { return \"\" }\nfunc (*E) F() {}\nfunc G[T any](T) {}\n")},
		"a/a_test.go": {Data: []byte("package a\n\nfunc TestA() {}\n")},
	}
	assert.ElementsMatch(t, []string{"A", "E.F", "G"}, entries(t, several, "a"))
}

// entries returns the exported functions of a package, and the exported methods of its exported types.
func entries(t *testing.T, fsys fs.FS, pkg string) (names []string) {
	for name := range linesOf(t, fsys, pkg) {
		src, err := fs.ReadFile(fsys, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Recv != nil && (f.Name.Name == "String" || f.Name.Name == "Error") {
				continue
			}
			if f.Recv == nil {
				names = append(names, f.Name.Name)
			} else if of := receiver(f.Recv.List[0].Type); ast.IsExported(of) {
				names = append(names, of+"."+f.Name.Name)
			}
		}
	}
	return names
}

// receiver returns the name of the type of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// Joining the stages takes little code, and each file is about one thing: the limits are those
// that the code was cut by.
func TestStagesAreSmall(t *testing.T) {
	const most, all = 600, 1150 // lines of a file of a stage, and of what joins them
	assert.Empty(t, tooLong(t, os.DirFS(root), stages[1:], most))
	joins := 0
	for _, lines := range linesOf(t, os.DirFS(root), "gen") {
		joins += lines
	}
	assert.Less(t, joins, all, "gen joins the stages, and does nothing itself")

	long := fstest.MapFS{"a/a.go": {Data: []byte("package a\n\n")}, "a/a_test.go": {Data: []byte("package a\n\n\n")}}
	assert.Equal(t, []string{"a/a.go"}, tooLong(t, long, []string{"a"}, 1))
}

// A package of the runtime has so few files that a newcomer finds each: what needs little of it becomes one of its own.
func TestRuntimePackagesHaveFewFiles(t *testing.T) {
	const most = 60
	crowded := func(fsys fs.FS, table map[string][]string, most int) (list []string) {
		for pkg := range table {
			if strings.HasPrefix(pkg, "runtime/") && len(linesOf(t, fsys, pkg)) > most {
				list = append(list, pkg)
			}
		}
		return list
	}
	assert.Empty(t, crowded(os.DirFS(root), allowed, most))
	two := fstest.MapFS{"runtime/a/a.go": {}, "runtime/a/b.go": {}, "runtime/c/c.go": {}, "runtime/c/c_test.go": {}}
	assert.Equal(t, []string{"runtime/a"}, crowded(two, map[string][]string{"runtime/a": nil, "runtime/c": nil}, 1))
}

// tooLong returns the files of the packages that have more than most lines, without tests.
func tooLong(t *testing.T, fsys fs.FS, packages []string, most int) (files []string) {
	for _, pkg := range packages {
		for name, lines := range linesOf(t, fsys, pkg) {
			if lines > most {
				files = append(files, name)
			}
		}
	}
	return files
}

// linesOf returns how many lines the files of a package have, without tests.
func linesOf(t *testing.T, fsys fs.FS, pkg string) map[string]int {
	t.Helper()
	names, err := fs.Glob(fsys, pkg+"/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	lines := make(map[string]int)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			src, err := fs.ReadFile(fsys, name)
			require.NoError(t, err)
			lines[name] = strings.Count(string(src), "\n")
		}
	}
	return lines
}

// acquainted returns the stages other than stage that may be linked with it by the table.
func acquainted(stage string, table map[string][]string) (list []string) {
	seen := map[string]bool{stage: true}
	var visit func(pkg string)
	visit = func(pkg string) {
		for _, imported := range table[pkg] {
			if seen[imported] {
				continue
			}
			seen[imported] = true
			if slices.Contains(stages, imported) {
				list = append(list, imported)
			}
			visit(imported)
		}
	}
	visit(stage)
	return list
}

// checkImports returns what is wrong with the imports of the module in fsys, sorted.
//
// Files are parsed, not loaded: those for other systems and with any build tags
// count as well.
func checkImports(fsys fs.FS, allowed map[string][]string) (problems []string, err error) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	found := map[string]bool{}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (skipped(entry.Name()) || isModule(fsys, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := path.Dir(name)
		may, known := allowed[pkg]
		if !known && !found[pkg] {
			report("%s: package is missing in the table of allowed imports (see allowed in internal/house)", pkg)
		}
		found[pkg] = true
		imports, err := importsOf(fsys, name)
		if err != nil {
			return err
		}
		for _, imported := range imports {
			if known && !permitted(imported, may) {
				report("%s: package %s may not import %s (see allowed in internal/house)", name, pkg, imported)
			}
		}
		return nil
	})
	for pkg := range allowed {
		if !found[pkg] {
			report("%s: in the table of allowed imports (see allowed in internal/house), but no such package", pkg)
		}
	}
	slices.Sort(problems)
	return problems, err
}

// skipped reports whether the go command ignores a folder of this name.
func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// isModule reports whether a folder holds a module of its own.
func isModule(fsys fs.FS, dir string) bool {
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func importsOf(fsys fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		imports = append(imports, imported)
	}
	return imports, nil
}

// permitted reports whether an import is of the standard library or in may.
func permitted(imported string, may []string) bool {
	if own, ok := strings.CutPrefix(imported, module+"/"); ok {
		return slices.Contains(may, own)
	}
	if root, _, _ := strings.Cut(imported, "/"); !strings.Contains(root, ".") {
		return imported != "C" // cgo
	}
	return slices.ContainsFunc(may, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") })
}

// Each rule must be seen to fail when it is broken.
func TestForbiddenImportsAreFound(t *testing.T) {
	table := map[string][]string{
		"gen":          {"gen/model", jennifer},
		"gen/model":    {},
		"runtime/cuda": {},
	}
	good := map[string]string{
		"gen/b.go":               `package gen; import ("fmt"; "` + module + `/gen/model"; "` + jennifer + `/jen")`,
		"gen/b_test.go":          `package gen; import "` + module + `/runtime/cuda"`,
		"gen/testdata/x.go":      `package x; import "example.com/x"`,
		"gen/model/b.go":         `package model`,
		"runtime/cuda/b.go":      `package cuda; import "unsafe"`,
		"bench/go.mod":           `module bench`,
		"bench/deep/bench.go":    `package main; import "example.com/x"`,
		"_scratch/x.go":          `package x; import "example.com/x"`,
		".cache/x.go":            `package x; import "example.com/x"`,
		"gen/model/template.txt": `import "example.com/x"`,
	}
	for _, tt := range []struct{ name, file, text, want string }{
		{name: "none"},
		{"generator to runtime", "gen/a.go", `package gen; import "` + module + `/runtime/cuda"`,
			"gen/a.go: package gen may not import " + module + "/runtime/cuda"},
		{"runtime to generator", "runtime/cuda/a.go", `package cuda; import "` + module + `/gen/model"`,
			"runtime/cuda/a.go: package runtime/cuda may not import " + module + "/gen/model"},
		{"upwards", "gen/model/a.go", `package model; import "` + module + `/gen"`, "gen/model may not import " + module + "/gen"},
		{"other system", "gen/model/a_windows.go", `package model; import "` + module + `/gen"`, "gen/model/a_windows.go"},
		{"build tag", "gen/model/a.go", "//go:build never\n\npackage model; import \"" + module + "/gen\"", "gen/model may not import"},
		{"ignored file", "gen/model/a.go", "//go:build ignore\n\npackage main; import \"" + module + "/gen\"", "gen/model may not import"},
		{"third party", "gen/model/a.go", `package model; import _ "` + jennifer + `/jen"`, "gen/model may not import " + jennifer},
		{"like an allowed module", "gen/a.go", `package gen; import "` + jennifer + `x"`, "may not import " + jennifer + "x"},
		{"the module's root", "gen/a.go", `package gen; import "` + module + `"`, "may not import " + module},
		{"cgo", "gen/a.go", `package gen; import "C"`, "may not import C"},
		{"unlisted package", "gen/extra/extra.go", `package extra`, "gen/extra: package is missing in the table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range good {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if tt.file != "" {
				fsys[tt.file] = &fstest.MapFile{Data: []byte(tt.text)}
			}
			problems, err := checkImports(fsys, table)
			require.NoError(t, err)
			if tt.want == "" {
				assert.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0], tt.want)
		})
	}
	t.Run("row without a package", func(t *testing.T) {
		problems, err := checkImports(fstest.MapFS{}, map[string][]string{"gen": nil})
		require.NoError(t, err)
		assert.Equal(t, []string{"gen: in the table of allowed imports (see allowed in internal/house), but no such package"}, problems)
	})
	t.Run("not Go", func(t *testing.T) {
		_, err := checkImports(fstest.MapFS{"gen/a.go": {Data: []byte("hello")}}, table)
		assert.ErrorContains(t, err, "gen/a.go:1:1")
	})
}
