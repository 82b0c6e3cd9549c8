package explain_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/explain"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/messages"
)

var example = regexp.MustCompile("(?s)```cuda\n(.*?)```")

// errorsOf returns what cudagen says of a source, without a compiler.
func errorsOf(t testing.TB, source string) []inspect.Message { return errorsIn(t, "k.cu", source) }

// errorsIn returns what cudagen says of a source in a file called name.
func errorsIn(t testing.TB, name, source string) []inspect.Message {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	report := inspect.New(gen.NewReader(gen.Options{Package: "p"}).Read(path), inspect.Options{})
	list := report.Refused
	for _, k := range report.Kernels {
		if k.Status == inspect.Unsupported {
			list = append(list, k.Errors...)
		}
	}
	return list
}

// Each example has the code of its page, and what mends it has no error.
func TestExamples(t *testing.T) {
	examples := 0
	for _, class := range explain.Classes() {
		t.Run(string(class.Code), func(t *testing.T) {
			assert.NotEmpty(t, strings.TrimSpace(class.Text))
			found := example.FindAllStringSubmatch(class.Text, -1)
			if len(found) == 0 {
				return
			}
			examples++
			require.Len(t, found, 2, "an example and its mend")
			wrong := errorsOf(t, found[0][1])
			require.NotEmpty(t, wrong)
			assert.Equal(t, class.Code, wrong[0].Code, wrong[0].Text)
			assert.Empty(t, errorsOf(t, found[1][1]))
		})
	}
	assert.Greater(t, examples, 15)
}

// codes returns the codes of package diag, by their names.
func codes(t *testing.T) map[string]diag.Code {
	paths, err := filepath.Glob("../../internal/diag/*.go")
	require.NoError(t, err)
	found := make(map[string]diag.Code)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(\w+) +Code = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = diag.Code(m[2])
		}
	}
	require.Equal(t, diag.UnknownType, found["UnknownType"])
	return found
}

// Each code has a page, in the order of the codes, and a test that makes a diagnostic of it: the example of its
// page, or one that names the code.
func TestCodesAreComplete(t *testing.T) {
	tests := testsOf(t)
	var want []diag.Code
	for name, code := range codes(t) {
		want = append(want, code)
		class, _ := explain.Find(string(code))
		made := regexp.MustCompile(`\bdiag\.` + name + `(, diag\.CodeOf\(|\},\n)`) // an assertion, or a row of TestCodes of the command
		if !example.MatchString(class.Text) && !made.MatchString(tests) {
			t.Errorf("no test makes a diagnostic of the code %s, diag.%s", code, name)
		}
	}
	slices.Sort(want)
	var pages []diag.Code
	for _, class := range explain.Classes() {
		pages = append(pages, class.Code)
	}
	assert.Equal(t, want, pages)
}

// testsOf returns the texts of the tests of other packages.
func testsOf(t *testing.T) string {
	var b strings.Builder
	for _, pattern := range []string{"../*/*_test.go", "../../gen/*_test.go", "../../gen/internal/*/*_test.go", "../../cmd/cudagen/*_test.go"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			b.Write(text)
		}
	}
	return b.String()
}

// Each error of the packages that read sources and make Go of them has a code from where it is made.
func TestErrorsHaveCodes(t *testing.T) {
	for _, name := range packages {
		found, err := messages.Uncoded("../../" + name)
		require.NoError(t, err)
		for _, pos := range found {
			t.Errorf("%s: an error without a code: make it of one of package diag", pos)
		}
	}
}

