package cu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
)

// A macro whose text has an operator outside of parentheses is known as such.
func TestLooseMacros(t *testing.T) {
	for _, test := range []struct{ text, loose string }{
		{"4+4", "4+4"}, {"(4+4)", ""}, {"4", ""}, {"-1", ""}, {"- 1", ""}, {"~3", ""}, {"sizeof(int)", ""}, {"int(3)", ""}, {"int{3}", ""},
		{"A * 2", "(4+4) * 2"}, {"A", ""}, {"B", "4+4"}, {"(1)-2", "(1)-2"}, {"1 ? 2 : 3", "1 ? 2 : 3"}, {"- -1", ""}, {"1<<4", "1<<4"}, {"V<3>::m", ""},
	} {
		for _, use := range []string{"//cudagen:shared M\n", ""} { // with and without a kernel that names it
			file, err := cu.ParseFile("k.cu", []byte("#define A (4+4)\n#define B 4+4\n#define M "+test.text+
				"\ntemplate<int N> struct V { enum { m = N }; };\n//cudagen:block 32\n//cudagen:threads n\n"+use+"__global__ void k(int n) {}\n"))
			require.NoError(t, err)
			assert.Contains(t, file.Constants, "M", test.text)
			assert.Equal(t, test.loose, file.Loose["M"], test.text)
		}
	}
}
