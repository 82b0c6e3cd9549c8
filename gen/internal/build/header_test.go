package build_test

import (
	"context"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// A complainer is a compiler that says one thing of every source.
type complainer struct {
	gentest.Stub
	line    int
	message string
	hint    string // what package compile adds
}

func (c complainer) Compile(_ context.Context, r compile.Request) (*compile.Output, error) {
	m := diag.Message{Text: c.message, Remedy: diag.Do("%s", c.hint)}
	if c.hint != "" {
		m.Aside = "; " + c.hint
	}
	return nil, diag.List{{Pos: token.Position{Filename: r.Source, Line: c.line, Column: 10}, Message: m}}
}

// Where a compiler does not find a header, its error, which is the cause, names the folder.
func TestMissingHeader(t *testing.T) {
	for _, test := range []struct {
		name, source, message, want string
		headers                     []string
	}{
		{"nvcc", "#include \"c.h\"\n", "c.h: No such file or directory", "c.h: No such file or directory: add -I include", []string{"include/c.h"}},
		{"clang", "#include \"c.h\"\n", "'c.h' file not found", "'c.h' file not found: add -I include", []string{"include/c.h"}},
		{"NVRTC", "#include \"c.h\"\n", `cannot open source file "c.h"; NVRTC has no headers of the host`, `cannot open source file "c.h": add -I include`, []string{"include/c.h"}},
		{"a folder in its name", "#include <lib/c.h>\n", "lib/c.h: No such file or directory", "lib/c.h: No such file or directory: add -I include", []string{"include/lib/c.h"}},
		{"nowhere", "#include \"c.h\"\n", "c.h: No such file or directory", "c.h: No such file or directory: add -I with the folder that has it", nil},
		{"a library", "#include <curand.h>\n", "curand.h: No such file or directory; install it", "curand.h: No such file or directory; install it", nil},
		{"another message", "#include \"c.h\"\n", "expected a declaration", "expected a declaration", []string{"include/c.h"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"k/k.cu": test.source + "__global__ void k(float *y) { *y = SIZE; }\n"}
			for _, header := range test.headers {
				files[header] = "#define SIZE 4\n"
			}
			dir := gentest.Module(t, files)
			t.Chdir(dir)
			message, hint, _ := strings.Cut(test.message, "; ")
			o := gentest.Options(filepath.Join("k", "k.cu"), func() (compile.Compiler, error) { return complainer{line: 1, message: message, hint: hint}, nil })
			_, err := gen.Generate(t.Context(), o)
			var list diag.List
			require.ErrorAs(t, err, &list)
			require.NotEmpty(t, list)
			assert.Equal(t, test.want, list[0].Message.Error())
		})
	}
}
