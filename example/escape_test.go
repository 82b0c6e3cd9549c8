package example_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

const generated = "kernels_cuda.go"

// A program is what the compiler made of this package with generated files replaced.
type program struct {
	decisions string              // what -m printed
	calls     map[string][]string // by function that launches: what it calls, in its object code
}

// compile compiles this package with source for its generated file.
func compiled(t *testing.T, source string) program {
	t.Helper()
	dir := t.TempDir()
	replaced, overlay := filepath.Join(dir, generated), filepath.Join(dir, "overlay.json")
	name, err := filepath.Abs(generated)
	require.NoError(t, err)
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {name: replaced}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(replaced, []byte(source), 0o600))
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	archive := filepath.Join(dir, "example.a")
	goTool := testenv.GoPath(t)
	decisions, err := exec.Command(goTool, "build", "-overlay", overlay, "-gcflags=-m", "-o", archive, ".").CombinedOutput()
	require.NoError(t, err, "%s", decisions)
	code, err := exec.Command(goTool, "tool", "objdump", "-s", launches, archive).Output()
	require.NoError(t, err)
	return program{string(decisions), callsIn(string(code))}
}

// launches matches the functions of which the object code is looked at: to read all takes seconds.
const launches = `Kernel\)\.launch$`

var (
	functionLine = regexp.MustCompile(`^TEXT \S*/example\.(\S+)\(SB\)`)
	relocation   = regexp.MustCompile(`R_(?:CALL|CALLARM64|CALLIND)[A-Z0-9]*(?::([^\s<]+))?`)
	indirectCall = regexp.MustCompile(`\s(?:CALL|BL|BLR)\s+\(?(?:[A-Z]+[0-9]*)\)?\s*$`)
)

// callsIn lists what each function of this package calls; a call through a register is
// "indirect".
func callsIn(objdump string) map[string][]string {
	calls := make(map[string][]string)
	function := ""
	for line := range strings.Lines(objdump) {
		line = strings.TrimRight(line, "\n\t ")
		if strings.HasPrefix(line, "TEXT ") {
			function = "" // of another package, made for a type of this one
			if m := functionLine.FindStringSubmatch(line); m != nil {
				function = m[1]
				calls[function] = []string{}
			}
			continue
		}
		if function == "" {
			continue
		}
		callee := ""
		if m := relocation.FindStringSubmatch(line); m != nil {
			if callee = m[1]; callee == "" {
				callee = "indirect"
			}
		} else if indirectCall.MatchString(line) {
			callee = "indirect"
		}
		if callee != "" && !slices.Contains(calls[function], callee) {
			calls[function] = append(calls[function], callee)
		}
	}
	return calls
}

// allowedCalls are what a method that launches may call: the launch, errors, a checked product, what directives
// demand of a configuration, and what grows its stack.
var allowedCalls = regexp.MustCompile(`^(github\.com/cudagen/cudagen/runtime/cuda\.(generated\.(Launch|Overflow|ShortSlice|BadSize|NegativeInput|LargeInput|Few|LacksBlocks|Attributes)|\(\*Kernel\)\.share)|github\.com/cudagen/cudagen/runtime/cuda/internal/sizes\.Arithmetic\.MulSizes|runtime\.morestack\w*)$`)

// launchMethod matches the methods that launch: Launch and LaunchWith call launch, which the third one is.
var launchMethod = regexp.MustCompile(`^func \(k \*\w+Kernel\) (Launch|LaunchWith|launch)\(`)

// inlined matches what the compiler says of Launch and LaunchWith: each costs no call.
var inlined = regexp.MustCompile(`can inline \(\*\w+Kernel\)\.(Launch|LaunchWith)\b`)

