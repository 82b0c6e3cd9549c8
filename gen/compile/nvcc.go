package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cudagen/cudagen/internal/diagnostic"
)

// nvcc runs NVIDIA's compiler driver.
type nvcc struct {
	words  []string // the program, after words such as ccache
	origin string   // where it was found
	env    func(string) string

	mu      sync.Mutex
	version string // once known
}

func newNVCC(words []string, origin string, env func(string) string) *nvcc {
	return &nvcc{words: words, origin: origin, env: env}
}

func (c *nvcc) Name() string { return "nvcc" }

func (c *nvcc) String() string {
	return fmt.Sprintf("%s (from %s)", strings.Join(c.words, " "), c.origin)
}

// oldestToolkit is the first CUDA toolkit whose drivers have cuLibraryLoadData.
const oldestToolkit = 12

var toolkitRelease = regexp.MustCompile(`release (\d+)\.\d+, V(\d+(?:\.\d+)+)`)

func (c *nvcc) Version(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != "" {
		return c.version, nil
	}
	log, err := c.run(ctx, "", "", []string{"--version"})
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: asking for its version: %w", c, context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("%s: asking for its version: %w\n%s", c, err, log)
	}
	m := toolkitRelease.FindStringSubmatch(log)
	if m == nil {
		return "", fmt.Errorf("%s: --version does not name a release of nvcc:\n%s", c, log)
	}
	if number(m[1]) < oldestToolkit {
		return "", fmt.Errorf("%s: CUDA %s is too old: %s", c, m[2], InstallHint)
	}
	c.version = m[2]
	return c.version, nil
}

func (c *nvcc) Compile(ctx context.Context, req Request) (*Output, error) {
	arch, err := lowest(req.Archs)
	if err != nil {
		return nil, err
	}
	unit, err := locate(req)
	if err != nil {
		return nil, err
	}
	version, err := c.Version(ctx)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "cudagen-")
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", req.Source, err)
	}
	defer os.RemoveAll(temp)

	args := []string{"-ptx", "-arch", arch}
	if req.LineInfo {
		args = append(args, "-lineinfo")
	}
	args = append(args, req.Flags...)
	output := filepath.Join(temp, "out.ptx")
	log, err := c.run(ctx, unit.dir, temp, append(slices.Clone(args), "-o", output, unit.name))
	errs, warnings := diagnostic.Parse(log, unit.position)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("compiling %s: %w", req.Source, context.Cause(ctx))
		case len(errs) > 0:
			return nil, errs
		case hostCompilerMissing.MatchString(log):
			return nil, &HostCompilerError{Compiler: c.String(), Log: log}
		}
		return nil, &FailedError{Compiler: c.String(), Source: req.Source, Reason: err.Error(), Log: log, Err: err}
	}
	ptx, err := os.ReadFile(output)
	if err == nil {
		err = complete(ptx)
	}
	if err != nil {
		reason := err.Error()
		if errors.Is(err, os.ErrNotExist) {
			reason = "the compiler reported success and wrote no output"
		}
		return nil, &FailedError{Compiler: c.String(), Source: req.Source, Reason: reason, Log: log, Err: err}
	}
	ptx, reproducible := neutral(ptx, paths{dirs: unit.dirs, toolkits: c.toolkits(), source: unit.neutralName()})
	return &Output{
		PTX:          ptx,
		Arch:         arch,
		Compiler:     c.Name() + " " + version,
		Warnings:     warnings,
		Log:          log,
		Command:      c.neutralCommand(args, unit),
		Reproducible: reproducible,
	}, nil
}

// hostCompilerMissing matches what nvcc says when it cannot run a host compiler.
var hostCompilerMissing = regexp.MustCompile(
	`Failed to preprocess host compiler properties|Cannot find compiler '[^']*' in PATH|(?m)^(?:sh: .*)?(?:gcc|g\+\+|cc1plus): (?:No such file|not found|command not found)`)

// flagVariables are nvcc's own variables: arguments that it adds by itself.
//
// NVIDIA CUDA Compiler Driver NVCC, NVCC Environment Variables.
var flagVariables = []string{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}

const (
	logLimit  = 1 << 20         // bytes of a compiler's messages that are kept
	pipesOpen = 2 * time.Second // how long a process left behind may hold the output open
)

// run runs the compiler in dir, with its temporary files in temp, and returns what
// it printed on both streams. Empty dir and temp mean those of this process.
func (c *nvcc) run(ctx context.Context, dir, temp string, args []string) (log string, err error) {
	cmd := exec.CommandContext(ctx, c.words[0], append(slices.Clone(c.words[1:]), args...)...)
	cmd.Dir = dir
	cmd.Env = c.environment(dir, temp)
	output := &limitedBuffer{limit: logLimit}
	cmd.Stdout, cmd.Stderr = output, output
	killGroup(cmd)
	cmd.WaitDelay = pipesOpen
	err = cmd.Run()
	return output.String(), err
}

