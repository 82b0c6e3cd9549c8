package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A screen is what a command that runs has printed.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// wait waits until what was printed ends with text, returns it, and begins anew.
func (s *screen) wait(t *testing.T, text string) string {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		all := s.text.String()
		if strings.HasSuffix(all, text) {
			s.text.Reset()
		}
		s.mu.Unlock()
		if strings.HasSuffix(all, text) {
			return all
		}
		require.True(t, time.Now().Before(deadline), "%q does not come:\n%s", text, all)
	}
}

// save writes a file as editors do: beside it, and then in its place.
func save(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path+"~", []byte(text), 0o644))
	require.NoError(t, os.Rename(path+"~", path))
}

// startWatch watches args until the test ends, which takes no time.
func startWatch(t *testing.T, args ...string) *screen {
	var s screen
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int)
	go func() { code <- runWatch(ctx, args, func(string) string { return "" }, &s, &s) }()
	t.Cleanup(func() {
		start := time.Now()
		cancel()
		assert.Equal(t, exitOK, <-code)
		assert.Less(t, time.Since(start), 20*time.Second)
	})
	return &s
}

// Each change of a source, of what it includes, and of what is missing, generates again; what fails is said until
// it is mended.
func TestWatchGenerates(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/hello\n"), 0o644))
	require.NoError(t, (&start{folder: ".", stderr: new(bytes.Buffer)}).writeFiles())
	kernels, err := os.ReadFile("kernels.cu")
	require.NoError(t, err)
	s := startWatch(t, "-pkg", "main", "kernels.cu")
	assert.Contains(t, s.wait(t, "cudagen: watching (files: 1)\n"), "cudagen: wrote kernels_cuda.go\n")

	wrong := strings.Replace(string(kernels), "//cudagen:kernel", "//cudagen:kernle", 1)
	save(t, "kernels.cu", wrong)
	out := s.wait(t, "cudagen: not generated; watching (files: 1)\n")
	assert.True(t, strings.HasPrefix(out, "cudagen: changed: kernels.cu\nkernels.cu:"), out)
	assert.Contains(t, out, "(did you mean kernel?)")
	save(t, "unrelated.h", "")
	require.NoError(t, os.Chtimes("kernels.cu", time.Now(), time.Now()))
	save(t, "kernels.cu", "#include \"h/a.h\"\n"+wrong)
	out = s.wait(t, "cudagen: not generated; watching (files: 1)\n")
	assert.Equal(t, 1, strings.Count(out, "changed: "), "what changes nothing generates nothing: %s", out)
	save(t, "h/a.h", "#include \"b.h\"\n")
	out = s.wait(t, "cudagen: not generated; watching (files: 2)\n")
	assert.Contains(t, out, "cudagen: changed: "+filepath.Join("h", "a.h")+"\n")
	assert.Contains(t, out, "(did you mean kernel?)", "it is said again")
	save(t, "h/b.h", "")
	assert.Contains(t, s.wait(t, "cudagen: not generated; watching (files: 3)\n"), "cudagen: changed: "+filepath.Join("h", "b.h")+"\n")
	require.NoError(t, os.Remove("kernels.cu"))
	assert.Contains(t, s.wait(t, "cudagen: not generated; watching (files: 0)\n"), "cudagen: changed: "+filepath.Join("h", "a.h")+", "+filepath.Join("h", "b.h")+", kernels.cu\n")
	save(t, "kernels.cu", string(kernels))
	s.wait(t, "cudagen: changed: kernels.cu\ncudagen: watching (files: 1)\n")
}

// In a folder and in those below it, new files are found.
func TestWatchFindsNewFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/hello\n"), 0o644))
	s := startWatch(t, "./...")
	s.wait(t, "./...: there is no .cu file\ncudagen: not generated; watching (files: 0)\n")
	save(t, "a/b/k.cu", "//cudagen:oops\n__global__ void k() {}\n")
	out := s.wait(t, "cudagen: not generated; watching (files: 1)\n")
	assert.Contains(t, out, filepath.Join("a", "b", "k.cu")+":1:")
}

// A folder that has two names, by a link, is watched, and so is the one that takes the place of a folder that was moved.
func TestWatchKnowsFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/hello\n"), 0o644))
	const wrong = "cudagen: not generated; watching (files: 2)\n"
	save(t, "real/inc/h.h", "")
	if err := os.Symlink("real", "now"); err != nil {
		t.Skipf("skipped: no links here: %v", err)
	}
	save(t, "k.cu", "#include \"now/inc/h.h\"\n//cudagen:oops\n__global__ void k() {}\n")
	s := startWatch(t, "k.cu")
	s.wait(t, wrong)
	changed := func(change func()) {
		t.Helper()
		change()
		assert.Contains(t, s.wait(t, wrong), "cudagen: changed: "+filepath.Join("now", "inc", "h.h")+"\n")
	}
	changed(func() { save(t, "real/inc/h.h", "// two\n") })
	save(t, "other/inc/h.h", "// three\n")
	changed(func() {
		require.NoError(t, os.Symlink("other", "next"))
		require.NoError(t, os.Rename("next", "now"))
	})
	changed(func() { save(t, "other/inc/h.h", "// four\n") })
	require.NoError(t, os.Rename("other", "before"))
	save(t, "other/inc/h.h", "// five\n")
	s.wait(t, wrong)
	changed(func() { save(t, "other/inc/h.h", "// six\n") })
}

func TestWatchIsAsked(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"-h", exitOK, "cudagen watch generates, and generates again after every change."},
		{"", exitUsage, "cudagen watch: name a .cu file, a folder or ./... (see cudagen watch -h)"},
		{"-frobnicate k.cu", exitUsage, "flag provided but not defined: -frobnicate"},
		{"-arch , k.cu", exitUsage, "-arch names no target"},
	} {
		var out bytes.Buffer
		assert.Equal(t, tt.code, runWatch(t.Context(), strings.Fields(tt.args), func(string) string { return "" }, &out, &out), tt.args)
		assert.Contains(t, out.String(), tt.want, tt.args)
	}
}