// named are sources whose diagnostics have names of the user: NAME and OTHER.
var named = []string{
	"//cudagen:block 256\n__global__ void NAME(float *x, int n) {}\n",
	"//cudagen:block 256\n//cudagen:threads OTHER\n__global__ void NAME(float *x, int n) {}\n",
	"//cudagen:block 4096\n//cudagen:threads NAME\n__global__ void OTHER(float *x, int NAME) {}\n",
	"//cudagen:nullable OTHER\n__global__ void NAME(float *x, int n) {}\n",
	"//cudagen:nullable OTHER\n__global__ void NAME(float *x, int OTHER) {}\n",
	"//cudagen:len x=OTHER\n__global__ void NAME(float *x, int n) {}\n",
	"//cudagen:len x=NAME+\n__global__ void OTHER(float *x, int NAME) {}\n",
	"//cudagen:infer OTHER=len(x)\n__global__ void NAME(float *x, int n) {}\n",
	"__global__ void NAME(mystery_t OTHER) {}\n",
	"__global__ void OTHER(NAME_t x) {}\n",
	"struct NAME_s;\n__global__ void OTHER(NAME_s x) {}\n",
	"struct NAME_s { virtual void f(); };\n__global__ void OTHER(NAME_s x) {}\n",
	"__global__ int NAME(int OTHER) {}\n",
	"//cudagen:kernel NAME lower\n__global__ void OTHER(int n) {}\n",
	"//cudagen:oops\n__global__ void NAME(int OTHER) {}\n",
	"//cudagen:block 256\nint NAME;\n__global__ void OTHER(int n) {}\n",
	"//cudagen:data NAME\n__global__ void OTHER(int n) {}\n",
	"template <class NAME_T> __global__ void OTHER(NAME_T x) {}\n//cudagen:instantiate NAME_T=mystery_t\ntemplate <class NAME_T> __global__ void OTHER2(NAME_T x) {}\n",
	"#define NAME_M(x) x\n#if NAME_M(\n#endif\n__global__ void OTHER(int n) {}\n",
	"namespace NAME_N { __global__ void OTHER(__int256 x) {} }\n",
	"//cudagen:kernel has unknown NAME type\n__global__ void OTHER(int n) {}\n",
}

// packages are those whose errors reach users as they are.
var packages = []string{"gen", "gen/internal/bind", "gen/internal/build", "gen/internal/compare", "internal/compile", "gen/internal/cu", "gen/internal/cu/lex", "gen/internal/directive",
	"gen/internal/image", "gen/internal/layout", "gen/internal/output", "gen/internal/proof", "gen/internal/read", "gen/internal/selection", "gen/internal/witness", "internal/source", "internal/cufiles",
	"internal/record", "internal/toolchain", "cmd/cudagen", "templates"}

// hostile returns the words of all messages that a user may name a thing with.
func hostile(t *testing.T) []string {
	var words []string
	for _, name := range packages {
		found, err := messages.InPackage("../../" + name)
		require.NoError(t, err)
		for _, m := range found {
			words = append(words, regexp.MustCompile(`[A-Za-z_]{3,}`).FindAllString(m.Text, -1)...)
		}
	}
	slices.Sort(words)
	words = slices.DeleteFunc(slices.Compact(words), func(word string) bool { return strings.HasPrefix(word, "_") || slices.Contains(keywords, word) })
	require.Subset(t, words, []string{"architecture", "macro", "directive", "toolchain"})
	return append(words, "standardize", "computeArch", "virtualWork", "virtual_rows")
}

// The names of kernels, parameters, types, macros and files change no code and no remedy, but for the names in it.
func TestNamesChangeNoCode(t *testing.T) {
	type said struct {
		code   diag.Code
		remedy string
	}
	of := func(source, name, other string) (list []said) {
		for _, message := range errorsIn(t, other+".cu", strings.ReplaceAll(strings.ReplaceAll(source, "NAME", name), "OTHER", other)) {
			list = append(list, said{message.Code, message.Fix})
		}
		return list
	}
	kinds, remedies := make(map[diag.Code]bool), 0
	var want [][]said
	for _, source := range named {
		one := of(source, "first1", "second2")
		require.NotEmpty(t, one, source)
		for _, s := range one {
			kinds[s.code] = true
			if s.remedy != "" {
				remedies++
			}
		}
		want = append(want, one)
	}
	assert.Greater(t, len(kinds), 8)
	assert.Greater(t, remedies, 15)
	const near = "did you mean" // what is near depends on names
	for i, word := range hostile(t) {
		j := i % len(named)
		name, other := word, word+"2"
		if i/len(named)%2 == 1 {
			name, other = "first1", word
		}
		is := of(named[j], name, other)
		require.Len(t, is, len(want[j]), "%s with %s", named[j], word)
		for k, s := range want[j] {
			s.remedy = strings.NewReplacer("first1", name, "second2", other, "First1", goname.Exported(name), "Second2", goname.Exported(other)).Replace(s.remedy)
			if strings.HasPrefix(s.remedy, near) || strings.HasPrefix(is[k].remedy, near) {
				s.remedy, is[k].remedy = "", ""
			}
			assert.Equal(t, s, is[k], "%s with %s", named[j], word)
		}
	}
}

