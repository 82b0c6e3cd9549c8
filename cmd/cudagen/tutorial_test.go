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
var fileName = regexp.MustCompile(`^(?://|#) (\S+\.(?:cu|go|yml))\n+`)

// Every file and every command of the tutorial does what the page says, in an empty module.
func TestTutorial(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	emptyModule(t)
	files, commands, checked := 0, 0, 0
	output := ""
	for _, block := range docBlock.FindAllStringSubmatch(string(page), -1) {
		language, text := block[1], block[2]
		switch language {
		case "sh":
			for line := range strings.Lines(text) {
				words := strings.Fields(line)
				commands++
				require.Equal(t, "go", words[0], line)
				if words[1] == "mod" || words[1] == "get" {
					continue // emptyModule has done so
				}
				output, err = goOutput(t, []string{"CUDAGEN_DEVICE=sim"}, words[1:]...)
				require.NoError(t, err, "%s%s", line, output)
			}
		case "text":
			assert.Contains(t, output, text)
			checked++
		default:
			m := fileName.FindStringSubmatch(text)
			require.NotNil(t, m, text)
			require.NoError(t, os.MkdirAll(filepath.Dir(m[1]), 0o755))
			require.NoError(t, os.WriteFile(m[1], []byte(text), 0o644))
			files++
		}
	}
	assert.Equal(t, []int{4, 7, 1}, []int{files, commands, checked}, "files, commands and outputs in the tutorial")

	// What its workflow runs.
	workflow, err := os.ReadFile(".github/workflows/test.yml")
	require.NoError(t, err)
	assert.Contains(t, string(workflow), "- run: go generate ./...\n        env:\n          CUDAGEN_CHECK: \"1\"\n")
	output, err = goOutput(t, []string{"CUDAGEN_CHECK=1"}, "generate", "./...")
	assert.NoError(t, err, output)

	// The control: without go generate the workflow fails.
	source, err := os.ReadFile("smooth.cu")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("smooth.cu", append(source, "// changed\n"...), 0o644))
	output, err = goOutput(t, []string{"CUDAGEN_CHECK=1"}, "generate", "./...")
	assert.Error(t, err)
	assert.Contains(t, output, "smooth.ptx is stale: smooth.cu changed")
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
	for _, path := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../gen/explain/codes.md") {
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
	case "help", "explain", "version", "completion":
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
	case "help":
		return help(args[1:], none, &discard, &discard)
	case "completion":
		return printScript(args[1:], &discard)
	case "explain":
		return explainCode(args[1:], &discard)
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
