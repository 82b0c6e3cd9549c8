package cu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
)

// TestWhereMacrosAreLoose: an operator counts outside of all kinds of brackets, and behind an operand only.
func TestWhereMacrosAreLoose(t *testing.T) {
	for text, loose := range map[string]string{
		"(1)+(2)": "(1)+(2)", "((1)+(2))": "", "int{1}+2": "int{1}+2", "int{1+2}": "", "E+1": "E+1", "(1+2)*(3)": "(1+2)*(3)",
		"sizeof(int[2+1])": "", "+1": "", "2  -  1": "2 - 1", "!(1 + 2)": "", "1 == 2": "1 == 2", "~ 1": "", "T[1]+2": "T[1]+2", "(T[1+0])": "",
	} {
		file, err := cu.ParseFile("k.cu", []byte("enum { E = 4 };\nconstexpr int T[2] = {1, 2};\n#define M "+text+"\n//cudagen:shared M\n//cudagen:block 32\n//cudagen:threads n\n__global__ void k(int n) {}\n"))
		require.NoError(t, err, text)
		assert.Contains(t, file.Constants, "M", text)
		assert.Equal(t, loose, file.Loose["M"], text)
	}
}

// TestMemberPointersOfTemplates: a parameter of a template that is a pointer to a member has its name behind the star.
func TestMemberPointersOfTemplates(t *testing.T) {
	for declaration, name := range map[string]string{
		"int (A::*f)(int)": "f", "int A::*m": "m", "int (N::A::*f)(int)": "f", "int (A::*)(int)": "", "int (*g)(A::B)": "g", "int (&g)(A)": "g", "A::B b": "b",
	} {
		file, err := cu.ParseFile("k.cu", []byte("struct A { int x; typedef int B; int f(int); };\nnamespace N { struct A { int f(int); }; }\ntemplate <"+declaration+"> __global__ void k(float *x) {}\n"))
		require.NoError(t, err, declaration)
		require.Len(t, file.Kernels, 1, declaration)
		require.Len(t, file.Kernels[0].TemplateParams, 1, declaration)
		assert.Equal(t, name, file.Kernels[0].TemplateParams[0].Name, declaration)
	}
}
