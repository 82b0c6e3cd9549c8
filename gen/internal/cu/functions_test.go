package cu

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// functionReasons are declarations of f with what is not understood of it.
var functionReasons = []struct{ source, want string }{
	{"extern \"C\" void f(int n);\nextern \"C\" void f(int m);\nvoid f(int);\nvoid f(float);", ""},
	{"extern \"C\" { void f(int n); void f(long n); }", "is declared with other types than in line 1"},
	{"extern \"C\" void f(int n) __asm__(\"g\");", "has another name in its library, by an asm label"},
	{"extern \"C\" void f(int n) __attribute__((ms_abi));", "has another calling convention, by ms_abi"},
	{"extern \"C\" {\n//cudagen:require a>0\nvoid f(int a, int b);\n//cudagen:require b>0\nvoid f(int b, int a);\n}", "has directives above two declarations, in which parameter 1 is called a and b"},
	{"extern \"C\" int *(f)(int n);\nextern \"C\" int *((f))(int n);\nextern \"C\" int *f(int n);", ""},
	{"extern \"C\" int (f)(int n);\nextern \"C\" int *f(int n);", "is declared with other types than in line 1"},
	{"extern \"C\" int (*(f)(int n))(float);", "has"},
	{"extern \"C\" void f(int n, ...);", "has an ellipsis, which is not understood here"},
	{"extern \"C\" void f(int n);\nextern \"C\" void f(int n) __asm__(\"g\");", "has another name in its library, by an asm label"},
	{"extern \"C\" void f(int n);\nextern __typeof__(f) f __asm__(\"g\");", "has another name in its library, by an asm label"},
	{"#pragma redefine_extname f g\nextern \"C\" void f(int n);", "has another name in its library, g, by #pragma redefine_extname"},
	{"extern \"C\" void f(int n);\n#define f f_v2", "is a macro where the header ends, and C calls f_v2 by it: choose that function, or write #undef f"},
	{"extern \"C\" void f(int n);\n#define f f", ""},
	{"extern \"C\" void f(int n);\n#define f(n) g(n)", ""},
	{"typedef int t(int, float *);\nextern \"C\" t f, *g;", ""},
	{"typedef int t(int, ...);\nextern \"C\" { t f; }", "has an ellipsis, which is not understood here"},
	{"extern \"C\" void f(gone n);", "has unknown type gone"},
}

func TestFunctions(t *testing.T) {
	c := Config{Functions: func(name string) bool { return name == "f" }}
	for _, test := range functionReasons {
		file, err := c.ParseFile("t.h", []byte(test.source))
		require.NoError(t, err)
		require.Len(t, file.Functions, 1, test.source)
		if test.want == "" {
			assert.Nil(t, file.Functions[0].Reason, test.source)
			continue
		}
		require.NotNil(t, file.Functions[0].Reason, test.source)
		assert.Contains(t, file.Functions[0].Reason.Message.Error(), test.want, test.source)
	}
	for _, source := range []string{"void f(int n);", "extern \"C\" int g(void);", "extern \"C\" { static inline void f(int n) {} }", "namespace a { void f(int n); }", "typedef int t(int);\nt f;", "typedef int t(int);\nextern \"C\" t *f;", "extern \"C\" { constexpr int f(int n) { return n; } }"} {
		file, err := c.ParseFile("t.h", []byte(source))
		require.NoError(t, err)
		assert.Empty(t, file.Functions, source)
	}
}
