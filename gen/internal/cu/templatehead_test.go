package cu

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What messages suggest for a parameter of a template is of its kind.
func TestExampleArguments(t *testing.T) {
	const before = "namespace { enum class Mode { fast, slow }; }\ntypedef float (*Op)(float);\nusing Plain = void(int);\n"
	for parameters, want := range map[string][]string{
		"class T":                          {"float"},
		"int N, bool B":                    {"4", "true"},
		"Mode m":                           {"Mode::fast"},
		"float *p":                         {"nullptr"},
		"template <class> class C":         {"class_template"},
		"void (*f)(float *)":               {"function"},
		"void (&f)(float *)":               {"function"},
		"Op f":                             {"function"},
		"Plain *f":                         {"function"},
		"Plain f":                          {"function"},
		"class T, T (*f)(T, Strange)":      {"float", "function"},
		"class T, T N":                     {"float", "4"},
		"class T, T called":                {"float", "function"},
		"auto called":                      {"function"},
		"auto other":                       {"4"},
		"Strange called, Strange notACall": {"function", "4"},
		"int... N":                         {"4"},
		"int (*)[4]":                       {"nullptr"},
		"decltype(4) N":                    {"4"},
		"class, auto":                      {"float", "4"},
	} {
		t.Run(parameters, func(t *testing.T) {
			file, err := new(Config).ParseFile("k.cu", []byte(before+"template <"+parameters+">\n__global__ void k(float *x) { called(x); x.other(); x->notACall(other); }\n"))
			require.NoError(t, err)
			require.Len(t, file.Kernels, 1)
			var got []string
			for _, p := range file.Kernels[0].TemplateParams {
				got = append(got, p.Example)
			}
			assert.Equal(t, want, got)
		})
	}
}
