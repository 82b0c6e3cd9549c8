package build_test

import (
	"context"
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/build"
	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

const (
	kernelSource = "#include \"n.h\"\n__global__ void k(int n) {}\n"
	kernelPTX    = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry _Z1ki(.param .u32 p) { ret; }\n"
)

// A stub is a compiler that makes ptx, or fails, and counts its compilations.
type stub struct {
	ptx  string
	err  error
	runs *int
}

func (s stub) Name() string                            { return "stub" }
func (s stub) String() string                          { return "a stub" }
func (s stub) Version(context.Context) (string, error) { return "1", nil }
func (s stub) Compile(_ context.Context, r compile.Request) (*compile.Output, error) {
	if r.Debug {
		return nil, compile.ErrNoDebug
	}
	*s.runs++
	if s.err != nil {
		return nil, s.err
	}
	return &compile.Output{Code: []byte(s.ptx), Arch: r.Arch, Compiler: "stub 1", Command: []string{"stub"}}, nil
}

// A project is a source in a folder of its own, and options to build it.
type project struct {
	place source.Place
	o     build.Options
	runs  int
}

func newProject(t *testing.T) *project {
	t.Helper()
	t.Setenv("CUDAGEN_CACHE", "off")
	t.Setenv("PATH", t.TempDir()) // no ptxas
	t.Setenv("CUDA_HOME", "")
	t.Setenv("CUDA_PATH", "")
	dir := t.TempDir()
	places, err := source.Places([]string{filepath.Join(dir, "k.cu")}, "")
	require.NoError(t, err)
	p := &project{place: places[0], o: build.Options{Archs: []string{"compute_75"}}}
	p.o.FindCompiler = func() (compile.Compiler, error) { return stub{kernelPTX, nil, &p.runs}, nil }
	p.o.Explain = func(s *selection.Selection, told []selection.Told) *selection.Selection { return s }
	p.write(t, "go.mod", "module k\n")
	p.write(t, "k.cu", kernelSource)
	p.write(t, "n.h", "constexpr int N = 3;\n")
	return p
}

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(p.place.Path), name), []byte(text), 0o600))
}

// selection reads the source, whose kernels have the parameters that it tells.
func (p *project) selection(t *testing.T) *selection.Selection {
	t.Helper()
	text, err := os.ReadFile(p.place.Path)
	require.NoError(t, err)
	config := cu.Config{SizeOf: layout.Of, Read: os.ReadFile}
	file, err := config.ParseFile(p.place.Path, text)
	require.NoError(t, err)
	s := &selection.Selection{Place: p.place, File: file}
	for _, k := range file.Kernels {
		one := &selection.Kernel{Kernel: k, Origin: k, Query: selection.QueryOf(file, k), Spec: new(directive.Spec), Problems: k.Errors}
		if len(k.Errors) > 0 {
			s.Unclear = append(s.Unclear, one)
		} else {
			s.Kernels = append(s.Kernels, one)
		}
	}
	return s
}

func (p *project) build(t *testing.T) (*build.Built, error) {
	t.Helper()
	built, err := build.Build(t.Context(), []*selection.Selection{p.selection(t)}, &p.o)
	require.Len(t, built, 1)
	return built[0], err
}

// commit builds the source, and writes what is committed of it.
func (p *project) commit(t *testing.T) *build.Built {
	t.Helper()
	built, err := p.build(t)
	require.NoError(t, err)
	for _, image := range built.Images {
		require.NoError(t, os.WriteFile(image.Path, image.Content, 0o600))
	}
	require.NoError(t, os.WriteFile(p.place.Record, built.Record.Encode(), 0o600))
	return built
}

