package debugger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A Configuration is the arguments of a launch request, as in a launch.json.
type Configuration struct {
	Mode       string            `json:"mode"`       // "debug", "test" or "exec"; empty means debug
	Program    string            `json:"program"`    // a Go package or its folder; of exec, an executable
	Test       string            `json:"test"`       // the name of one test
	Args       []string          `json:"args"`       // of the program
	Dir        string            `json:"cwd"`        // where the program runs; empty means the package's folder for tests, else the working folder
	Env        map[string]string `json:"env"`        // more variables
	BuildFlags []string          `json:"buildFlags"` // of go build and go test
	Entry      bool              `json:"stopOnEntry"`
	StepBy     string            `json:"stepBy"`    // "warp" or "lane"; empty means warp
	DebugInfo  *bool             `json:"debugInfo"` // whether images are compiled with debug information; nil means true
}

// A program is what is debugged, built.
type program struct {
	path string
	args []string
	dir  string
	env  []string

	packages []goPackage // that it has, for its images
	folder   string      // temporary, with what was built
}

// A goPackage is the folder of a package, that of its module, and its name.
type goPackage struct{ dir, module, name string }

// shapes are examples of the arguments of a launch request.
var shapes = map[string]string{
	"mode": `a text: "test"`, "program": `a text: "./example/bugs"`, "test": `a text: "TestSum"`, "cwd": `a text: "testdata"`, "stepBy": `a text: "lane"`,
	"args": `a list: ["-n", "5"]`, "buildFlags": `a list: ["-tags", "x"]`, "env": `an object of texts: {"NAME": "value"}`,
	"stopOnEntry": "true or false", "debugInfo": "true or false",
}

// read reads the arguments of a launch request.
func (c *Configuration) read(arguments []byte) error {
	err := json.Unmarshal(arguments, c)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		name, _, _ := strings.Cut(wrong.Field, ".")
		if shape := shapes[name]; shape != "" {
			return diag.FlagValue.Errorf("%s is %s", name, shape)
		}
		return diag.FlagValue.Errorf("the arguments of a launch request are an object: %w", diag.Do(`write {"program": "./example/bugs"}`))
	}
	return err
}

// check returns what is wrong with c.
func (c *Configuration) check() error {
	switch {
	case !slices.Contains([]string{"", "debug", "test", "exec"}, c.Mode):
		return diag.FlagValue.Errorf("mode %q: %w", c.Mode, diag.Do("choose debug for a program, test for tests, or exec for an executable"))
	case c.Program == "":
		return diag.Flags.Errorf("there is no program: %w", diag.Do(`name a package or its folder, as in "program": "./example/bugs"`))
	case !slices.Contains([]string{"", "warp", "lane"}, c.StepBy):
		return diag.FlagValue.Errorf("stepBy %q: %w", c.StepBy, diag.Do("choose warp or lane"))
	case c.Test != "" && c.Mode != "test":
		return diag.FlagValue.Errorf("test %q in mode %s: %w", c.Test, cmp.Or(c.Mode, "debug"), diag.Do(`set "mode": "test"`))
	}
	return nil
}

// checkPaths returns what is wrong with the folders and the executable of c.
func (c *Configuration) checkPaths() error {
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil {
			return diag.NoFile.Errorf("cwd %s: no such folder: %w", c.Dir, diag.Do("name one, or leave cwd out"))
		} else if !info.IsDir() {
			return diag.NoFile.Errorf("cwd %s: not a folder: %w", c.Dir, diag.Do("name a folder, or leave cwd out"))
		}
	}
	if c.Mode != "exec" {
		return nil
	}
	info, err := os.Stat(c.Program)
	switch {
	case err != nil:
		return diag.NoFile.Errorf("program %s: no such file: %w", c.Program, diag.Do("build it, or use mode debug with its package"))
	case info.IsDir():
		return diag.FlagValue.Errorf("program %s: a folder: %w", c.Program, diag.Do("use mode debug"))
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return diag.FlagValue.Errorf("program %s: not executable: %w", c.Program, diag.Do("name an executable, or use mode debug with a package"))
	}
	return nil
}

// build builds what c says. What the go command prints goes to out.
func build(ctx context.Context, c *Configuration, out io.Writer) (p *program, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.checkPaths(); err != nil {
		return nil, err
	}
	p = &program{args: slices.Clone(c.Args), dir: c.Dir, env: os.Environ()}
	for name, value := range c.Env {
		p.env = append(p.env, name+"="+value)
	}
	if c.Mode == "exec" {
		if p.path, err = filepath.Abs(c.Program); err != nil {
			return nil, err
		}
		p.packages = packagesAround(ctx, cmp.Or(c.Dir, "."), filepath.Dir(p.path), ".")
		return p, nil
	}
	dir, pattern := ".", c.Program
	if info, err := os.Stat(c.Program); err == nil && info.IsDir() {
		dir, pattern = c.Program, "."
	}
	if p.packages, err = packagesOf(ctx, dir, pattern, c.Mode == "test"); err != nil {
		return nil, err
	}
	if last := p.packages[len(p.packages)-1]; c.Mode != "test" && !strings.Contains(pattern, "...") && last.name != "main" && last.name != "" {
		return nil, diag.FlagValue.Errorf("%s is no package main: %w", c.Program, diag.Do("for its tests use mode test"))
	}
	if p.folder, err = leftover.Dir("", "cudagen-debug-"); err != nil {
		return nil, err
	}
	p.path = filepath.Join(p.folder, "program")
	command := append([]string{"build", "-o", p.path}, append(c.BuildFlags, pattern)...)
	if c.Mode == "test" {
		command = append([]string{"test", "-c", "-o", p.path}, append(c.BuildFlags, pattern)...)
		p.args = testArgs(c)
		if p.dir == "" {
			p.dir = p.packages[len(p.packages)-1].dir
		}
	}
	run := exec.CommandContext(ctx, "go", command...)
	run.Dir, run.Stdout, run.Stderr = dir, out, out
	if err := leftover.Run(run); err != nil {
		p.remove()
		return nil, diag.OfCompiler.Errorf("go %s in %s: %w", strings.Join(command, " "), dir, err)
	}
	if _, err := os.Stat(p.path); err != nil {
		p.remove()
		return nil, diag.NoFile.Errorf("%s has no tests: %w", c.Program, diag.Do("name a package with files that end in _test.go"))
	}
	return p, nil
}

