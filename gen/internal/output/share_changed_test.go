package output_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
)

const (
	pairOf   = "struct Pair { int n; float v; };\n"
	pairTurn = "struct Pair { float v; int n; };\n"
)

func kernelOf(name, parameters string) string {
	return "extern \"C\" __global__ void " + name + "(" + parameters + ") {}\n"
}

// The shared file declares a type once for builds that are never one: all of them must mean
// the same by it.
func TestSharedTypesOfOtherBuilds(t *testing.T) {
	for _, test := range []struct {
		name, windows, linux2 string
		want                  string
	}{
		{"one type", pairOf, pairOf, ""},
		{"turned members", pairTurn, pairOf, "Pair is another type in "},
		{"nothing is shared", pairTurn, "", ""},
	} {
		for _, order := range [][]string{{"a.cu@linux", "b.cu@linux", "c.cu@windows"}, {"c.cu@windows", "b.cu@linux", "a.cu@linux"}} {
			t.Run(test.name+" "+order[0], func(t *testing.T) {
				parameter := map[bool]string{true: "Pair p", false: "int n"}
				dir := gentest.Module(t, map[string]string{
					"a.cu": pairOf + kernelOf("a", "Pair p"),
					"b.cu": test.linux2 + kernelOf("b", parameter[test.linux2 != ""]),
					"c.cu": test.windows + kernelOf("c", "Pair p"),
				})
				var err error
				for _, name := range order {
					if err == nil {
						_, err = generateIn(t, dir, name)
					}
				}
				if test.want == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, test.want)
					assert.Equal(t, diag.TypesDiffer, diag.CodeOf(err))
				}
			})
		}
	}
}

// A header that changes is no clash with the output of sources that are not generated yet. Until
// they are, the package does not compile.
func TestSharedTypesThatChange(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"size", "struct Pair { int n; };\n", pairOf},
		{"turned members", pairOf, pairTurn},
		{"enumerators", "enum Pair { x };\n", "enum Pair { x = 4 };\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{
				"s.h":  test.before,
				"a.cu": "#include \"s.h\"\n" + kernelOf("a", "Pair *p"), "b.cu": "#include \"s.h\"\n" + kernelOf("b", "Pair *p"),
			}
			dir := gentest.Module(t, copyOf(files))
			_, err := generateIn(t, dir, "a.cu", "b.cu")
			require.NoError(t, err)
			files["s.h"] = test.after
			want, err := generateIn(t, gentest.Module(t, copyOf(files)), "a.cu", "b.cu")
			require.NoError(t, err)
			writeIn(t, dir, "s.h", test.after)

			for range 2 {
				between, err := generateIn(t, dir, "b.cu")
				require.NoError(t, err)
				assert.Equal(t, want["cudagen_shared.go"], between["cudagen_shared.go"])
				assert.ErrorContains(t, checkPackage(t, between), "run_cudagen_again")
				result, err := gen.Check(folderOptions(t, dir, []string{"b.cu"}))
				require.NoError(t, err)
				assert.True(t, result.OK(), "%+v", result)
				result, err = gen.Check(folderOptions(t, dir, []string{"a.cu"}))
				require.NoError(t, err)
				assert.NotEmpty(t, result.Stale)
			}
			got, err := generateIn(t, dir, "a.cu")
			require.NoError(t, err)
			assert.Equal(t, want, got)
			require.NoError(t, checkPackage(t, got))
		})
	}
}

// A kernel and a type may move from one source to the other, whichever is generated first.
func TestNamesThatMove(t *testing.T) {
	for _, order := range [][]string{{"a.cu", "b.cu"}, {"b.cu", "a.cu"}} {
		files := map[string]string{"a.cu": pairOf + kernelOf("step", "Pair p") + kernelOf("a", "int n"), "b.cu": kernelOf("b", "int n")}
		dir := gentest.Module(t, copyOf(files))
		_, err := generateIn(t, dir, "a.cu", "b.cu")
		require.NoError(t, err)
		files = map[string]string{"a.cu": kernelOf("a", "int n"), "b.cu": pairTurn + kernelOf("step", "Pair p") + kernelOf("b", "int n")}
		want, err := generateIn(t, gentest.Module(t, copyOf(files)), "a.cu", "b.cu")
		require.NoError(t, err)
		for name, content := range files {
			writeIn(t, dir, name, content)
		}
		for i, name := range order {
			between, err := generateIn(t, dir, name)
			require.NoError(t, err, "%v", order)
			if i == 0 && name == "b.cu" {
				assert.Error(t, checkPackage(t, between))
			}
		}
		for _, name := range order { // a type that one source no longer needs goes back with the other's next run
			_, err := generateIn(t, dir, name)
			require.NoError(t, err)
		}
		assert.Equal(t, want, gentest.Snapshot(t, dir), "%v", order)
	}
}

// Headers of one base name that declare the same type at several lines leave nothing to the order.
func TestSharedTypesOfHeadersOfOneName(t *testing.T) {
	files := map[string]string{
		"x/s.h": pairOf, "y/s.h": "\n\n" + pairOf,
		"p/a.cu": "#include \"../y/s.h\"\n" + kernelOf("a", "Pair p"), "p/b.cu": "#include \"../x/s.h\"\n" + kernelOf("b", "Pair p"),
	}
	want, err := generateIn(t, filepath.Join(gentest.Module(t, copyOf(files)), "p"), "a.cu", "b.cu")
	require.NoError(t, err)
	for _, order := range [][]string{{"a.cu", "b.cu"}, {"b.cu", "a.cu"}} {
		dir := filepath.Join(gentest.Module(t, copyOf(files)), "p")
		for _, name := range order {
			_, err := generateIn(t, dir, name)
			require.NoError(t, err)
		}
		assert.Equal(t, want, gentest.Snapshot(t, dir), "%v", order)
		for _, name := range order {
			result, err := gen.Check(folderOptions(t, dir, []string{name}))
			require.NoError(t, err)
			assert.True(t, result.OK(), "%s: %+v", name, result)
		}
	}
}

// A shared type whose comment names a source that is gone stays for those that are left.
func TestSharedTypeOfSourceThatIsGone(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"a.cu": pairOf + kernelOf("a", "Pair p"), "b.cu": pairOf + kernelOf("b", "Pair p"), "c.cu": pairOf + kernelOf("c", "Pair p"),
		"d.cu": kernelOf("d", "int n"),
	})
	_, err := generateIn(t, dir, "a.cu", "b.cu", "c.cu")
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.cu")))
	files, err := generateIn(t, dir, "d.cu")
	require.NoError(t, err)
	require.NoError(t, checkPackage(t, files))
	for _, name := range []string{"c.cu", "b.cu"} {
		files, err = generateIn(t, dir, name)
		require.NoError(t, err)
	}
	assert.Contains(t, files["cudagen_shared.go"], "(b.cu:1)")
}

// A source may be called like the shared file: that one is still nobody's own.
func TestSourceNamedLikeTheSharedFile(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"cudagen_shared.cu": pairOf + kernelOf("a", "Pair p"), "b.cu": pairOf + kernelOf("b", "Pair p"),
	})
	want, err := generateIn(t, dir, "cudagen_shared.cu", "b.cu")
	require.NoError(t, err)
	require.NoError(t, checkPackage(t, want))
	for _, name := range []string{"b.cu", "cudagen_shared.cu"} {
		files, err := generateIn(t, dir, name)
		require.NoError(t, err)
		assert.Equal(t, want, files)
	}
}

func writeIn(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}
