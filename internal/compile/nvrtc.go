package compile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/nvrtclib"
)

// nvrtc compiles with NVIDIA's run-time compilation library, in this process: no GPU,
// no host compiler, no child process.
//
// NVRTC compiles device code only. What it refuses and nvcc would take is an error
// that names -compiler nvcc.
type nvrtc struct {
	location nvrtclib.Location
	version  version
}

// FindNVRTC finds NVRTC's shared library, in the places and the order of nvrtclib.Find:
// $NVRTC_LIB first. It opens nothing.
//
// env is os.Getenv or, in tests, a replacement. The error is a *NotFoundError.
func FindNVRTC(env func(string) string) (Compiler, error) {
	location, err := nvrtclib.Find(env)
	var missing *nvrtclib.NotFoundError
	if errors.As(err, &missing) {
		return nil, &NotFoundError{Wanted: "NVRTC", Searched: missing.Searched, Named: env("NVRTC_LIB") != "", Hint: nvrtclib.InstallHint}
	}
	if err != nil {
		return nil, err
	}
	return &nvrtc{location: location}, nil
}

func (c *nvrtc) Name() string { return "nvrtc" }

func (c *nvrtc) String() string { return c.location.String() }

// toolkitVersion matches NVRTC's version in the comment at the head of its PTX: the
// library itself tells two of the three numbers.
var toolkitVersion = regexp.MustCompile(`(?m)^// Cuda compilation tools, release \d+\.\d+, V(\d+(?:\.\d+)+)$`)

func (c *nvrtc) Version(ctx context.Context) (string, error) {
	return c.version.once(func() (string, error) {
		library, err := nvrtclib.Open(c.location)
		if err != nil {
			return "", err
		}
		arch := fmt.Sprintf("--gpu-architecture=compute_%d", library.SupportedArchs()[0])
		empty, err := library.Compile(ctx, nvrtclib.Program{Name: "version.cu", Options: []string{arch}})
		if err != nil {
			return "", fmt.Errorf("%s: asking for its version: %w", c, err)
		}
		m := toolkitVersion.FindSubmatch(empty.Code)
		if m == nil {
			return "", diag.OldCompiler.Errorf("%s: its PTX does not name a version:\n%s", c, empty.Code)
		}
		return string(m[1]), nil
	})
}