// testArgs returns the arguments of a test binary: nobody waits for a test that is stopped, and tests run one after another.
func testArgs(c *Configuration) []string {
	args := slices.Clone(c.Args)
	if c.Test != "" {
		args = append(args, "-test.run", "^"+strings.ReplaceAll(c.Test, "/", "$/^")+"$")
	}
	for _, flag := range []string{"-test.timeout=0", "-test.parallel=1"} {
		name, _, _ := strings.Cut(flag, "=")
		if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(strings.Replace(arg, "--", "-", 1), name) }) {
			args = append(args, flag)
		}
	}
	return args
}

// idle says why nothing was debugged in p, which has launched no kernel. A program connects when it opens a simulated device.
func (p *program) idle(connected, loaded bool) string {
	sim := slices.ContainsFunc(p.packages, func(of goPackage) bool { return strings.HasSuffix(filepath.ToSlash(of.dir), "/runtime/sim") })
	switch {
	case loaded:
		return "no kernel was launched: the program has only loaded kernels"
	case connected:
		return "no kernel was launched: the program has opened a simulated device, and loaded no kernel there"
	case sim && p.folder != "":
		return "no kernel was launched: the program has opened no simulated device"
	}
	return "no kernel was launched on a simulated device: a program needs an import of runtime/sim, and opens the device that CUDAGEN_DEVICE=sim, which the debugger sets, or simtest.New names"
}

// asksHelp reports whether p is asked for its flags.
func (p *program) asksHelp() bool {
	return slices.ContainsFunc(p.args, func(arg string) bool {
		return slices.Contains([]string{"-h", "--h", "-help", "--help"}, arg)
	})
}

// remove removes what was built.
func (p *program) remove() {
	if p.folder != "" {
		leftover.Remove(p.folder)
	}
}

// packagesAround returns the packages of the modules in which folders are. Images of elsewhere have no debug information.
func packagesAround(ctx context.Context, folders ...string) (list []goPackage) {
	seen := make(map[string]bool)
	for _, folder := range folders {
		if root := moduleOf(folder); root != "" && !seen[root] {
			seen[root] = true
			packages, _ := packagesOf(ctx, root, "./...", false) // what is wrong with them, go says
			list = append(packages, list...)                     // those of the first folder are last, as those that are named
		}
	}
	return list
}

// moduleOf returns the folder of the module in which a folder is, or "".
func moduleOf(folder string) string {
	for folder = real(folder); ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// outside returns what to do if images have no debug information because the debugger knows no module, or "".
func (p *program) outside(c *Configuration) string {
	if c.Mode != "exec" || len(p.packages) > 0 || c.DebugInfo != nil && !*c.DebugInfo {
		return ""
	}
	return fmt.Sprintf("started in %s, outside the module: start the debugger in the module's folder or set cwd", real("."))
}

// packagesOf returns the packages that a pattern names and those that they import, but for Go's own; the named ones are last.
func packagesOf(ctx context.Context, dir, pattern string, test bool) (list []goPackage, err error) {
	args := []string{"list", "-e", "-deps", "-f", "{{if not .Standard}}{{.Dir}}\t{{with .Module}}{{.Dir}}{{end}}\t{{.Name}}{{end}}"}
	if test {
		args = append(args, "-test")
	}
	run := exec.CommandContext(ctx, "go", append(args, pattern)...)
	run.Dir = dir
	var said bytes.Buffer
	run.Stderr = &said
	printed, err := leftover.Output(run)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("the debugger builds programs, and there is no go on PATH: %w", diag.Do("install Go"))
	}
	if err != nil {
		return nil, diag.OfCompiler.Errorf("go list %s: %w\n%s", pattern, err, said.Bytes())
	}
	for line := range strings.Lines(string(printed)) {
		if parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(parts) == 3 && parts[0] != "" {
			list = append(list, goPackage{parts[0], parts[1], parts[2]})
		}
	}
	if len(list) == 0 {
		return nil, diag.NoFile.Errorf("there is no Go package %s in %s: %w", pattern, dir, diag.Do("name one, as in ./example/bugs"))
	}
	return list, nil
}