// environment returns the compiler's environment: this process's, with PATH and
// nvcc's own variables as c.env has them, and messages in English.
func (c *nvcc) environment(dir, temp string) []string {
	set := map[string]string{"PATH": c.env("PATH"), "LC_ALL": "C"}
	for _, name := range flagVariables {
		set[name] = c.env(name) // an empty one is not the same as none: it is left out below
	}
	if dir != "" {
		set["PWD"] = dir
	}
	if temp != "" {
		set["TMPDIR"], set["TMP"], set["TEMP"] = temp, temp, temp
	}
	var environment []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if _, ours := set[name]; !ours {
			environment = append(environment, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] != "" {
			environment = append(environment, name+"="+set[name])
		}
	}
	return environment
}

// toolkits returns the spellings of the folder above nvcc's bin.
func (c *nvcc) toolkits() []string {
	program, ok := (&search{env: c.env}).program(c.words[len(c.words)-1])
	if !ok {
		return nil
	}
	var roots []string
	for _, spelling := range spellings(program) {
		roots = append(roots, filepath.ToSlash(filepath.Dir(filepath.Dir(spelling))))
	}
	return slices.Compact(roots)
}

// neutralCommand returns the command line that compiles unit, for people and
// records, as if it were run in the folder of the unit.
func (c *nvcc) neutralCommand(args []string, unit *unit) []string {
	var command []string
	for _, name := range flagVariables {
		if value := c.env(name); value != "" {
			command = append(command, name+"="+unit.neutralText(value))
		}
	}
	command = append(command, c.Name())
	for _, arg := range args {
		command = append(command, unit.neutralText(arg))
	}
	name := unit.neutralName()
	return append(command, "-o", strings.TrimSuffix(name, filepath.Ext(name))+".ptx", name)
}

// A unit is a source file as the compiler sees it: by a name relative to the folder
// that it runs in, so that __FILE__ is the same on every machine.
type unit struct {
	request Request
	dir     string   // absolute; the compiler runs here
	dirs    []string // spellings of dir, with slashes
	name    string   // what the compiler is given
}

func locate(req Request) (*unit, error) {
	source, err := filepath.Abs(req.Source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.Source, err)
	}
	info, err := os.Stat(req.Source)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a file", req.Source)
	}
	dir, err := filepath.Abs(cmp.Or(req.Dir, filepath.Dir(source)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.Dir, err)
	}
	u := &unit{request: req, dir: dir, name: source}
	for _, spelling := range spellings(dir) {
		u.dirs = append(u.dirs, filepath.ToSlash(spelling))
	}
	for _, folder := range spellings(filepath.Dir(source)) {
		for _, spelling := range spellings(dir) {
			name, err := filepath.Rel(spelling, filepath.Join(folder, filepath.Base(source)))
			if err != nil || !filepath.IsLocal(name) {
				continue
			}
			u.name = name
			if strings.HasPrefix(name, "-") {
				u.name = "." + string(filepath.Separator) + name
			}
			return u, nil
		}
	}
	return u, nil
}

// neutralName returns the unit's name in records: relative to its folder, or the
// base name when it lies elsewhere.
func (u *unit) neutralName() string {
	if filepath.IsAbs(u.name) {
		return filepath.Base(u.name)
	}
	return filepath.ToSlash(filepath.Clean(u.name))
}

// neutralText makes the paths in a command line argument that lie in the unit's
// folder relative to it.
func (u *unit) neutralText(text string) string {
	text = filepath.ToSlash(text)
	for _, dir := range u.dirs {
		text = strings.ReplaceAll(text, strings.TrimSuffix(dir, "/")+"/", "")
	}
	return text
}

// position turns a file name in a message of the compiler into the user's: Source
// as it was given, others relative to the working folder when Source is.
func (u *unit) position(name string) string {
	if name == u.name {
		return u.request.Source
	}
	full := filepath.Clean(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(u.dir, full)
	}
	if filepath.IsAbs(u.request.Source) || filepath.IsAbs(name) {
		return full
	}
	working, err := os.Getwd()
	if err != nil {
		return full
	}
	relative, err := filepath.Rel(working, full)
	if err != nil {
		return full
	}
	return relative
}

// spellings returns path and, when it differs, path with symbolic links resolved.
func spellings(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// A limitedBuffer keeps the first limit bytes that are written to it.
type limitedBuffer struct {
	kept    []byte
	limit   int
	dropped int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.limit-len(b.kept))
	b.kept = append(b.kept, p[:keep]...)
	b.dropped += len(p) - keep
	return len(p), nil
}

func (b *limitedBuffer) String() string {
	if b.dropped == 0 {
		return string(b.kept)
	}
	return string(b.kept) + "\n… " + strconv.Itoa(b.dropped) + " more bytes\n"
}
