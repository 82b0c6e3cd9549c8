package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// fileName is the first line of a block that is a file.
var fileName = regexp.MustCompile(`^(?://|#|\{\{- /\*) (\S+\.(?:cu|go|yml|tmpl))`)

// A walk is what a page did in a folder so far.
type walk struct {
	env                      []string
	output                   string // of the last command
	files, commands, checked int
}

// blocks writes the files of a page, runs its commands, and compares outputs with what it shows.
func (w *walk) blocks(t *testing.T, page string) {
	for _, block := range docBlock.FindAllStringSubmatch(page, -1) {
		language, text := block[1], block[2]
		switch language {
		case "sh":
			for line := range strings.Lines(text) {
				words := strings.Fields(line)
				w.commands++
				require.Equal(t, "go", words[0], line)
				if words[1] == "mod" || words[1] == "get" {
					continue // emptyModule has done so
				}
				var err error
				w.output, err = goOutput(t, w.env, words[1:]...)
				require.NoError(t, err, "%s%s", line, w.output)
			}
		case "text":
			if name, content, ok := strings.Cut(text, ":\n"); ok && !strings.ContainsAny(name, " \n") {
				written, err := os.ReadFile(name)
				require.NoError(t, err)
				assert.Equal(t, content, strings.TrimRight(string(written), "\n")+"\n", name)
			} else {
				assert.Contains(t, w.output, text)
			}
			w.checked++
		default:
			m := fileName.FindStringSubmatch(text)
			require.NotNil(t, m, text)
			require.NoError(t, os.MkdirAll(filepath.Dir(m[1]), 0o755))
			require.NoError(t, os.WriteFile(m[1], []byte(text), 0o644))
			w.files++
		}
	}
}

// ownKernel is the heading below which the tutorial needs a compiler.
const ownKernel = "## A kernel of your own"

// addTemplate writes the template into the line for go generate, as the tutorial says.
func addTemplate(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	added := 0
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		const line = "//go:generate go tool cudagen "
		added += strings.Count(string(source), line)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(source), line, line+"-template list.tmpl ", 1)), 0o644))
	}
	require.Equal(t, 1, added)
}

// The steps of the tutorial that need Go and nothing else need nothing else: a program, a test, a
// template.
func TestTutorialWithoutCompiler(t *testing.T) {
	testenv.Need(t, testenv.Long)
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	steps, _, ok := strings.Cut(string(page), ownKernel)
	require.True(t, ok)
	emptyModule(t)
	none := t.TempDir()
	gocache, err := goOutput(t, nil, "env", "GOCACHE")
	require.NoError(t, err)
	w := walk{env: []string{"CUDAGEN_DEVICE=sim", "CUDAGEN_CACHE=off", "NVCC=", "NVRTC_LIB=", "CUDA_HOME=", "CUDA_PATH=", "VIRTUAL_ENV=", "CUDAGEN_TOOLCHAIN_DIR=" + none,
		"GOCACHE=" + strings.TrimSpace(gocache), "PATH=" + filepath.Dir(testenv.GoPath(t))}}
	w.blocks(t, steps)
	assert.Equal(t, []int{1, 6, 2}, []int{w.files, w.commands, w.checked}, "files, commands and outputs")

	// The record has the template: the line of main.go without it is an error of the check.
	check := append(w.env, "CUDAGEN_CHECK=1")
	output, err := goOutput(t, check, "generate", "./...")
	assert.Error(t, err)
	assert.Contains(t, output, "list.tmpl")
	addTemplate(t)
	output, err = goOutput(t, check, "generate", "./...")
	assert.NoError(t, err, output)
}

// Every file and every command of the tutorial does what the page says, in an empty module.
func TestTutorial(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	first, rest, ok := strings.Cut(string(page), ownKernel)
	require.True(t, ok)
	emptyModule(t)
	w := walk{env: []string{"CUDAGEN_DEVICE=sim"}}
	w.blocks(t, first)
	addTemplate(t)
	w.blocks(t, rest)
	assert.Equal(t, []int{5, 8, 2}, []int{w.files, w.commands, w.checked}, "files, commands and outputs in the tutorial")

	// What its workflow runs.
	workflow, err := os.ReadFile(".github/workflows/test.yml")
	require.NoError(t, err)
	assert.Contains(t, string(workflow), "- run: go generate ./...\n        env:\n          CUDAGEN_CHECK: \"1\"\n")
	assert.Contains(t, string(workflow), "- run: go test ./...\n")
	output, err := goOutput(t, []string{"CUDAGEN_CHECK=1"}, "generate", "./...")
	assert.NoError(t, err, output)
	output, err = goOutput(t, w.env, "test", "./...")
	assert.NoError(t, err, output)

	// What the first page says of a machine with a GPU.
	t.Run("GPU", func(t *testing.T) {
		testenv.Need(t, testenv.GPU)
		for _, test := range []struct{ device, prints string }{{"0", "device 0 (NVIDIA "}, {"sim", "simulated device"}} {
			out, err := goOutput(t, []string{"CUDAGEN_DEVICE=" + test.device}, "run", ".")
			require.NoError(t, err, out)
			assert.Contains(t, out, test.prints)
			assert.Contains(t, out, "2*x + y = [12 24 36 48]\n")
		}
	})

	// The control: without go generate the workflow fails.
	source, err := os.ReadFile("smooth.cu")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("smooth.cu", append(source, "// changed\n"...), 0o644))
	output, err = goOutput(t, []string{"CUDAGEN_CHECK=1"}, "generate", "./...")
	assert.Error(t, err)
	assert.Contains(t, output, "smooth.ptx is stale: smooth.cu changed")
}

