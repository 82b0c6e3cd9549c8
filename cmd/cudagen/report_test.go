package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

// On a terminal an error has the line of the source, a caret below it, and its code.
func TestReportOnTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte("//cudagen:kernel\n\t__global__ void größe(index_t n) {}\r\n// \x1b[2J\n"), 0o644))
	list := diag.List{
		{Pos: token.Position{Filename: path, Line: 2, Column: 26}, Message: diag.UnknownType.New("k: parameter n has unknown type index_t")},
		{Pos: token.Position{Filename: path, Line: 3}, Message: diag.OfCompiler.New("strange")},
		{Pos: token.Position{Filename: path, Line: 9, Column: 1}, Message: diag.Message{Text: "behind the end"}},
	}
	var out, errs bytes.Buffer
	r := &reporter{stdout: &out, stderr: &errs, terminal: true, command: "go tool cudagen"}
	r.errors(list[:2])
	assert.Equal(t, path+`:2:26: k: parameter n has unknown type index_t
  2 | 	__global__ void größe(index_t n) {}
    | 	                      ^
  help: go tool cudagen explain S102
`+path+`:3: strange
  3 | // ?[2J
  help: go tool cudagen explain C199
`, errs.String())

	errs.Reset()
	r.list("warning", list[2:])
	assert.Equal(t, path+":9:1: warning: behind the end\n", errs.String())

	errs.Reset()
	r.color = true
	r.errors(list[:1])
	assert.Contains(t, errs.String(), red+"^"+plain)
	assert.True(t, strings.HasPrefix(errs.String(), bold+path+":2:26: "+plain))

	errs.Reset()
	r.color = false
	r.errors(diag.NoCompiler.Errorf("no nvcc in /src/my cudagen -x: %w", diag.Do("run %s", diag.Call("toolchain install"))))
	assert.Equal(t, "cudagen: no nvcc in /src/my cudagen -x: run go tool cudagen toolchain install\n  help: go tool cudagen explain C101\n", errs.String())
	assert.Empty(t, out.String())
}

// In a pipe there is one line an error and no colour.
func TestReportInPipe(t *testing.T) {
	var out, errs bytes.Buffer
	r := newReporter(func(string) string { return "" }, &out, &errs)
	r.errors(diag.List{{Pos: token.Position{Filename: "k.cu", Line: 2, Column: 3}, Message: diag.Message{Text: "m"}}})
	assert.Equal(t, "k.cu:2:3: m\n", errs.String())
	assert.False(t, r.color)

	// Long names are shortened there, and not as JSON.
	name := strings.Repeat("a", 80) + strings.Repeat("b", 80)
	errs.Reset()
	r.command = "go tool cudagen"
	long := diag.NotInImage.Errorf("there is no %s: %w", name, diag.Do("run %s for %s", diag.Call("-force"), name))
	const short = "there is no " + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: run go tool cudagen -force for "
	r.errors(long)
	assert.Equal(t, "cudagen: "+short+name+" (-json prints names in full)\n", errs.String())
	r.json = true
	r.errors(long)
	r.errors(diag.UnknownDirective.Errorf("unknown directive%w", diag.Do("did you mean block?").By("blok", "block").Hint()))
	assert.Contains(t, out.String(), `"fix":"did you mean block?","edit":{"old":"blok","new":"block"}}`)
	assert.Contains(t, out.String(), `"message":"there is no `+name+`: run go tool cudagen -force for `+name+`"`)
}

func TestColored(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm"}, true},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{map[string]string{"TERM": "dumb"}, false},
	} {
		assert.Equal(t, tt.want, colored(func(name string) string { return tt.env[name] }), "%v", tt.env)
	}
}

// Progress says which file is compiled, and begins after a second; elsewhere than on a terminal later.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := startProgress(&statusLine{w: &b, terminal: true}, []string{"a.cu", "src/k.cu"}, time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, "cudagen: reading, 2 s", p.line(2*time.Second))
	p.step([]string{"nvcc", "-ptx", "/tmp/src/k.cu", "-o", "k.ptx"})
	p.step([]string{"ptxas", "k.ptx"})
	assert.Equal(t, "cudagen: compiling src/k.cu (2 of 2 files), 4 s", p.line(4*time.Second))
	p.sources = []string{"a/k.cu", "b/k.cu"}
	p.step([]string{"nvcc", "-ptx", "/tmp/src/k.cu", "-o", "k.ptx"})
	assert.Equal(t, "cudagen: compiling one of the files k.cu, 4 s", p.line(4*time.Second))
	p.stop()
	p.stop()
	assert.Equal(t, eraseLine, b.String())
	b.Reset()
	p = startProgress(&statusLine{w: &b}, []string{"k.cu"}, time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	p.step([]string{"nvrtc", "k.cu"})
	assert.Equal(t, "cudagen: compiling k.cu, 20 s", p.line(20*time.Second))
	p.stop()
	assert.Empty(t, b.String())
}

// Joined errors are printed one by one, an error that wraps two as what it says.
func TestReportOfSeveral(t *testing.T) {
	var errs bytes.Buffer
	r := &reporter{stderr: &errs, command: "cudagen"}
	first, second := errors.New("one"), errors.New("two")
	r.errors(errors.Join(first, second))
	r.errors(fmt.Errorf("both: %w: %w", first, second))
	assert.Equal(t, "cudagen: one\ncudagen: two\ncudagen: both: one: two\n", errs.String())
}