func TestBuild(t *testing.T) {
	p := newProject(t)
	built := p.commit(t)
	assert.Equal(t, []string{"k.cudagen.json is missing"}, built.Reasons)
	assert.Equal(t, 1, p.runs)
	require.Len(t, built.Images, 1)
	assert.Equal(t, p.place.PTX, built.Images[0].Path)
	assert.True(t, strings.HasPrefix(string(built.Images[0].Content), record.Marker))
	assert.Equal(t, "_Z1ki", built.Images[0].Seen.Kernels[0].Symbol)
	assert.Equal(t, record.Compiler{Name: "stub", Version: "1", Command: []string{"stub"}}, built.Record.Compiler)
	assert.Equal(t, []string{"k.cu", "n.h"}, []string{built.Record.Inputs[0].Path, built.Record.Inputs[1].Path})
	assert.Equal(t, "6.3", built.Record.Images[0].Version, "the least that it needs")
	assert.Equal(t, "8.0", built.Record.Images[0].CompiledVersion)
	assert.Nil(t, built.Committed)
	assert.Nil(t, built.Answers, "this compiler has no debug information")

	// What is committed and current is taken, whoever may compile.
	current, err := p.build(t)
	require.NoError(t, err)
	assert.Empty(t, current.Reasons)
	assert.Equal(t, built.Images[0].Content, current.Images[0].Content)
	assert.NotNil(t, current.Committed)
	assert.Equal(t, 1, p.runs)
}

// Every reason to compile is found, without a compiler, too; then nothing is compiled.
func TestStale(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, p *project)
		want   string // empty when it is current
	}{
		{"nothing", func(*testing.T, *project) {}, ""},
		{"line ends", func(t *testing.T, p *project) { p.write(t, "k.cu", strings.ReplaceAll(kernelSource, "\n", "\r\n")) }, ""},
		{"the source", func(t *testing.T, p *project) { p.write(t, "k.cu", kernelSource+"// more\n") }, "k.cu changed"},
		{"a header", func(t *testing.T, p *project) { p.write(t, "n.h", "constexpr int N = 4;\n") }, "n.h changed"},
		{"a target", func(t *testing.T, p *project) { p.o.Archs = []string{"compute_80"} }, "-arch was compute_75"},
		{"a flag", func(t *testing.T, p *project) { p.o.CompilerFlags = []string{"-O1"} }, "is -O1"},
		{"an image", func(t *testing.T, p *project) { p.write(t, "k.ptx", kernelPTX) }, "k.ptx is not the image in k.cudagen.json"},
		{"a compiler that is named", func(t *testing.T, p *project) { p.o.Compiler = "other" }, "the compiler was stub, is other"},
		{"the compiler that was", func(t *testing.T, p *project) { p.o.Compiler = "stub" }, ""},
		{"a compiler of the environment", func(t *testing.T, p *project) { p.o.Compiler, p.o.AnyCompiler = "other", true }, ""},
		{"no image", func(t *testing.T, p *project) { require.NoError(t, os.Remove(p.place.PTX)) }, "k.ptx is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProject(t)
			p.commit(t)
			find := p.o.FindCompiler
			p.o.FindCompiler = nil
			test.change(t, p)
			built, err := p.build(t)
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, built.Reasons)
			} else {
				require.NotEmpty(t, built.Reasons)
				assert.Contains(t, built.Reasons[0], test.want)
			}
			assert.Equal(t, 1, p.runs)

			p.o.FindCompiler = find
			_, err = p.build(t)
			require.NoError(t, err)
			assert.Equal(t, test.want != "", p.runs == 2)
		})
	}
}

func TestForce(t *testing.T) {
	p := newProject(t)
	p.commit(t)
	p.o.Force = true
	built, err := p.build(t)
	require.NoError(t, err)
	assert.Equal(t, []string{"-force"}, built.Reasons)
	assert.Equal(t, 2, p.runs)

	p.write(t, "k.cudagen.json", "{")
	_, err = p.build(t)
	assert.NoError(t, err, "-force is for records that cannot be read")
	p.o.Force = false
	_, err = p.build(t)
	assert.ErrorContains(t, err, "k.cudagen.json")
}

