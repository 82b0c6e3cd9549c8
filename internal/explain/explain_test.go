package explain_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/explain"
	"github.com/cudagen/cudagen/internal/messages"
)

var example = regexp.MustCompile("(?s)```cuda\n(.*?)```")

// errorsOf returns what cudagen says of a source, without a compiler.
func errorsOf(t *testing.T, source string) (list []string) {
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	report := inspect.New(gen.NewReader(gen.Options{Package: "p"}).Read(path), inspect.Options{})
	for _, e := range report.Refused {
		list = append(list, e.Text)
	}
	for _, k := range report.Kernels {
		if k.Status == inspect.Unsupported {
			list = append(list, k.Reason)
		}
	}
	return list
}

// Each example has the code of its page, and what mends it has no error.
func TestExamples(t *testing.T) {
	examples := 0
	for _, class := range explain.Classes() {
		t.Run(class.Code, func(t *testing.T) {
			assert.NotEmpty(t, strings.TrimSpace(class.Text))
			found := example.FindAllStringSubmatch(class.Text, -1)
			if len(found) == 0 {
				return
			}
			examples++
			require.Len(t, found, 2, "an example and its mend")
			wrong := errorsOf(t, found[0][1])
			require.NotEmpty(t, wrong)
			assert.Equal(t, class.Code, explain.Code(wrong[0]), wrong[0])
			assert.Empty(t, errorsOf(t, found[1][1]))
		})
	}
	assert.Greater(t, examples, 15)
}

// Each rule has a page, and each page a rule, in the order of the codes.
func TestCodesAreComplete(t *testing.T) {
	var codes []string
	for _, class := range explain.Classes() {
		codes = append(codes, class.Code)
	}
	assert.True(t, slices.IsSorted(codes), codes)
	assert.Equal(t, len(codes), len(slices.Compact(slices.Clone(codes))))
	used := []string{explain.OfCompiler}
	for _, r := range rules {
		used = append(used, r.code)
	}
	slices.Sort(used)
	assert.Equal(t, codes, slices.Compact(used))
}

var update = flag.Bool("update", false, "rewrite messages.txt")

// packages are those whose messages reach users as diagnostics.
var packages = []string{"gen", "gen/internal/bind", "gen/internal/build", "gen/internal/compare", "internal/compile", "gen/internal/cu", "gen/internal/cu/lex", "gen/internal/directive",
	"internal/goname", "gen/internal/image", "gen/internal/layout", "gen/internal/output", "gen/internal/proof", "gen/internal/read", "internal/record", "gen/internal/selection",
	"internal/source", "internal/cufiles", "internal/toolchain", "gen/internal/witness", "templates", "cmd/cudagen", "internal/nvrtclib"}

// The messages that diagnostics are looked for in are those of the source, with the codes of the rules.
func TestMessagesAreCurrent(t *testing.T) {
	seen := make(map[string]bool)
	for _, name := range packages {
		found, err := messages.InPackage("../../" + name)
		require.NoError(t, err)
		for _, m := range found {
			text := strings.TrimSpace(verb.ReplaceAllString(m.Text, "…"))
			for strings.HasPrefix(text, "…: ") { // the name of what it is about
				text = strings.TrimPrefix(text, "…: ")
			}
			if text == "toolchain …: …" || text == "architecture …: …" {
				continue // names of users can stand so: see others
			}
			if code := ofMessage(name, m.Text); code != explain.OfCompiler && !slices.Contains(parts, m.Text) && strings.Contains(strings.Trim(text, " …"), " ") {
				seen[code+" "+strconv.Quote(text)+"\n"] = true
			}
		}
	}
	for text, code := range others {
		seen[code+" "+strconv.Quote(text)+"\n"] = true
	}
	want := strings.Join(slices.Sorted(maps.Keys(seen)), "")
	if *update {
		require.NoError(t, os.WriteFile("messages.txt", []byte(want), 0o644))
	}
	got, err := os.ReadFile("messages.txt")
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "run: go test ./internal/explain -run TestMessagesAreCurrent -update")
}

// others are messages that are put together of parts, and those of Go's packages and of compilers that say what
// cudagen explains.
var others = map[string]string{
	"data: …": "D111", "export: …": "D109", "type: …": "D110", "#if:": "S106", "#elif:": "S106",
	"need no nullable": "D103", "needs no nullable": "D103",
	"no nvcc in …": "C101", "no NVRTC in …": "C101", "no clang++ in …": "C101", "no program … in …": "C101",
	"toolchain 1…: …": "T101", "architecture sm_…: …": "C104", "architecture compute_…: …": "C104", // no name begins so
	"device function …": "S109", "device variable …": "S109",
	"is generated from a .cu file that no longer": "F103", "was generated from a .cu file that no longer": "F103",
	"name a .cu file": "U103", "there is no completion for …": "U101",

	"literal not terminated": "D104", "comment not terminated": "D104", // go/parser
	"can't evaluate field …": "M101", "error calling …: …": "M101", // text/template
	"flag needs an argument: …": "U101", "invalid value … for flag …": "U101", "invalid boolean value … for …": "U101", // flag
	"permission denied": "F106", "no space left on device": "F106", // syscall
	"Unsupported gpu architecture": "C104", "is not defined for option 'gpu": "C104", // nvcc, ptxas
}

