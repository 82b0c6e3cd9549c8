package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/gen/compile"
)

// An installer is a program of the user's that installs wheels.
type installer struct {
	command []string // what goes in front of "install"
	options []string
	name    string   // for people, if it is not the command
	own     []string // variables with which it fetches the Python that it needs
}

func (i *installer) String() string { return cmp.Or(i.name, strings.Join(i.command, " ")) }

// The oldest pip that reads the tags of the wheels by their names, PEP 600, and the
// first that can print its progress as numbers.
var (
	oldestPip  = []int{20, 3}
	numbersPip = []int{24, 1}
)

var pipVersion = regexp.MustCompile(`^pip (\d+)\.(\d+)\S* from .*\(python 3\.\d+\)`)

// askTimeout bounds the start of pip, which may lie on a slow network disk.
const askTimeout = 30 * time.Second

// findInstaller returns the pip of python3 in $PATH, uv where there is none, or the pip of a
// virtual environment that it makes below temp where there is neither.
func (in *installation) findInstaller(ctx context.Context, temp string) (*installer, error) {
	python, why := in.findPython(ctx)
	if python != "" {
		var pip *installer
		if pip, why = in.findPip(ctx, python); pip != nil {
			return pip, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if uv, ok := compile.LookPath(in.Env, "uv"); ok {
		return &installer{command: []string{uv, "pip"}, own: []string{"UV_PYTHON_DOWNLOADS=automatic"}}, nil
	}
	if python == "" {
		why += ", and there is no uv in $PATH"
	} else {
		in.Progress("making a virtual environment")
		pip, failed := in.makeEnvironment(ctx, python, filepath.Join(temp, "environment"))
		if pip != nil {
			return pip, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		why += ", there is no uv in $PATH, and " + failed
	}
	return nil, fmt.Errorf("%s: install uv, or Python 3 with pip %s or newer (for example apt-get install python3-pip)", why, version(oldestPip))
}

// makeEnvironment makes a virtual environment in dir, with the pip that comes with python, and
// returns that pip, or why there is none.
func (in *installation) makeEnvironment(ctx context.Context, python, dir string) (pip *installer, why string) {
	ctx, cancel := context.WithTimeout(ctx, environmentTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-m", "venv", dir)
	cmd.Env = in.environment("")
	dieWithParent(cmd)
	cmd.WaitDelay = 2 * time.Second
	runtime.LockOSThread() // as in runInstaller
	out, err := cmd.CombinedOutput()
	runtime.UnlockOSThread()
	if err != nil {
		return nil, fmt.Sprintf("%s makes no virtual environment (%s)", python, lastLine(string(out), err))
	}
	interpreter := filepath.Join(dir, "bin", "python3")
	if runtime.GOOS == "windows" {
		interpreter = filepath.Join(dir, "Scripts", "python.exe")
	}
	if pip, why = in.findPip(ctx, interpreter); pip != nil {
		pip.name = "pip in a virtual environment of " + python
	}
	return pip, why
}

// environmentTimeout bounds how long python3 makes a virtual environment.
const environmentTimeout = 2 * time.Minute

// findPython returns python3 in $PATH, or why there is none that works.
func (in *installation) findPython(ctx context.Context) (python, why string) {
	python, ok := compile.LookPath(in.Env, "python3")
	if !ok && runtime.GOOS == "windows" {
		python, ok = compile.LookPath(in.Env, "python")
	}
	if !ok {
		return "", "there is no python3 in $PATH"
	}
	out, err := in.ask(ctx, python, "-c", "import sys; print(sys.executable)")
	if err != nil {
		return "", fmt.Sprintf("%s does not work (%s)", python, lastLine(out, err))
	}
	// What is in $PATH may be a script that starts the interpreter, and killing
	// the script does not kill that.
	if interpreter := lastLine(out, nil); filepath.IsAbs(interpreter) {
		python = interpreter
	}
	return python, ""
}

// findPip returns the pip of an interpreter, or why there is none.
func (in *installation) findPip(ctx context.Context, python string) (pip *installer, why string) {
	out, err := in.ask(ctx, python, "-m", "pip", "--version")
	if err != nil {
		return nil, fmt.Sprintf("%s has no pip (%s)", python, lastLine(out, err))
	}
	m := pipVersion.FindStringSubmatch(out)
	if m == nil {
		return nil, fmt.Sprintf("%s has no pip for Python 3 (%s)", python, lastLine(out, nil))
	}
	var found []int
	for _, digits := range m[1:] {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Sprintf("%s: %v", python, err)
		}
		found = append(found, n)
	}
	if slices.Compare(found, oldestPip) < 0 {
		return nil, fmt.Sprintf("%s has pip %s, which is too old", python, version(found))
	}
	bar := "off"
	if slices.Compare(found, numbersPip) >= 0 {
		bar = "raw"
	}
	return &installer{
		command: []string{python, "-m", "pip"},
		options: []string{"--progress-bar", bar, "--no-input", "--no-user", "--no-compile", "--disable-pip-version-check"},
	}, ""
}

// ask runs a program that answers at once, and returns what it prints.
func (in *installation) ask(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = in.environment("")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fill installs wheels into tree, with temporary files below temp.
func (in *installation) fill(ctx context.Context, wheels []wheel, tree, temp string) error {
	in.Progress("looking for pip")
	installer, err := in.findInstaller(ctx, temp)
	if err != nil {
		return err
	}
	in.used = installer.String()
	in.Progress("installing with " + in.used)
	// Downloads lie on the disk of the toolkit, and go away with the temporary folder.
	downloads := filepath.Join(temp, "downloads")
	if err := os.Mkdir(downloads, 0o700); err != nil {
		return err
	}
	args := slices.Concat(installer.command[1:], []string{"install", "--target", tree, "--no-deps", "--only-binary", ":all:"}, installer.options)
	for _, w := range wheels {
		args = append(args, w.String())
	}
	output, err := in.runInstaller(ctx, installer, args, temp, in.environment(downloads))
	if err != nil && len(installer.own) > 0 && noInterpreter.MatchString(output) && in.Env("UV_PYTHON_DOWNLOADS") == "" {
		// uv needs a Python to install wheels, and fetches one that goes away with the temporary folder.
		in.used += " with a Python of its own"
		in.Progress("installing with " + in.used)
		again := append(in.environment(downloads), installer.own...)
		again = append(again, "UV_PYTHON_INSTALL_DIR="+filepath.Join(temp, "python"))
		output, err = in.runInstaller(ctx, installer, args, temp, again)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%s: %w\n%s", installer, explain(err, output), strings.TrimSpace(output))
	}
	return nil
}

// runInstaller runs an installer in temp and returns the end of what it prints.
func (in *installation) runInstaller(ctx context.Context, installer *installer, args []string, temp string, env []string) (string, error) {
	cmd := exec.CommandContext(ctx, installer.command[0], args...)
	cmd.Env, cmd.Dir = env, temp
	output := &relay{report: in.Progress}
	cmd.Stdout, cmd.Stderr = output, output
	dieWithParent(cmd)
	cmd.WaitDelay = 2 * time.Second
	// The signal at a parent's death is sent when the thread ends that started the child.
	runtime.LockOSThread()
	err := cmd.Run()
	runtime.UnlockOSThread()
	return output.String(), err
}

// noInterpreter matches what uv says on a machine without Python.
var noInterpreter = regexp.MustCompile(`(?i)no (?:interpreter|system python|python|virtual environment)\S* .*found`)

// environment returns the environment of pip and uv: this process's, so that their
// configuration holds, with the PATH of Env.
func (in *installation) environment(temp string) []string {
	// Nothing is installed into the environment that this variable protects.
	set := []string{"PATH=" + in.Env("PATH"), "PIP_REQUIRE_VIRTUALENV=false"}
	if in.Env("UV_PYTHON_DOWNLOADS") == "" {
		set = append(set, "UV_PYTHON_DOWNLOADS=never") // one that stays is not what was asked for
	}
	if temp != "" {
		set = append(set, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
	}
	return append(os.Environ(), set...)
}

// causes are what pip and uv say of failures that are not of their making.
var causes = []struct {
	pattern *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`(?i)no space left on device|not enough space on the disk`),
		"the disk is full: free about 1 GB, or choose another folder with -dir"},
	{regexp.MustCompile(`(?i)read-only file system|permission denied`),
		"it has no permission to write there: choose another folder with -dir"},
	{noInterpreter,
		"it finds no Python: install python3, or run uv python install"},
	{regexp.MustCompile(`(?i)name resolution|name or service not known|getaddrinfo failed|dns error|new connection|connection (?:refused|reset|aborted)|network is unreachable|timed out|cannot connect to proxy|error sending request`),
		"the package index cannot be reached: check the network, or configure a proxy or a mirror (PIP_PROXY, PIP_INDEX_URL)"},
	{regexp.MustCompile(`(?i)no matching distribution|no solution found|no wheels with a matching`),
		"the package index cannot be reached, or has no such wheels for this system (NVIDIA publishes them for Linux with glibc and for Windows)"},
}

// explain returns err with what the output of pip or uv says of the cause.
func explain(err error, output string) error {
	for _, cause := range causes {
		if cause.pattern.MatchString(output) {
			return fmt.Errorf("%w: %s", err, cause.reason)
		}
	}
	return err
}

// tailBytes is how much of the end of pip's output an error shows.
const tailBytes = 2 << 10

// A relay hands on what is written to it line by line, and keeps the end.
type relay struct {
	report func(line string)
	tail   []byte
	line   []byte
	wheel  string // that is being downloaded
}

func (r *relay) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' && c != '\r' {
			r.line = append(r.line, c)
			continue
		}
		r.endLine()
	}
	return len(p), nil
}

