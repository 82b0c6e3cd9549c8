package gen_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/messages"
)

// diagnosticsOf returns what generating from the file at path reports. Nothing is
// generated.
func diagnosticsOf(t *testing.T, path string) diag.List {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	copied := gentest.Write(t, filepath.Base(path), string(src))
	before := gentest.Snapshot(t, filepath.Dir(copied))
	_, err = gen.Generate(t.Context(), gentest.Options(copied, gentest.Makes(gentest.PTXOf(t, copied))))
	var list diag.List
	require.True(t, errors.As(err, &list), "%v", err)
	assert.Equal(t, before, gentest.Snapshot(t, filepath.Dir(copied)), "nothing is generated")
	return list
}

// Every diagnostic comes, at its place, and in the order of the source: one kernel does not
// hide the others.
func TestDiagnostics(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			want := messages.Expected(src)
			last := 0
			for _, e := range diagnosticsOf(t, path) {
				assert.GreaterOrEqual(t, e.Pos.Line, last, "they are sorted")
				last = e.Pos.Line
				found := false
				for i, pattern := range want[e.Pos.Offset] {
					if found = regexp.MustCompile(pattern).MatchString(e.Message.Error()); found {
						want[e.Pos.Offset] = append(want[e.Pos.Offset][:i:i], want[e.Pos.Offset][i+1:]...)
						break
					}
				}
				assert.True(t, found, "%s is not expected", e)
			}
			for _, patterns := range want {
				assert.Empty(t, patterns, "errors that did not come")
			}
		})
	}
}

// Every diagnostic of the packages behind the front end that a source can cause is in the
// test data, where TestDiagnostics demands it. What gen/internal/output reports is about
// other files, and what gen/internal/proof does about what compilers say.
func TestEveryDiagnosticHasACase(t *testing.T) {
	var list []messages.Message
	for _, dir := range []string{".", "internal/read", "internal/build", "internal/bind", "internal/directive", "internal/layout"} {
		found, err := messages.InPackage(dir)
		require.NoError(t, err)
		list = append(list, found...)
	}
	paths, err := filepath.Glob("testdata/errors/*.cu")
	require.NoError(t, err)
	var seen []string
	for _, path := range paths {
		for _, e := range diagnosticsOf(t, path) {
			seen = append(seen, e.Message.Error())
		}
	}
	missing := messages.Missing(list, seen)
	exempted := map[string]bool{}
	for _, m := range missing {
		if exemptFunctions[m.Func] != "" {
			exempted[m.Func] = true
			continue
		}
		_, ok := exempt[m.Text]
		assert.True(t, ok, "%s: no case has the diagnostic %q", m.Pos, m.Text)
	}
	for function := range exemptFunctions {
		assert.True(t, exempted[function], "exempt, and its messages have cases: %s", function)
	}
	for text := range exempt {
		assert.True(t, slices.ContainsFunc(missing, func(m messages.Message) bool { return m.Text == text }), "exempt, and not missing: %q", text)
	}
}

