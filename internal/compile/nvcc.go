package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
)

// nvcc runs NVIDIA's compiler driver.
type nvcc struct {
	program
	version version
}

func newNVCC(words []string, origin string, env func(string) string) *nvcc {
	return &nvcc{program: program{words: words, origin: origin, env: env}}
}

func (c *nvcc) Name() string { return "nvcc" }

// oldestToolkit is the first CUDA toolkit whose drivers have cuLibraryLoadData.
const oldestToolkit = 12

var toolkitRelease = regexp.MustCompile(`release (\d+)\.\d+, V(\d+(?:\.\d+)+)`)

func (c *nvcc) Version(ctx context.Context) (string, error) {
	return c.version.once(func() (string, error) {
		log, err := c.askVersion(ctx)
		if err != nil {
			return "", err
		}
		m := toolkitRelease.FindStringSubmatch(log)
		if m == nil {
			return "", diag.OldCompiler.Errorf("%s: --version does not name a release of nvcc:\n%s", c, log)
		}
		if number(m[1]) < oldestToolkit {
			return "", diag.OldCompiler.Errorf("%s: CUDA %s is too old: %w", c, m[2], InstallHint)
		}
		return m[2], nil
	})
}

func (c *nvcc) Compile(ctx context.Context, req Request) (*Output, error) {
	return prepared(ctx, c, req, func(unit *unit, temp string, out *Output) error {
		err := c.toPTX(ctx, unit, temp, out)
		if err == nil && unit.target.machine && !req.Relocatable {
			err = c.assemble(ctx, unit, append([]string{"-cubin"}, req.Flags...), temp, out)
		}
		return err
	})
}

// Assemble runs nvcc for PTX.
func (c *nvcc) Assemble(ctx context.Context, req Request, ptx []byte) (*Output, error) {
	return prepared(ctx, c, req, func(unit *unit, temp string, out *Output) error {
		out.Code = ptx
		return c.assemble(ctx, unit, append([]string{"-cubin"}, req.Flags...), temp, out)
	})
}

// prepared has compile make the output of req, with a temporary folder.
func prepared(ctx context.Context, c Compiler, req Request, compile func(unit *unit, temp string, out *Output) error) (*Output, error) {
	unit, out, err := prepare(ctx, c, req)
	if err != nil {
		return nil, err
	}
	temp, err := leftover.Dir("", "cudagen-")
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", req.Source, err)
	}
	defer leftover.Remove(temp)
	if err := compile(unit, temp, out); err != nil {
		return nil, err
	}
	return out, nil
}

// toPTX compiles unit for the virtual architecture of its target.
func (c *nvcc) toPTX(ctx context.Context, unit *unit, temp string, out *Output) error {
	args := c.ptxFlags(unit)
	out.Command = c.neutralCommand(args, unit)
	done, err := false, error(nil)
	if unit.request.Declared {
		done, err = c.declared(ctx, unit, temp, out)
	}
	if !done && err == nil {
		err = c.compile(ctx, unit, args, temp, lineMarkers, unit.position, out)
	}
	var failed *FailedError
	if errors.As(err, &failed) && hostCompilerMissing.MatchString(failed.Log) {
		return &HostCompilerError{Compiler: failed.Compiler, Log: failed.Log}
	}
	var errs diag.List
	if errors.As(err, &errs) {
		for _, e := range errs {
			e.Add(cmp.Or(LibraryHint(MissingHeader(e.Text)), nameHint(e.Text), launchHint(e.Text)))
		}
	}
	if err != nil {
		return c.unsupported(ctx, unit, err)
	}
	out.Code, out.Reproducible = neutral(out.Code, paths{dirs: unit.dirs, toolkits: c.toolkits(), source: unit.neutralName()})
	return nil
}

// launchHint returns what an error of a kernel that launches others adds; empty for any other.
func launchHint(message string) diag.Message {
	if !strings.Contains(message, "kernel launch from __device__ or __global__ functions") {
		return diag.Message{}
	}
	return advice("CUDA's device runtime, which starts kernels from kernels, is not linked by cudagen, also with -rdc=true", diag.Do("start the kernel from Go"))
}

// ptxFlags are nvcc's arguments that make PTX of unit, without files.
func (c *nvcc) ptxFlags(unit *unit) []string {
	return append([]string{"-ptx", "-arch", unit.target.virtual()}, c.sourceFlags(unit)...)
}

// sourceFlags are those that every phase has that reads the source: each may define macros.
func (c *nvcc) sourceFlags(unit *unit) (args []string) {
	req := unit.request
	if req.LineInfo {
		args = append(args, "-lineinfo")
	}
	flags := req.Flags
	if req.Debug {
		flags = slices.Concat(debugFlags(flags), unoptimized(flags))
	}
	if req.Relocatable {
		args = append(args, "-rdc=true")
	}
	return append(args, flags...)
}

// Pack runs fatbinary, which lies beside nvcc.
func (c *nvcc) Pack(ctx context.Context, archs []string, code [][]byte) ([]byte, error) {
	nvcc, ok := (&search{env: c.env}).program(c.words[len(c.words)-1])
	if !ok {
		return nil, diag.NoCompiler.Errorf("%s: is not a program file, so fatbinary cannot be found beside it", c)
	}
	temp, err := leftover.Dir("", "cudagen-")
	if err != nil {
		return nil, fmt.Errorf("packing a fatbin: %w", err)
	}
	defer leftover.Remove(temp)
	const output = "out.fatbin"
	args := []string{"--create=" + output, "-64", "-compress=false"}
	for i, arch := range archs {
		name := arch + ".cubin"
		if err := os.WriteFile(filepath.Join(temp, name), code[i], 0o600); err != nil {
			return nil, fmt.Errorf("packing a fatbin: %w", err)
		}
		args = append(args, "--image3=kind=elf,sm="+strings.TrimPrefix(arch, "sm_")+",file="+name)
	}
	fatbinary := &program{words: []string{filepath.Join(filepath.Dir(nvcc), "fatbinary"+exeSuffix())}, origin: "beside nvcc", env: c.env}
	log, err := fatbinary.run(ctx, temp, temp, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", fatbinary, err, log)
	}
	return c.output(filepath.Join(temp, output), "the fatbin", log)
}

// hostCompilerMissing matches what nvcc says when it cannot run a host compiler.
var hostCompilerMissing = regexp.MustCompile(
	`Failed to preprocess host compiler properties|Cannot find compiler '[^']*' in PATH|(?m)^(?:sh: .*)?(?:gcc|g\+\+|cc1plus): (?:No such file|not found|command not found)`)

// flagVariables are nvcc's own variables: arguments that it adds by itself.
//
// NVIDIA CUDA Compiler Driver NVCC, NVCC Environment Variables.
var flagVariables = []string{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}

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