var (
	download = regexp.MustCompile(`^\s*Downloading ([A-Za-z0-9_.]+?-[0-9][0-9.]*[0-9])`)
	progress = regexp.MustCompile(`^Progress (\d+) of (\d+)$`)
)

func (r *relay) endLine() {
	line := string(bytes.TrimSpace(r.line))
	r.line = r.line[:0]
	if line == "" {
		return
	}
	if m := progress.FindStringSubmatch(line); m != nil {
		r.report(fmt.Sprintf("downloading %s: %s of %s MB", r.wheel, megabytes(m[1]), megabytes(m[2])))
		return
	}
	r.tail = append(append(r.tail, line...), '\n')
	r.tail = r.tail[max(0, len(r.tail)-tailBytes):]
	if m := download.FindStringSubmatch(line); m != nil {
		r.wheel = m[1]
		line = "downloading " + r.wheel
	}
	r.report(line)
}

// String returns the end of what was written.
func (r *relay) String() string { return string(slices.Concat(r.tail, r.line)) }

// megabytes writes a number of bytes in units of 10⁶ bytes.
func megabytes(bytes string) string {
	n, err := strconv.ParseFloat(bytes, 64)
	if err != nil {
		return "?"
	}
	return strconv.FormatFloat(n/1e6, 'f', 1, 64)
}

// lastLine returns the last line of output, or err where there is none.
func lastLine(output string, err error) string {
	output = strings.TrimSpace(output)
	if output == "" && err != nil {
		return err.Error()
	}
	return output[strings.LastIndexByte(output, '\n')+1:]
}

func version(numbers []int) string { return fmt.Sprintf("%d.%d", numbers[0], numbers[1]) }