// The whole program in the README runs in an empty module.
func TestReadmeProgram(t *testing.T) {
	testenv.Need(t, testenv.Long)
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "A whole program.")
	require.True(t, ok)
	program := docBlock.FindStringSubmatch(rest)
	require.NotNil(t, program)
	assert.LessOrEqual(t, strings.Count(program[2], "\n"), 32, "lines")
	emptyModule(t)
	require.NoError(t, os.WriteFile("program.go", []byte(program[2]), 0o644))
	out, err := goOutput(t, []string{"CUDAGEN_DEVICE=sim"}, "run", ".")
	require.NoError(t, err, out)
	assert.Equal(t, "[12 24 36]\n", out)
}

// commandLine finds the calls of cudagen in documents: in indented lines and in code of one line.
// shellLine finds them in blocks of the shell.
var (
	commandLine = regexp.MustCompile("(?m)^    (?:go tool )?cudagen( .*)?$|`(?:go tool )?cudagen( [^`]*)?`")
	shellLine   = regexp.MustCompile(`(?m)^(?:go tool )?cudagen( .*)?$`)
)

// The subcommands, flags and topics that documents name exist, and those that only print print.
func TestCommandsInDocuments(t *testing.T) {
	kernels, err := os.ReadFile("../../example/kernels.cu")
	require.NoError(t, err)
	ran := 0
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, path := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../internal/explain/codes.md") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		calls := commandLine.FindAllStringSubmatch(string(text), -1)
		for _, block := range docBlock.FindAllStringSubmatch(string(text), -1) {
			if block[1] == "sh" {
				calls = append(calls, shellLine.FindAllStringSubmatch(block[2], -1)...)
			}
		}
		for _, m := range calls {
			line, _, _ := strings.Cut(strings.Join(m[1:], ""), "#")
			line, _, _ = strings.Cut(line, ">")
			if line = strings.TrimSuffix(strings.TrimSpace(line), " CODE"); strings.Contains(line, "…") {
				continue
			}
			found++
			args := strings.Fields(line)
			assert.NoError(t, understood(args), "%s: %s", path, m[0])
			if onlyPrints(args) {
				printed(t, args, kernels)
				ran++
			}
		}
	}
	assert.Greater(t, found, 10)
	assert.Greater(t, ran, 10)
	assert.Error(t, understood([]string{"inspcet", "k.cu"}))
	assert.Error(t, understood([]string{"completion", "csh"}))
	assert.Error(t, understood([]string{"-frobnicate", "k.cu"}))
	assert.Error(t, understood([]string{"toolchain", "remove"}))
}

// onlyPrints reports whether a command line needs neither a compiler nor output of an earlier run, and
// writes nothing.
func onlyPrints(args []string) bool {
	if len(args) == 0 || slices.Contains(args, "-record") {
		return false
	}
	switch args[0] {
	case "inspect":
		return len(args) > 1
	case "template":
		return len(args) > 1 && args[1] != "new"
	case "model":
		return len(args) == 2 && args[1] != "-json"
	case "help", "explain", "version", "completion", "matcher":
		return true
	}
	return false
}

// printed runs a command line in a folder that has the files and folders that it names.
func printed(t *testing.T, args []string, kernels []byte) {
	t.Helper()
	t.Run(strings.Join(args, " "), func(t *testing.T) {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o644))
		for _, path := range append(slices.Clone(args[1:]), "src/kernels.cu") {
			if filepath.Ext(path) == ".cu" && filepath.IsLocal(path) {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, kernels, 0o644))
			}
		}
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitOK, run(t.Context(), args, nil, &stdout, &stderr), stderr.String())
		assert.NotEmpty(t, stdout.String())
	})
}

// understood reports what is wrong with a command line, without running it.
func understood(args []string) error {
	none := func(string) string { return "" }
	var discard strings.Builder
	if len(args) == 0 || len(args) == 1 && findCommand(args[0]) != nil {
		return nil
	}
	if err := mistyped(args[0]); findCommand(args[0]) == nil && err != nil {
		return err
	}
	switch args[0] {
	case "inspect":
		_, err := parseInspect(args[1:], none, &discard)
		return err
	case "toolchain":
		_, err := parseToolchain(args[1:], none, &discard)
		return err
	case "debug":
		flags, _, _ := debugFlags()
		_, err := parseMixed(flags, args[1:], "", &discard)
		return err
	case "help":
		return help(args[1:], none, &discard, &discard)
	case "completion":
		return completions.print(args[1:], &discard)
	case "matcher":
		return matchers.print(args[1:], &discard)
	case "explain":
		return explainCode(args[1:], &discard)
	case "profile":
		return new(profileOptions).flags().Parse(args[1:])
	case "model":
		if slices.Contains([]string{"-schema", "-go"}, args[1]) {
			return nil
		}
		args = args[2:] // behind -json
		if len(args) == 0 {
			return nil
		}
	case "template":
		if !slices.Contains([]string{"list", "show", "new"}, args[1]) {
			return fmt.Errorf("there is no cudagen template %s", args[1])
		}
		return nil
	case "init", "doctor", "clean", "version", "vet":
		return nil
	}
	var o options
	flags, err := o.flags(none)
	if err != nil {
		return err
	}
	own, _ := compilerFlags(args)
	_, err = parseMixed(flags, separate(own), "", &discard)
	return err
}