// keywords are words of messages that no user can name a thing with, or with which cudagen knows a meaning.
var keywords = strings.Fields(`alignas alignof and auto block bool cap case catch char class concept const constexpr data decltype default define
	delete do double elif else endif enum explicit export extern false float for friend func go Gpu has if ifdef ifndef include inline int len line
	linux long max min mutable namespace new nil noexcept not operator or package private protected public range register restrict return
	short signed sizeof static struct switch template this throw time true try type typedef typename undef union unix unsigned using var
	virtual void volatile while xor`)

// Each diagnostic of the corpus has a code, and is not taken for one of a compiler.
func TestCorpusHasCodes(t *testing.T) {
	paths, err := filepath.Glob("../../gen/testdata/errors/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, message := range errorsOf(t, string(source)) {
			assert.NotContains(t, []diag.Code{"", diag.OfCompiler}, message.Code, message.Text)
		}
	}
}

func TestFind(t *testing.T) {
	class, found := explain.Find("s102")
	require.True(t, found)
	assert.Equal(t, "unknown type", class.Title)
	_, found = explain.Find("S1020")
	assert.False(t, found)
}

// What an edit replaces stands at the place of its message, which is gone then.
func TestEdits(t *testing.T) {
	sources := []string{
		"//cudagen:block 32\n\t//cudagen:treads n\n__global__ void k(int n) {}\n",
		"\ufeff//cudagen:blok 32\r\n//cudagen:threads n\r\n__global__ void k(int n) {}\r\n",
		"//cudagen:exprt\n__constant__ int taps;\n__global__ void k(int n) {}\n",
		"//cudagen:kernel scale\n__global__ void k(int n) {}\n",
		"/* é */ //cudagen:kernel\n//cudagen:nullable  values,coutn\n__global__ void k(float *values, float *count) {}\n",
		"//cudagen:len value=n\n__global__ void k(float *values, int n) {}\n",
		"//cudagen:infer n=len(valuse)\n__global__ void k(float *values, int n) {}\n",
		"//cudagen:block 32\n//cudagen:threads (widht + 3)*height\n__global__ void k(int width, int height) {}\n",
		"//cudagen:texture t=flaot4\n__global__ void k(cudaTextureObject_t t) {}\n",
		"constexpr int TILE = 8;\n//cudagen:block TIEL\n//cudagen:threads n\n__global__ void k(int n) {}\n",
	}
	edits := 0
	for _, class := range explain.Classes() {
		for _, found := range example.FindAllStringSubmatch(class.Text, -1) {
			sources = append(sources, found[1])
		}
	}
	for i, source := range sources {
		list := errorsOf(t, source)
		assert.True(t, i >= 10 || slices.ContainsFunc(list, func(m inspect.Message) bool { return m.Edit != nil }), source)
		for _, m := range list {
			if m.Edit == nil {
				continue
			}
			edits++
			lines := strings.SplitAfter(source, "\n")
			line := &lines[m.Line-1]
			rest, found := strings.CutPrefix((*line)[m.Column-1:], m.Edit.Old)
			require.True(t, found, "%s: not at %d of %q", m, m.Column, *line)
			*line = (*line)[:m.Column-1] + m.Edit.New + rest
			for _, other := range errorsOf(t, strings.Join(lines, "")) {
				assert.NotEqual(t, m.Text, other.Text, lines)
			}
		}
	}
	assert.Greater(t, edits, 10)
}