// problems returns what is wrong with the methods in source: what escapes from those that
// launch, what they call besides a launch, and that Launch and LaunchWith are not inlined.
func (p program) problems(source string) (problems []string) {
	lines := strings.Split(source, "\n")
	type span struct{ first, last int }
	var methods []span
	for i := 0; i < len(lines); i++ {
		if launchMethod.MatchString(lines[i]) {
			first := i + 1
			for lines[i] != "}" {
				i++
			}
			methods = append(methods, span{first, i + 1})
		}
	}
	decision := regexp.MustCompile(`(?m)^\S*` + regexp.QuoteMeta(generated) + `:(\d+):\d+: (.*)$`)
	bad := regexp.MustCompile(`^moved to heap|escapes to heap`)
	for _, m := range decision.FindAllStringSubmatch(p.decisions, -1) {
		line := 0
		for _, c := range m[1] {
			line = 10*line + int(c-'0')
		}
		// A parameter "leaks" the pointers that it holds, not itself: a cfg of LaunchWith
		// that to attributes, streams and slices what a buffer remembers of its streams.
		if !bad.MatchString(m[2]) {
			continue
		}
		if slices.ContainsFunc(methods, func(s span) bool { return s.first <= line && line <= s.last }) {
			problems = append(problems, m[1]+": "+m[2])
		}
	}
	found := 0
	for function, calls := range p.calls {
		found++
		for _, call := range calls {
			if !allowedCalls.MatchString(call) {
				problems = append(problems, function+" calls "+call)
			}
		}
		if !slices.ContainsFunc(calls, func(c string) bool { return strings.HasSuffix(c, "cuda.generated.Launch") }) {
			problems = append(problems, function+" does not launch")
		}
	}
	if n := len(inlined.FindAllString(p.decisions, -1)); n != len(methods)-found {
		problems = append(problems, fmt.Sprintf("%d of %d methods are inlined", n, len(methods)-found))
	}
	if 3*found != len(methods) || found == 0 {
		problems = append(problems, "the object code does not have the methods")
	}
	return problems
}

// TestNothingEscapesFromALaunch reads the compiler's decisions and the object code: in a
// method that launches nothing moves to the heap, arguments, configuration and parameter
// block do not escape, and it calls only the launch and the errors.
func TestNothingEscapesFromALaunch(t *testing.T) {
	testenv.Need(t, testenv.Long)
	text, err := os.ReadFile(generated)
	require.NoError(t, err)
	source := string(text)
	assert.Empty(t, compiled(t, source).problems(source))

	// The controls: one launch through an interface, a closure, and a block that is kept; and
	// a Launch that is not inlined.
	const launch = `return cuda.Generated.Launch(k.Kernel, s, cfg, computed, unsafe.Pointer(params), x.Owner(), y.Owner())`
	const wrapper = `return k.launch(s, nil, a, x, y)`
	for _, control := range []struct{ name, original, replacement, also, want string }{
		{"not inlined", wrapper, "if a == 0 {\n\t\t" + wrapper + "\n\t}\n\t" + wrapper, "", "methods are inlined"},
		{"interface", launch, "return through.launch(k.Kernel, s, cfg, unsafe.Pointer(params))",
			"type launcher interface {\n\tlaunch(*cuda.Kernel, *cuda.Stream, *cuda.LaunchConfig, unsafe.Pointer) error\n}\n\nvar through launcher\n", "calls indirect"},
		{"function variable", launch, `return through(k.Kernel, s, cfg, computed, unsafe.Pointer(params), x.Owner(), y.Owner())`, "var through = cuda.Generated.Launch\n", "escapes to heap"},
		{"kept", launch, "kept = params\n\t" + launch, "var kept *saxpyParams\n", "escapes to heap"},
	}[:testenv.Cases(1, 4)] {
		t.Run(control.name, func(t *testing.T) {
			changed := strings.Replace(source, control.original, control.replacement, 1) + "\n" + control.also
			require.NotEqual(t, source, changed)
			assert.Contains(t, strings.Join(compiled(t, changed).problems(changed), "\n"), control.want)
		})
	}
}