// A build is taken from the user's folder, unless commands are shown: those of a build that is there, too.
func TestDryRunOfABuildThatIsKept(t *testing.T) {
	p := newProject(t)
	t.Setenv("CUDAGEN_CACHE", t.TempDir())
	for _, test := range []struct {
		dryRun bool
		cached bool
		runs   int
	}{{true, false, 1}, {false, false, 2}, {false, true, 2}, {true, false, 3}} {
		p.o.DryRun = test.dryRun
		built, err := p.build(t)
		require.NoError(t, err)
		assert.Equal(t, test.cached, built.Cached)
		assert.Equal(t, test.runs, p.runs)
	}
}

func TestBuildErrors(t *testing.T) {
	none := errors.New("no compiler here")
	refused := diag.List{{Pos: token.Position{Filename: "k.cu", Line: 2, Column: 1}, Message: diag.Message{Text: "refused"}}}
	for _, test := range []struct {
		name   string
		change func(p *project)
		want   string
	}{
		{"no compiler", func(p *project) { p.o.FindCompiler = func() (compile.Compiler, error) { return nil, none } }, "k.cu: has to be compiled (k.cudagen.json is missing): no compiler here"},
		{"the compiler's", func(p *project) {
			p.o.FindCompiler = func() (compile.Compiler, error) { return stub{"", refused, &p.runs}, nil }
		}, "k.cu:2:1: refused"},
		{"no PTX", func(p *project) {
			p.o.FindCompiler = func() (compile.Compiler, error) { return stub{"nothing", nil, &p.runs}, nil }
		}, "k.ptx:"},
		{"targets", func(p *project) { p.o.Archs = []string{"volta"} }, "volta"},
		{"native", func(p *project) { p.o.Archs = []string{"native"} }, "-arch native: the GPUs of this machine are not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProject(t)
			test.change(p)
			built, err := p.build(t)
			assert.ErrorContains(t, err, test.want)
			assert.Empty(t, built.Images)
		})
	}
}

// The record tells the parameters of kernels that the source does not tell, or why nobody does.
func TestRecall(t *testing.T) {
	for _, test := range []struct {
		name   string
		record func(*record.Record)
		told   []selection.Told
		reason string
	}{
		{"types", func(r *record.Record) {
			w := &compare.TypeWriter{}
			r.Kernels = []record.Kernel{{Name: "k", Symbol: "_Z1k7Strange", Bytes: 8, Params: []record.Param{{Name: "s", Type: "double", Size: 8, Align: 8}}, Told: []int{w.Add(ctype.Builtin(ctype.Double))}}}
			r.Types = w.Types
		}, []selection.Told{{Params: []cu.Param{{Name: "s", Type: ctype.Builtin(ctype.Double)}}}}, ""},
		{"a refusal", func(r *record.Record) { r.Refused = []record.Refusal{{Name: "k", Reason: "k: is strange"}} }, []selection.Told{{Reason: diag.LayoutsDisagree.New("k: is strange")}}, ""},
		{"nothing", func(*record.Record) {}, nil, "no compiler was asked about k"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProject(t)
			p.write(t, "k.cu", "__global__ void k(Strange s) {}\n")
			built := p.commit(t)
			r := *built.Record
			test.record(&r)
			require.NoError(t, os.WriteFile(p.place.Record, r.Encode(), 0o600))
			var got []selection.Told
			p.o.FindCompiler = nil
			p.o.Explain = func(s *selection.Selection, told []selection.Told) *selection.Selection {
				got = told
				explained := *s
				explained.Unclear = nil
				return &explained
			}
			again, err := p.build(t)
			require.NoError(t, err)
			require.Len(t, got, len(test.told))
			for i, want := range test.told {
				assert.Equal(t, "k", got[i].Kernel.Name)
				assert.Equal(t, want.Reason, got[i].Reason)
				require.Len(t, got[i].Params, len(want.Params))
				for j, param := range want.Params {
					assert.Equal(t, param.Type, got[i].Params[j].Type)
					assert.Equal(t, param.Name, got[i].Params[j].Name)
				}
			}
			assert.Empty(t, again.Selection.Unclear, "it is handed on as it is explained")
			if test.reason != "" {
				assert.Equal(t, []string{test.reason}, again.Reasons)
			} else {
				assert.Empty(t, again.Reasons)
			}
		})
	}
}
