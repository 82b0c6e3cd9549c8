package output_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
)

// What a hand-written file of the package declares, too, is a warning, if the go command builds it.
func TestRedeclared(t *testing.T) {
	path := gentest.Write(t, "k.cu", gentest.PlainSource)
	dir := filepath.Dir(path)
	for name, text := range map[string]string{
		"hand.go":       "package p\n\n// K is mine.\ntype K struct{}\n\nfunc LoadK() {}\n\nfunc (K) Launch() {}\n\nvar kept, kParams int\n",
		"off.go":        "//go:build ignore\n\npackage p\n\ntype K int\n",
		"k_plan9.go":    "package p\n\ntype K int\n",
		"of_another.go": "package other\n\ntype K int\n",
		"k_test.go":     "package p\n\ntype K int\n",
		"k_x_test.go":   "package p_test\n\ntype K int\n",
		"broken.go":     "package p\n\ntype K\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	o := gentest.Options(path, gentest.Makes(gentest.Plain))
	o.Package = "p"
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	var got []string
	for _, w := range result.Warnings {
		rel, err := filepath.Rel(dir, w.Pos.Filename)
		require.NoError(t, err)
		w.Pos.Filename = rel
		got = append(got, w.Error())
	}
	require.Len(t, got, 5)
	assert.Equal(t, "k_cuda.go: is of package p, and of_another.go beside it of package other, which go build refuses: give both one with -pkg, or generate into another folder with -o", got[3])
	assert.Regexp(t, `^k_test.go:3:6: K is declared in k_cuda.go, too`, got[4])
	assert.Regexp(t, `^hand.go:4:6: K is declared in k_cuda.go, too, in line \d+, and go build refuses that: rename it, or give what is generated another name with //cudagen:kernel GoName, -name or //cudagen:type$`, got[0])
	assert.Regexp(t, `^hand.go:6:6: LoadK is declared in k_cuda.go, too`, got[1])
	assert.Regexp(t, `^hand.go:10:11: kParams is declared in k_cuda.go, too`, got[2])

	// Nothing was written, and nothing is told again.
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Warnings)
}
