package house

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents returns the paths of the Markdown files in fsys.
func documents(fsys fs.FS) (paths []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && name != ".github" && skipped(entry.Name()) {
			return fs.SkipDir
		}
		if !entry.IsDir() && path.Ext(name) == ".md" {
			paths = append(paths, name)
		}
		return nil
	})
	return paths, err
}

// TestLinks checks that the files and headings exist to which documents link.
func TestLinks(t *testing.T) {
	problems, links, err := checkLinks(os.DirFS(root))
	require.NoError(t, err)
	assert.Greater(t, links, 50)
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestDeadLinksAreFound is the control.
func TestDeadLinksAreFound(t *testing.T) {
	problems, links, err := checkLinks(fstest.MapFS{
		"README.md":   {Data: []byte("# A\n\n[b](docs/b.md) [c](docs/c.md) [why](docs/b.md#why-one-path) [no](docs/b.md#none)\n[web](https://example.com/x) [here](#a) ![picture](docs/p.png)\n\n```go\nx := m[k](docs)\n```\n`a[i](j)`\n")},
		"docs/b.md":   {Data: []byte("## Why `one` path?\n[up](../README.md)\n[out](../../x)\n")},
		"docs/p.png":  {Data: []byte("x")},
		".git/x.md":   {Data: []byte("[x](gone)")},
		"testdata/y":  {},
		"docs/d/e.md": {Data: []byte("[dir](..) [self](e.md)")},
	})
	require.NoError(t, err)
	assert.Equal(t, 10, links)
	assert.Equal(t, []string{
		"README.md: links to docs/c.md, which does not exist",
		"README.md: links to docs/b.md#none, and docs/b.md has no such heading",
		"docs/b.md: links to ../../x, which does not exist",
	}, problems)
}

var (
	fence     = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	mdLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func checkLinks(fsys fs.FS) (problems []string, links int, err error) {
	names, err := documents(fsys)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, 0, err
		}
		prose := codeSpan.ReplaceAllString(fence.ReplaceAllString(string(text), ""), "``")
		for _, m := range mdLink.FindAllStringSubmatch(prose, -1) {
			target, err := url.Parse(m[1])
			if err != nil {
				return nil, 0, err
			}
			if target.Scheme != "" {
				continue // the network is not asked
			}
			links++
			file := name
			if target.Path != "" {
				file = path.Join(path.Dir(name), target.Path)
			}
			if _, err := fs.Stat(fsys, file); err != nil {
				problems = append(problems, fmt.Sprintf("%s: links to %s, which does not exist", name, m[1]))
				continue
			}
			if target.Fragment != "" && !hasAnchor(fsys, file, target.Fragment) {
				problems = append(problems, fmt.Sprintf("%s: links to %s, and %s has no such heading", name, m[1], file))
			}
		}
	}
	return problems, links, nil
}

// hasAnchor reports whether a document has a heading with an anchor, as GitHub names them.
func hasAnchor(fsys fs.FS, name, anchor string) bool {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return false
	}
	for _, m := range mdHeading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		if strings.ReplaceAll(strings.ToLower(notAnchor.ReplaceAllString(m[1], "")), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// A goBlock is a block of Go in a document.
type goBlock struct {
	place string // file:line
	text  string
}

var goFence = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestGoInDocumentsCompiles type-checks every block of Go in the documents: whole files, and
// fragments with the variables that they use.
func TestGoInDocumentsCompiles(t *testing.T) {
	names, err := documents(os.DirFS(root))
	require.NoError(t, err)
	blocks := 0
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		switch {
		case name == "docs/sources.md", name == "docs/tutorial.md", name == "docs/templates.md":
			continue // cmd/cudagen generates what they use: TestSourcesGuide, TestTutorial, TestTemplatesGuide
		case name == "docs/profiling.md":
			continue // cmd/cudagen generates what it uses: TestProfilingGuide
		case name == "docs/libraries.md":
			continue // gen/clib generates what it uses: TestGuide
		case strings.HasPrefix(name, "example/templates/"):
			continue // a template's output, which names what the package has
		}
		companion := "example"
		if name == "docs/graphs.md" {
			companion = "example/graphs"
		}
		for _, m := range goFence.FindAllSubmatchIndex(text, -1) {
			blocks++
			block := goBlock{fmt.Sprintf("%s:%d", name, 1+strings.Count(string(text[:m[2]]), "\n")), string(text[m[2]:m[3]])}
			for _, problem := range checkGo(block, companion) {
				t.Error(problem)
			}
		}
	}
	assert.Greater(t, blocks, 15)
}

