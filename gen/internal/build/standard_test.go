package build_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// Template parameters of class types need C++20: the error says so where the standard is an older one.
func TestClassParameterHint(t *testing.T) {
	const (
		nvcc  = "a nontype template parameter may not have class type"
		clang = "a non-type template parameter cannot have type 'P' before C++20"
		hint  = ": template arguments of class types are C++20: give -std c++20"
	)
	for _, test := range []struct {
		name, message string
		change        func(*gen.Options)
		want          string
	}{
		{"nvcc", nvcc, func(*gen.Options) {}, nvcc + hint},
		{"clang", clang, func(*gen.Options) {}, clang + hint},
		{"an older standard", nvcc, func(o *gen.Options) { o.Std = "c++14" }, nvcc + hint},
		{"C++20", nvcc, func(o *gen.Options) { o.Std = "c++20" }, nvcc},
		{"C++20 by the compiler's flag", nvcc, func(o *gen.Options) { o.CompilerFlags = []string{"-std=c++20"} }, nvcc},
		{"another message", "expected a declaration", func(*gen.Options) {}, "expected a declaration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", "struct P { int x; };\ntemplate <P p> __global__ void k(int *x) { *x = p.x; }\ntemplate __global__ void k<P{1}>(int *);\n")
			o := gentest.Options(path, func() (compile.Compiler, error) { return complainer{line: 2, message: test.message}, nil })
			test.change(&o)
			_, err := gen.Generate(t.Context(), o)
			var list diag.List
			require.ErrorAs(t, err, &list)
			require.NotEmpty(t, list)
			assert.Equal(t, test.want, list[0].Message.Error())
		})
	}
}