// exemptFunctions are about something else than one source, and where their messages are
// tested.
var exemptFunctions = map[string]string{
	"build.encode":         "the cache",
	"verdictKey":           "the cache",
	"GenerateAll":          "an interruption: TestCanceledWhileLocked",
	"embedding.add":        "-embed source: TestEmbedSource",
	"embedding.conditions": "-embed source: TestEmbedSource",
	"embedding.obstacle":   "-embed source: TestEmbedSource",
	"embedding.refuse":     "-embed source: TestEmbedSource",
	"Embed.embedded":       "-embed source: TestEmbedSource",
	"unit.offerInstances":  "the image: TestInstancesOfImages",
	"Options.checkLink":    "-dlink: TestLinkOptions",
	"unit.compileOne":      "-dlink: TestLinkByEveryCompiler",
	"unit.linkMessage":     "-dlink: TestLinkRefuses, TestLinkCircle",
	"unit.missingToo":      "what compilers say: TestAllMissingHeaders",
	"unit.withArch":        "what compilers say: TestArchIsSuggested",
	"unit.refusedPTX":      "what ptxas says: TestArchOfInlineAssembly",
	"suggestArch":          "an option: TestArchOfErrorLines",
	"unit.compile":         "what compilers make: TestTargets, TestWhatIsStaleIsCompiled",
	"assemble":             "the compiler's PTX: TestPTXVersion",
	"fallBack":             "compilers: TestFallBackToNVRTC",
	"lower":                "the compiler's PTX: TestPTXVersion",
	"obtainImages":         "images, records and compilers: TestTargets, TestWhatIsStaleIsCompiled",
	"Options.targets":      "images, records and compilers: TestTargets, TestWhatIsStaleIsCompiled",
	"unit.agree":           "images, records and compilers: TestTargets, TestWhatIsStaleIsCompiled",
	"unit.restorable":      "images and records: the script compiler_missing of cmd/cudagen",
	"unit.committedImages": "images, records and compilers: TestTargets, TestWhatIsStaleIsCompiled",
	"unit.recall":          "records and compilers: TestCompilerTells, TestTypesInRecords",
	"Options.check":        "options: TestOutputOptions",
	"unit.readAnswers":     "compilers",
	"Difference":           "several sources: TestSharedTypesMustBeTheSame",
	"enumDifference":       "several sources: TestSharedTypesMustBeTheSame",
	"structDifference":     "several sources: TestSharedTypesMustBeTheSame",
	"Offset":               "constant expressions: TestConstantExpressions",
	"classBuilder.stated":  "records and compilers: layout.TestStated",
}

// exempt are the texts in the packages that no source file causes, and why.
var exempt = map[string]string{
	"-name %s: is not an exported Go name": "an option",
	"-tags %s: %w":                         "an option",

	"is of a class that is bytes in Go, because only the debug information states all that it holds, and nothing confirms that": "a note: TestStandardClasses",

	"//cudagen:instantiate <…>":                                                           "a note: TestAdvisedInstances",
	": template arguments of class types are C++20: …":                                    "a compiler's error: TestClassParameterHint",
	"is a template without instances here, so it is not wrapped: %w":                      "a note: TestIdleTemplates",
	"there is no kernel (a __global__ function) in this file (%w)":                        "an included file: TestIncludedKernels",
	"there is no kernel (a __global__ function) in this file, and line %d makes none: %w": "an included file: TestUnknownInstanceOfAnIncludedTemplate",

	"is generated again, because its Go names depend on those of …":                       "several sources: TestContestsEnd",
	"the Go names of %s depend on those in this file: %w":                                 "several sources: TestContestsEnd",
	"-pkg %s: is not a Go package name":                                                   "an option",
	"is not a .cu file: %w":                                                               "the file's name",
	"begins with %s, and Go ignores files named so: %w":                                   "the file's name",
	"its parameters have %d bytes, and below compute capability 7.0 they may have %d: %w": "an option: TestParametersOfOldDevices",

	"%dLL - 1": "C++", "static_assert((long long)(%[1]s) == %[2]s, \"%[1]s is %[3]d by the source, which cudagen reads with another %[4]s: do not let it depend on that\");\n": "the compiler: TestConstantsAreTheCompilers",

	"is __managed__ and has internal linkage, and -embed source needs its symbol, which NVRTC does not report: %w": "an option: TestManagedVariablesOfEmbeddedSource",

	"it is overloaded": "a comment in generated code", "//cudagen:block and //cudagen:threads": "a comment in generated code",

	// The front end refuses these before.
	"base class %s of %s: %w": "a base without a layout", "%s has no size": "void", "array %s has no elements": "a bound of 0",
	"type %v has no layout": "no type", "struct %s contains itself": "an incomplete member",
	"layout of %s is not known: it is declared, but not defined in this file or what it includes": "an incomplete class",

	// What has a layout has a Go type: TestGoType.
	"struct %s: field %s: %w": "", "type %v has no Go type": "", "%s has no Go type": "", "vector type %s has no Go type": "",
}