// TestWrongGoIsFound is the control.
func TestWrongGoIsFound(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"err := k.Saxpy.Launch(s, 2, x.All(), y.All())\n", ""},
		{"err := k.Saxpy.Launch(s, x.All(), y.All())\n", "not enough arguments"},
		{"err := k.Saxpy.Lunch(s, 2, x.All(), y.All())\n", "Lunch undefined"},
		{"x := nowhere\n", "undefined: nowhere"},
		{"func f() { g() }\n", "undefined: g"},
		{"package p\n\nfunc f() int { return \"\" }\n", "cannot use"},
		{"for {\n", "doc.md:1"},
	} {
		problems := checkGo(goBlock{"doc.md:1", tt.text}, "example")
		if tt.want == "" {
			assert.Empty(t, problems, tt.text)
			continue
		}
		require.NotEmpty(t, problems, tt.text)
		assert.Contains(t, problems[0], tt.want)
	}
}

// prelude is what fragments may use: imports, and variables, which they may declare again.
const prelude = `package p

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/link"
	"github.com/cudagen/cudagen/runtime/nccl"
	"github.com/cudagen/cudagen/runtime/nvrtc"
	"github.com/cudagen/cudagen/runtime/simtest"
)

var (
	_ bytes.Buffer
	_ context.Context
	_ = json.Marshal
	_ = errors.New
	_ = expvar.Publish
	_ = fmt.Sprint
	_ = os.Args
	_ net.Listener
	_ http.Handler
	_ exec.Cmd
	_ sync.Mutex
	_ *nccl.Comm
	_ = link.Config{}
	_ = nvrtc.Config{}
	_ = simtest.New
	_ *kernels.Kernels
	_ *cuda.Device
	_ vec.Float4
	_ tensormap.Config
	_ *testing.T
)

func _(t *testing.T, ctx context.Context, err error, dev *cuda.Device, s, other *cuda.Stream, k *KERNELS, x, y, a *cuda.Buffer[float32], cfg cuda.LaunchConfig) {
	{
`

// preludes are for documents whose fragments use more variables.
var preludes = map[string]string{
	"docs/distributed.md": "var devices []*cuda.Device; var peers *nccl.Peers; var comm *nccl.Comm; _, _, _ = devices, peers, comm\n",
	"docs/faults.md":      "const deviceLost = 75; var listener *net.TCPListener; var w http.ResponseWriter; var lost chan struct{}; _, _, _ = listener, w, lost\n",
	"docs/memory.md":      "type message struct { Memory cuda.MemoryHandle[float32]; Event cuda.EventHandle }; var text []byte; _ = text\n",
	"docs/types.md":       "type Params struct{}; var k struct{ Params, Gemm interface{ LaunchWith(*cuda.Stream, cuda.LaunchConfig, ...any) error } }; var m, n, kk int32; var b, c = y, y; var grid cuda.Dim3; var shared uint32; var owners []cuda.Owner\n",
	"docs/graphs.md":      "a := (*cuda.Buffer[int32])(nil); _ = a; add, triple := (*AddTwoCall)(nil), (*TripleCall)(nil); n1, n2 := cuda.NewNode(add), cuda.NewNode(triple)\n",
}

// tolerated are mistakes that a fragment may have: it need not use what it declares, and it may be of
// a function with results.
var tolerated = regexp.MustCompile(`declared and not used|imported and not used|: is not used|missing return|too many return values`)

// checkGo returns what is wrong with a block. Besides itself it sees the generated code of the
// package in the folder companion.
func checkGo(block goBlock, companion string) (problems []string) {
	text := strings.ReplaceAll(block.text, "…", "")
	document, _, _ := strings.Cut(block.place, ":")
	own := "*kernels.Kernels"
	if companion != "example" {
		own = "*Kernels"
	}
	before := strings.Replace(prelude, "*KERNELS", own, 1) + preludes[document]
	forms := []string{before + "\t}\n}\n" + text, before + "{\n" + text + "}\n\t}\n}\n"} // declarations, statements
	if strings.HasPrefix(text, "package ") {
		forms = []string{text}
	}
	var file *ast.File
	var err error
	for _, form := range forms {
		if file, err = parser.ParseFile(fset, block.place, form, parser.SkipObjectResolution); err == nil {
			break
		}
	}
	if err != nil {
		return listed(block.place, err)
	}
	files := []*ast.File{file}
	if generated, err := generatedFile(companion, file.Name.Name); err != nil {
		return []string{err.Error()}
	} else if !slices.ContainsFunc(file.Decls, declaresLoad) {
		files = append(files, generated)
	}
	config := types.Config{Importer: imported, Error: func(err error) {
		if !tolerated.MatchString(err.Error()) {
			problems = append(problems, block.place+": "+err.Error())
		}
	}}
	config.Check("p", fset, files, nil) // the errors are reported above
	return problems
}

func listed(place string, err error) (problems []string) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []string{place + ": " + err.Error()}
	}
	for _, e := range list {
		problems = append(problems, place+": "+e.Error())
	}
	return problems
}

func declaresLoad(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "LoadKernels"
}

// generatedFile parses the generated Go of a folder as of another package.
func generatedFile(folder, pkg string) (*ast.File, error) {
	file, err := parser.ParseFile(fset, filepath.Join(root, folder, "kernels_cuda.go"), nil, parser.SkipObjectResolution)
	if err == nil {
		file.Name.Name = pkg
	}
	return file, err
}
