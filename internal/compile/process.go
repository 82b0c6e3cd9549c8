package compile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A program is a compiler that is run as a process.
type program struct {
	words  []string // the program, after words such as ccache
	origin string   // where it was found
	env    func(string) string
}

func (p *program) String() string {
	return fmt.Sprintf("%s (from %s)", strings.Join(p.words, " "), p.origin)
}

const (
	logLimit  = 1 << 20         // bytes of a compiler's messages that are kept
	pipesOpen = 2 * time.Second // how long a process left behind may hold the output open
)

// run runs the compiler in dir, with its temporary files in temp, and returns what
// it printed on both streams. Empty dir and temp mean those of this process.
func (p *program) run(ctx context.Context, dir, temp string, args []string) (log string, err error) {
	cmd := exec.CommandContext(ctx, p.words[0], append(slices.Clone(p.words[1:]), args...)...)
	cmd.Dir = dir
	cmd.Env = p.environment(dir, temp)
	output := &limitedBuffer{limit: logLimit}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = pipesOpen
	err = leftover.Run(cmd)
	return output.String(), err
}

// runTraced is run for a Request: its command is shown, and not run when only that was asked for.
func (p *program) runTraced(ctx context.Context, req Request, dir, temp string, args []string) (log string, err error) {
	if req.Trace != nil {
		req.Trace(slices.Concat(p.words, args))
	}
	if req.DryRun {
		return "", ErrNotRun
	}
	return p.run(ctx, dir, temp, args)
}

// askVersion returns what the compiler prints for --version.
func (p *program) askVersion(ctx context.Context) (log string, err error) {
	log, err = p.run(ctx, "", "", []string{"--version"})
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: asking for its version: %w", p, context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("%s: asking for its version: %w\n%s", p, err, log)
	}
	return log, nil
}

// compile runs the compiler with args and the names of input and output, and puts what it
// writes and says into out: PTX as the compiler made it, and the files that report tells.
// position is unit.position, or calls it. The errors are those of Compiler.Compile.
func (p *program) compile(ctx context.Context, unit *unit, args []string, temp string, report includeReport, position func(file string) string, out *Output) error {
	input, err := unit.write(temp)
	if err != nil {
		return err
	}
	return p.compileInput(ctx, unit, args, input, temp, report, position, out)
}

// compileInput is compile for other arguments that name the input than those of unit.write.
func (p *program) compileInput(ctx context.Context, unit *unit, args, input []string, temp string, report includeReport, position func(file string) string, out *Output) error {
	req := unit.request
	output := filepath.Join(temp, "out.ptx")
	log, err := p.runTraced(ctx, req, unit.dir, temp, slices.Concat(args, []string{"-o", output}, report.args(temp), input))
	errs, warnings := diag.Parse(log, position, os.ReadFile)
	out.Log, out.Warnings = log, diag.OfCompiler.List(warnings)
	explainWarnings(out.Warnings)
	switch {
	case err == nil:
	case errors.Is(err, ErrNotRun):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("compiling %s: %w", req.Source, context.Cause(ctx))
	case len(errs) > 0:
		return diag.OfCompiler.List(errs)
	default:
		return p.failed(req, log, err)
	}
	if out.Code, err = p.output(output, req.Source, log); err != nil {
		return err
	}
	if err := complete(out.Code); err != nil {
		return p.failed(req, log, err)
	}
	names, err := report.names(temp)
	if err != nil {
		return &FailedError{Compiler: p.String(), Source: req.Source, Reason: "what it says of included files: " + err.Error(), Log: log, Err: err}
	}
	out.Includes = unit.included(names, temp)
	return nil
}

// failed is the error of a compiler that blames no line of the source.
func (p *program) failed(req Request, log string, err error) *FailedError {
	return &FailedError{Compiler: p.String(), Source: req.Source, Reason: err.Error(), Log: log, Err: err}
}

// output reads a file that the compiler says it wrote.
func (p *program) output(path, source, log string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err == nil {
		return content, nil
	}
	reason := err.Error()
	if errors.Is(err, os.ErrNotExist) {
		reason = "the compiler reported success and wrote no output"
	}
	return nil, &FailedError{Compiler: p.String(), Source: source, Reason: reason, Log: log, Err: err}
}

// assemble makes machine code of the PTX in out, with nvcc or ptxas. It is made from there
// and not from the source, because names in the PTX no longer depend on the folder.
func (p *program) assemble(ctx context.Context, unit *unit, flags []string, temp string, out *Output) error {
	const input, output = "in.ptx", "out.cubin"
	if err := os.WriteFile(filepath.Join(temp, input), out.Code, 0o600); err != nil {
		return fmt.Errorf("compiling %s: %w", unit.request.Source, err)
	}
	log, err := p.runTraced(ctx, unit.request, temp, temp, slices.Concat(flags, []string{"-arch", out.Arch, "-o", output, input}))
	out.Log += log
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("compiling %s: %w", unit.request.Source, context.Cause(ctx))
		}
		return &FailedError{Compiler: p.String(), Source: unit.request.Source, Reason: "assembling PTX for " + out.Arch + ": " + err.Error(), Log: log, Err: err}
	}
	cubin, err := p.output(filepath.Join(temp, output), unit.request.Source, log)
	if err == nil && !isELF(cubin) {
		err = &FailedError{Compiler: p.String(), Source: unit.request.Source, Reason: "the machine code for " + out.Arch + " is cut off, or no ELF file", Log: log}
	}
	out.Code = cubin
	return err
}

// environment returns the compiler's environment: this process's, with PATH and
// nvcc's own variables as p.env has them, and messages in English.
func (p *program) environment(dir, temp string) []string {
	set := map[string]string{"PATH": p.env("PATH"), "LC_ALL": "C"}
	for _, name := range flagVariables {
		set[name] = p.env(name) // an empty variable differs from a missing one: it is left out below
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
