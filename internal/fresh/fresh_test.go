package fresh

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree writes files into a fresh folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

// recordOf returns a record whose inputs have these contents.
func recordOf(inputs ...string) string {
	var list []string
	for i := 0; i < len(inputs); i += 2 {
		list = append(list, fmt.Sprintf(`{"path": %q, "sha256": %q}`, inputs[i], HashInput([]byte(inputs[i+1]))))
	}
	return `{"format": 1, "source": "k.cu", "inputs": [` + strings.Join(list, ",") + `], "options": {"new": 1}, "images": [{"file": "k.ptx", "sha256": "x"}]}`
}

func TestChanged(t *testing.T) {
	made := recordOf("../../outside/x.h", "out", "../inc/v.h", "header\n", "k.cu", "kernel\n")
	whole := map[string]string{"m/go.mod": "module m\n", "m/p/k.cudagen.json": made, "m/p/k.cu": "kernel\n", "m/inc/v.h": "header\n", "outside/x.h": "out"}
	for _, test := range []struct {
		name   string
		change map[string]string // contents by path; "-" for a file that goes
		at     string            // where the record lies, m/p if that is empty
		want   []string
	}{
		{name: "nothing"},
		{name: "line ends of Windows", change: map[string]string{"m/p/k.cu": "kernel\r\n"}},
		{name: "the source", change: map[string]string{"m/p/k.cu": "kernel // edited\n"}, want: []string{"k.cu changed"}},
		{name: "a header", change: map[string]string{"m/inc/v.h": ""}, want: []string{"../inc/v.h changed"}},
		{name: "a header outside of the module", change: map[string]string{"outside/x.h": ""}, want: []string{"../../outside/x.h changed"}},
		{name: "a source that is missing", change: map[string]string{"m/p/k.cu": "-"}, want: []string{"k.cu is missing"}},
		{name: "several", change: map[string]string{"m/p/k.cu": "-", "m/inc/v.h": "x"}, want: []string{"../inc/v.h changed", "k.cu is missing"}},
		{name: "a header outside of the module that is missing", change: map[string]string{"outside/x.h": "-"}},
		{name: "no module", change: map[string]string{"m/go.mod": "-", "m/p/k.cu": "-"}},
		{name: "vendored", at: "m/vendor/v/p", change: map[string]string{"m/vendor/v/p/k.cudagen.json": made}},
		{name: "in the module cache", at: "mod/m@v1.2.3/p", change: map[string]string{"mod/m@v1.2.3/go.mod": "module m\n", "mod/m@v1.2.3/p/k.cudagen.json": made}},
		{name: "edited in the module cache", at: "mod/m@v1.2.3/p", change: map[string]string{"mod/m@v1.2.3/p/k.cudagen.json": made, "mod/m@v1.2.3/p/k.cu": "x"}, want: []string{"k.cu changed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t, whole)
			for name, content := range test.change {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if content == "-" {
					require.NoError(t, os.Remove(path))
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			}
			if test.at == "" {
				test.at = "m/p"
			}
			r, err := Read(filepath.Join(dir, filepath.FromSlash(test.at), "k.cudagen.json"))
			require.NoError(t, err)
			assert.Equal(t, test.want, r.Changed())
			assert.True(t, r.Has("k.ptx", "x"))
			assert.False(t, r.Has("k.ptx", "y"))
		})
	}
}

func TestRead(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "k.cudagen.json"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	for text, want := range map[string]string{
		"<<<<<<< ours":               "damaged record: invalid character",
		`{"format": 2, "inputs": 3}`: "has format 2, and this version of cudagen reads up to 1: update it",
		`{"format": 1, "inputs": [{"path": "/etc/passwd"}]}`: `input "/etc/passwd" is not a relative path`,
	} {
		_, err := Read(filepath.Join(tree(t, map[string]string{"k.cudagen.json": text}), "k.cudagen.json"))
		assert.ErrorContains(t, err, want)
	}
	dir := tree(t, map[string]string{"go.mod": "", "k.cudagen.json": recordOf("k.cu", ""), "k.cu/x": ""})
	r, err := Read(filepath.Join(dir, "k.cudagen.json"))
	require.NoError(t, err)
	assert.Equal(t, []string{"k.cu cannot be read: is not a file"}, r.Changed())
}

func TestLocal(t *testing.T) {
	for name, want := range map[string]bool{
		"k.cu": true, "a/k.cu": true, "../k.cu": true, "../../a b/k.cu": true, "..k.cu": true,
		"": false, ".": false, "..": false, "../": false, "../..": false, "/k.cu": false, "a/../k.cu": false, "./k.cu": false, "a//k.cu": false, "a/": false, "../../": false, "a\x00": false,
	} {
		assert.Equal(t, want, Local(name), "%q", name)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(recordOf("k.cu", "x", "../v.h", "y"))
	f.Add(`{"format": 1, "inputs": [{"path": "../../../../etc/passwd"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		dir := tree(t, map[string]string{"p/k.cudagen.json": text})
		r, err := Read(filepath.Join(dir, "p", "k.cudagen.json"))
		if (r == nil) == (err == nil) {
			t.Fatalf("record %v, error %v", r, err)
		}
		if r == nil {
			return
		}
		for _, change := range r.Changed() {
			if change == "" {
				t.Error("a change without words")
			}
		}
	})
}