func (c *nvrtc) Compile(ctx context.Context, req Request) (*Output, error) {
	unit, out, err := prepare(ctx, c, req)
	if err != nil {
		return nil, err
	}
	args, err := c.arguments(unit)
	if err != nil {
		return nil, err
	}
	out.Command = c.neutralCommand(args, unit)
	program, err := c.program(unit, args)
	if err != nil {
		return nil, err
	}
	library, err := nvrtclib.Open(c.location)
	if err != nil {
		return nil, err
	}
	if req.Trace != nil {
		req.Trace(slices.Concat([]string{c.Name()}, program.Options, []string{req.Source}))
	}
	if req.DryRun {
		return nil, ErrNotRun
	}
	if err := c.supported(ctx, unit, library.SupportedArchs()); err != nil {
		return nil, err
	}
	compiled, err := library.Compile(ctx, program)
	if err != nil {
		return nil, c.explain(unit, err)
	}
	_, warnings := diag.Parse(compiled.Log, rtcPosition(unit), os.ReadFile)
	out.Warnings = diag.OfCompiler.List(warnings)
	explainWarnings(out.Warnings)
	out.Code, out.Log = compiled.Code, compiled.Log
	if unit.target.machine {
		err = c.finishMachineCode(unit, out)
	} else {
		err = c.finishPTX(unit, filepath.Dir(program.Name), out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// arguments are NVRTC's, without the folders of the toolkit's headers.
func (c *nvrtc) arguments(unit *unit) ([]string, error) {
	req := unit.request
	wanted := req.Flags
	if req.Debug {
		wanted = unoptimized(wanted)
	}
	flags, err := rtcFlags(wanted, unit.dir)
	if err != nil {
		return nil, fmt.Errorf("compiling %s with NVRTC: %w", req.Source, err)
	}
	args := []string{"--gpu-architecture=" + req.Arch}
	if req.LineInfo && !unit.target.machine { // there it is full of absolute paths
		args = append(args, "-lineinfo")
	}
	if req.Debug {
		args = append(args, debugFlags(req.Flags)...)
	}
	if req.Relocatable {
		args = append(args, "--relocatable-device-code=true")
	}
	return append(args, flags...), nil
}

// program is what NVRTC compiles.
func (c *nvrtc) program(unit *unit, args []string) (program nvrtclib.Program, err error) {
	req := unit.request
	source, err := os.ReadFile(req.Source)
	if err != nil {
		return program, err
	}
	absolute, err := filepath.Abs(req.Source)
	if err != nil {
		return program, fmt.Errorf("%s: %w", req.Source, err)
	}
	options := slices.Clone(args)
	for _, dir := range c.location.IncludeDirs() {
		options = append(options, "-I"+dir)
	}
	return nvrtclib.Program{
		// NVRTC looks for #include "…" beside the file that Name says; __FILE__ and
		// messages have the name of the #line.
		Source:  "#line 1 " + strconv.Quote(unit.neutralName()) + "\n" + strings.TrimPrefix(string(source), "\ufeff") + "\n" + req.Suffix,
		Name:    absolute,
		Options: options,
		Cubin:   unit.target.machine,
	}, nil
}

// rtcPosition returns a function that turns a file name in a message of NVRTC into the
// user's.
func rtcPosition(unit *unit) func(file string) string {
	name := unit.neutralName()
	return func(file string) string {
		if file == name {
			return unit.request.Source
		}
		for _, dir := range unit.dirs {
			// Headers beside the source have absolute paths here, relative ones with nvcc.
			if below, ok := strings.CutPrefix(filepath.ToSlash(file), strings.TrimSuffix(dir, "/")+"/"); ok {
				file = filepath.FromSlash(below)
				break
			}
		}
		return unit.position(file)
	}
}

// finishMachineCode checks the machine code in out.
func (c *nvrtc) finishMachineCode(unit *unit, out *Output) error {
	switch {
	case !isELF(out.Code):
		return c.failed(unit, "the machine code is cut off, or no ELF file", out.Log, nil)
	case unnamedKernel.Match(out.Code):
		err := diag.NVRTCLacks.Errorf("machine code of kernels in unnamed namespaces, which NVRTC names after the time and the process: %w", diag.Do("use -compiler nvcc, or PTX (-arch compute_75)"))
		return c.failed(unit, err.Text, "", err)
	}
	// It has no paths, other than in strings.
	out.Reproducible = !bytes.Contains(out.Code, []byte(unit.dir)) && !unitName.Match(out.Code)
	return nil
}

// finishPTX checks the PTX in out and makes it neutral. folder is that of the source.
func (c *nvrtc) finishPTX(unit *unit, folder string, out *Output) error {
	if err := complete(out.Code); err != nil {
		return c.failed(unit, err.Error(), out.Log, err)
	}
	working, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("compiling %s: %w", unit.request.Source, err)
	}
	name, toolkits := unit.neutralName(), c.toolkits()
	out.Code, out.Reproducible = neutral(out.Code, paths{
		main:     filepath.ToSlash(filepath.Join(working, name)), // what NVRTC makes of the #line
		dirs:     unit.dirs,
		toolkits: toolkits,
		source:   name,
	})
	// Headers are given to NVRTC by absolute paths, which their __FILE__ has.
	for _, dir := range slices.Concat(unit.dirs, toolkits, spellings(folder)) {
		out.Reproducible = out.Reproducible && !holdsString(out.Code, filepath.ToSlash(dir))
	}
	return nil
}

// unnamedKernel matches the name of a section of code of a kernel in an unnamed namespace.
//
// CUDA Binary Utilities, ELF sections: .text.
var unnamedKernel = regexp.MustCompile(`\.text\.\w*_GLOBAL__N__[0-9a-f]{8}_`)

// explain turns an error of NVRTC into one with the user's positions, and says where
// it may be that only nvcc can compile the source.
func (c *nvrtc) explain(unit *unit, err error) error {
	var source *nvrtclib.CompileError
	var call *nvrtclib.CallError
	switch {
	case errors.As(err, &source):
		found, _ := diag.Parse(source.Log, rtcPosition(unit), os.ReadFile)
		errs := diag.OfCompiler.List(found)
		if len(errs) == 0 {
			return c.failed(unit, "it found errors in the source", source.Log, err)
		}
		errs = integersOnce(unit, errs)
		for _, e := range errs {
			hint := cmp.Or(LibraryHint(MissingHeader(e.Text)), nameHint(e.Text), rtcHint(e.Text))
			e.Code = cmp.Or(hint.Code, e.Code)
			e.Add(hint)
		}
		return errs
	case errors.As(err, &call):
		return c.failed(unit, call.Function+": "+call.Result, call.Log, err)
	}
	return err
}

// twoIntegers matches what NVRTC says where <cstdint>, which cudagen gives it, and <cuda/std/cstdint> declare one type, whichever is second;
// includesIntegers matches the user's line.
var (
	twoIntegers      = regexp.MustCompile(`invalid redeclaration of type name "u?int\w*_t" \(declared at line \d+ of .*\b(?:cstdint|stdint\.h)\)`)
	includesIntegers = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"](?:cstdint|stdint\.h)[>"]`)
)

// integersOnce returns errs with one error, at the user's include, in place of those for each type that is declared twice.
func integersOnce(unit *unit, errs diag.List) diag.List {
	rest := slices.DeleteFunc(slices.Clone(errs), func(e *diag.Error) bool { return twoIntegers.MatchString(e.Text) })
	if len(rest) == len(errs) {
		return errs
	}
	pos := token.Position{Filename: unit.request.Source, Line: 1}
	if text, err := os.ReadFile(unit.request.Source); err == nil {
		if at := includesIntegers.FindIndex(text); at != nil {
			pos.Line = 1 + bytes.Count(text[:at[0]], []byte("\n"))
		}
	}
	rest.Add(pos, diag.NVRTCLacks.Errorf("<cstdint>, which cudagen gives NVRTC, and <cuda/std/cstdint>, which a header of libcu++ includes, declare different types: %w",
		diag.Do("include <cuda/std/cstdint> in place of <cstdint>, or use -compiler nvcc")))
	return rest.Sorted()
}

func (c *nvrtc) failed(unit *unit, reason, log string, cause error) *FailedError {
	return &FailedError{Compiler: c.String(), Source: unit.request.Source, Reason: reason, Log: log, Err: cause}
}

// rtcHint returns what to add to a message of NVRTC about something that nvcc takes.
func rtcHint(message string) diag.Message {
	for _, lack := range rtcLacks {
		if lack.message.MatchString(message) {
			hint := advice(lack.why, lack.remedy)
			hint.Code = diag.NVRTCLacks
			return hint
		}
	}
	return diag.Message{}
}

var rtcLacks = []struct {
	message *regexp.Regexp
	why     string
	remedy  diag.Remedy
}{
	{regexp.MustCompile(`(?:cannot|could not) open source file`), "NVRTC has no headers of the host, and of the C library only the few that cudagen gives it", diag.Do("use -compiler nvcc")},
	{regexp.MustCompile(`is considered a host (?:function|variable)`), "NVRTC compiles device code only", diag.Do("put host code between #ifndef __CUDACC_RTC__ and #endif: use -compiler nvcc")},
	{regexp.MustCompile(`namespace "std" has no member`), "NVRTC has no C++ standard library (<cuda/std/…> is there for device code)", diag.Do("use -compiler nvcc")},
	{regexp.MustCompile(`type qualifier|incompatible with previous|invalid redeclaration of type name "u?int`), "cudagen's <cstdint> and <cuda/std/cstdint> give NVRTC different types", diag.Do("use -compiler nvcc")},
}

// toolkits returns the spellings of the root of the CUDA toolkit, the folder above
// its headers.
func (c *nvrtc) toolkits() []string {
	var roots []string
	for _, dir := range c.location.IncludeDirs() {
		for _, spelling := range spellings(filepath.Dir(dir)) {
			roots = append(roots, filepath.ToSlash(spelling))
		}
	}
	return slices.Compact(roots)
}

// neutralCommand returns the command line that would do the same with nvcc's words,
// for people and records.
func (c *nvrtc) neutralCommand(args []string, unit *unit) []string {
	command := []string{c.Name()}
	for _, arg := range args {
		command = append(command, unit.neutralText(arg))
	}
	return append(command, unit.neutralName())
}

// holdsString reports whether ptx has a string with text in it: strings are lists of
// decimal bytes.
//
// PTX ISA, Initializers.
func holdsString(ptx []byte, text string) bool {
	var list []byte
	for i := range len(text) {
		if i > 0 {
			list = append(list, ", "...)
		}
		list = strconv.AppendUint(list, uint64(text[i]), 10)
	}
	return bytes.Contains(ptx, list)
}
