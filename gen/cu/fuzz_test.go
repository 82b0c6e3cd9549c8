package cu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addSeeds adds the test data, the example and some traps to the corpus.
func addSeeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.cu")
	require.NoError(f, err)
	for _, name := range append(files, "../../example/kernels.cu") {
		src, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(src)
	}
	for _, src := range []string{
		"", "\\", "\\\n", "#", "#if\n", "#define A A\nint x[A];", "#define A B B\n#define B A A\nconst int n = A;",
		"template <", "struct", "struct {", "__global__", "__global__ void k(", "__global__ void ::(int)", "typedef", "enum {",
		"namespace", "inline namespace ::", "extern \"C\"", "using namespace a;", "[[", "alignas(", "R\"(", "'", "\"\\",
		"struct A { A(", "struct A { operator", "const int a = (((((", "#ifdef A\n#else\n}\n#endif", "#include",
	} {
		f.Add([]byte(src))
	}
}

func FuzzScan(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		s := newLexer(&source{name: "f.cu"}, src)
		last := -1
		for l := s.scan(); l.kind != tokEOF; l = s.scan() {
			require.Greater(t, l.pos().Offset, last, "the lexer stands still")
			require.Less(t, l.pos().Offset, len(src))
			require.NotEmpty(t, l.text)
			last = l.pos().Offset
		}
	})
}

func FuzzParseFile(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, e := range allErrors(t, "f.cu", src) {
			checkPosition(t, src, e.Pos.Offset, e.Pos.Line, e.Pos.Column)
			require.Equal(t, "f.cu", e.Pos.Filename, e.Msg)
			require.NotEmpty(t, e.Msg)
		}
		file, _ := ParseFile("f.cu", src)
		for _, k := range file.Kernels {
			require.NotEmpty(t, k.Name)
			checkPosition(t, src, k.Pos.Offset, k.Pos.Line, k.Pos.Column)
			for _, p := range k.Params {
				require.True(t, p.Type != nil || len(k.Errors) > 0, "a parameter without a type and without an error")
			}
		}
	})
}

// checkPosition demands that line and column are those of the offset in src.
func checkPosition(t *testing.T, src []byte, offset, line, column int) {
	t.Helper()
	require.GreaterOrEqual(t, offset, 0)
	require.LessOrEqual(t, offset, len(src))
	before := string(src[:offset])
	assert.Equal(t, strings.Count(before, "\n")+1, line, "line")
	assert.Equal(t, offset-strings.LastIndexByte(before, '\n'), column, "column")
}