// ofMessage returns the code of a message of a package. Only some packages tell of templates that make files.
func ofMessage(name, text string) string {
	sample := verb.ReplaceAllStringFunc(text, func(verb string) string {
		return map[byte]string{'d': "1", 'q': `"x"`, '%': "%"}[verb[len(verb)-1]]
	})
	rules := rules
	if name != "templates" && name != "gen/internal/output" && name != "cmd/cudagen" {
		rules = rules[1:]
	}
	if code := codeOf(sample, rules); code != explain.OfCompiler {
		return code
	}
	return codeOf(text, rules)
}

// verb is a verb of package fmt.
var verb = regexp.MustCompile(`%(?:\[\d+\])?[-+# 0-9.]*[a-zA-Z%]`)

// Each diagnostic in these packages has a class of its own, and is not taken for a message of the
// CUDA compiler: these are parts of messages, or text of another kind.
func TestMessagesHaveCodes(t *testing.T) {
	for _, name := range []string{"gen/internal/bind", "gen/internal/directive", "gen/internal/output", "gen/internal/proof", "gen/internal/read", "internal/source", "internal/cufiles"} {
		found, err := messages.InPackage("../../" + name)
		require.NoError(t, err)
		for _, m := range found {
			if codeOf(m.Text, rules) == explain.OfCompiler && !slices.Contains(parts, m.Text) {
				t.Errorf("%s: %q has no code (a rule in package explain is missing)", m.Pos, m.Text)
			}
		}
	}
}

// hostile are words of the rules and of the messages, as a user may name things.
func hostile(t *testing.T, most int) (words []string) {
	var text strings.Builder
	for _, r := range rules {
		text.WriteString(regexp.MustCompile(`\\\w|\(\?\w*`).ReplaceAllString(r.pattern, " ") + " ")
	}
	seen := regexp.MustCompile(`[A-Za-z_]{3,}`).FindAllString(text.String(), -1)
	slices.Sort(seen)
	seen = slices.Compact(seen)
	require.Contains(t, seen, "architecture")
	for i := 0; i < len(seen); i += max(1, len(seen)/most) {
		words = append(words, seen[i])
	}
	return append(words, "architecture", "standardize", "computeArch", "virtualWork", "macro", "include", "toolchain", "data")
}

// A message has its code, whatever names stand in it.
func TestCodesDoNotFollowNames(t *testing.T) {
	text, err := os.ReadFile("messages.txt")
	require.NoError(t, err)
	words := hostile(t, 20)
	for line := range strings.Lines(string(text)) {
		code, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		message, err := strconv.Unquote(quoted)
		require.NoError(t, err)
		plain := explain.Code(strings.ReplaceAll(message, "…", "x1"))
		for _, word := range words {
			for _, form := range []string{"…", "k: …", "x1: parameter x1: …"} {
				got := explain.Code(strings.ReplaceAll(strings.ReplaceAll(form, "…", message), "…", word))
				if got != plain && got != code {
					t.Errorf("%s of %q, named %s: %s", code, message, word, got)
				}
			}
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

// The names of kernels, parameters, types and macros change no code.
func TestNamesOfSourcesChangeNoCode(t *testing.T) {
	codes := func(source, name, other string) (list []string) {
		for _, message := range errorsOf(t, strings.ReplaceAll(strings.ReplaceAll(source, "NAME", name), "OTHER", other)) {
			list = append(list, explain.Code(message))
		}
		return list
	}
	words := append(hostile(t, 6), "step", "arch", "rows", "virtual_rows", "standard_n")
	words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(keywords, word) })
	kinds := make(map[string]bool)
	for _, source := range named {
		want := codes(source, "first1", "second2")
		require.NotEmpty(t, want, source)
		for _, code := range want {
			kinds[code] = true
		}
		for _, word := range words {
			assert.Equal(t, want, codes(source, word, word+"2"), "%s with %s", source, word)
			assert.Equal(t, want, codes(source, "first1", word), "%s with %s", source, word)
		}
	}
	assert.Greater(t, len(kinds), 8)
	assert.Equal(t, "D106", explain.Code("there is no parameter architecture (there are x, n)"))
	assert.Equal(t, explain.OfCompiler, explain.Code(`identifier "architecture" is undefined`))
}

// keywords are words of hostile that no user can name a thing with.
var keywords = []string{"block", "const", "export", "void", "virtual", "template", "include", "define", "elif", "else", "endif", "ifdef", "ifndef", "line", "undef", "concept", "using", "namespace", "double", "long", "union", "type", "has", "len", "max", "min", "cap", "data", "nil", "var", "for", "not", "and", "Gpu"}

// Each diagnostic of the corpus has a class.
func TestCorpusHasCodes(t *testing.T) {
	paths, err := filepath.Glob("../../gen/testdata/errors/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, message := range errorsOf(t, string(source)) {
			assert.NotEqual(t, explain.OfCompiler, explain.Code(message), message)
		}
	}
}

func TestFind(t *testing.T) {
	class, found := explain.Find("s102")
	require.True(t, found)
	assert.Equal(t, "unknown type", class.Title)
	_, found = explain.Find("S1020")
	assert.False(t, found)
	assert.Equal(t, explain.OfCompiler, explain.Code(`identifier "x" undeclared`))
}
