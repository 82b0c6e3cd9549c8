// Package doctor reports which compilers, drivers and GPUs a machine has, what is missing or
// does not work, and the command that fixes it.
//
// It finds compilers with internal/compile and compiles a kernel with each. It does not load the
// driver: its caller passes in the driver and the GPUs, because the generator does not import
// the runtime. Start with Examine.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/compile"
)

// A Report is the result of Examine. Its fields have the order and the names of the JSON
// form. Later versions only add fields.
type Report struct {
	CanCompile   bool       `json:"canCompile"`   // some compiler makes PTX
	Compilers    []Compiler `json:"compilers"`    // every back end, in the order in which cudagen tries them
	HostCompiler *Tool      `json:"hostCompiler"` // nvcc's; null if it or nvcc is missing
	PTXAS        *Tool      `json:"ptxas"`        // nvcc's, or that in $PATH; null if it is missing
	Driver       Driver     `json:"driver"`
	Devices      []Device   `json:"devices"`   // the GPUs, in the driver's order
	Simulator    string     `json:"simulator"` // name of the simulated device; empty if the binary lacks it
	Problems     []Problem  `json:"problems"`
}

// A Compiler is one back end.
type Compiler struct {
	Name        string `json:"name"`    // what -compiler takes: nvcc
	Found       string `json:"found"`   // path, and in brackets how it was found; empty if it was not found
	Version     string `json:"version"` // 13.0.88; empty if unknown
	PTX         bool   `json:"ptx"`     // it compiled a kernel to PTX
	MachineCode bool   `json:"machineCode"`
}

// A Tool is a program that a compiler runs.
type Tool struct {
	Path    string `json:"path"`
	Version string `json:"version"` // as the program prints it; empty if unknown
}

// A Driver is NVIDIA's driver.
type Driver struct {
	Installed bool   `json:"installed"` // it is installed; it may not work
	Version   string `json:"version"`   // of the kernel module, 580.65.06; empty if unknown
	CUDA      string `json:"cuda"`      // the CUDA version that it supports, 13.0; empty if it does not work
	Error     string `json:"error"`     // why it is missing or does not work
}

// A Device is a GPU.
type Device struct {
	Ordinal           int    `json:"ordinal"`
	Name              string `json:"name"`
	ComputeCapability string `json:"computeCapability"` // 9.0
	UUID              string `json:"uuid"`
	MemoryBytes       uint64 `json:"memoryBytes"`
}

// A Severity is the severity of a problem.
type Severity string

// Severities.
const (
	Error Severity = "error" // something installed does not work, or no compiler works
	Note  Severity = "note"  // something optional is missing
)

// A Problem describes something that is missing or does not work.
type Problem struct {
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"` // the name of a compiler, "host compiler", "driver", "devices"
	Message  string   `json:"message"` // may have several lines
	Remedy   string   `json:"remedy"`  // the command that fixes it, or empty
}

// A Machine holds the driver and the devices of a machine, which the runtime finds.
type Machine struct {
	Driver    Driver
	Devices   []Device
	Simulator string
}

// Examine examines the machine. It runs every compiler that it finds. env is os.Getenv or,
// in tests, a replacement. If ctx is done, the error is its cause.
func Examine(ctx context.Context, env func(string) string, machine Machine) (*Report, error) {
	return examine(ctx, env, machine, time.Minute)
}

// examine is Examine with a limit for what each compiler takes.
func examine(ctx context.Context, env func(string) string, machine Machine, limit time.Duration) (*Report, error) {
	e := examination{env: env, limit: limit, report: &Report{
		Compilers: []Compiler{},
		Driver:    machine.Driver,
		Devices:   append([]Device{}, machine.Devices...),
		Simulator: machine.Simulator,
		Problems:  []Problem{},
	}}
	for _, name := range compile.Names() {
		e.compiler(ctx, name)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if e.report.PTXAS == nil {
		if path, ok := compile.LookPath(env, "ptxas"); ok {
			e.report.PTXAS = e.tool(ctx, path)
		}
	}
	e.driver()
	if err := buildcache.Check(env); err != nil {
		e.problem(Note, "cache", err.Error(), "")
	}
	if !e.report.CanCompile {
		e.needCompiler()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return e.report, nil
}

// An examination is one call of Examine.
type examination struct {
	env    func(string) string
	limit  time.Duration // of what one compiler takes
	report *Report
}

func (e *examination) problem(severity Severity, subject, message, remedy string) {
	message = strings.TrimSpace(nvccStep.ReplaceAllString(message, ""))
	e.report.Problems = append(e.report.Problems, Problem{severity, subject, message, remedy})
}

// needCompiler turns notes about compilers into errors: cudagen needs one of them.
func (e *examination) needCompiler() {
	for i := range e.report.Problems {
		if p := &e.report.Problems[i]; slices.Contains(compile.Names(), p.Subject) {
			p.Severity = Error
		}
	}
}

// compiler finds the compiler of a name and tries it.
func (e *examination) compiler(ctx context.Context, name string) {
	found := Compiler{Name: name}
	defer func() { e.report.Compilers = append(e.report.Compilers, found) }()
	c, err := compile.Find(name, e.env)
	if err != nil {
		e.notFound(name, err)
		return
	}
	found.Found = c.String()
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("it does not answer within %v", e.limit))
	defer cancel()
	if found.Version, err = c.Version(ctx); err != nil {
		e.problem(Error, name, err.Error(), replacement(name))
		return
	}
	var flags []string
	if name == "nvcc" {
		flags = []string{"-v"} // it prints which programs it runs
	}
	out, err := compile.Try(ctx, c, "sm_75", flags...)
	if err == nil {
		found.PTX, found.MachineCode = true, true
	} else if ptx, failed := compile.Try(ctx, c, "compute_75", flags...); failed == nil {
		out, found.PTX = ptx, true
		e.noMachineCode(name, err)
	} else {
		e.cannotCompile(name, failed)
		return
	}
	e.report.CanCompile = true
	if name == "nvcc" {
		e.nvccTools(ctx, out.Log)
	}
	e.compareToDriver(found)
}

func (e *examination) notFound(name string, err error) {
	var none *compile.NotFoundError
	if errors.As(err, &none) && !none.Named {
		e.problem(Note, name, fmt.Sprintf("not found in %s", strings.Join(none.Searched, ", ")), e.installCompiler(name))
		return
	}
	e.problem(Error, name, err.Error(), replacement(name))
}

// unsupportedHost matches the error of a toolkit's headers for a host compiler that is too
// new.
var unsupportedHost = regexp.MustCompile(`(?i)unsupported (?:GNU|clang|Microsoft)\b.* version`)

func (e *examination) cannotCompile(name string, err error) {
	var noHost *compile.HostCompilerError
	switch {
	case errors.As(err, &noHost):
		e.problem(Error, "host compiler", err.Error(), e.installHostCompiler())
		return
	case unsupportedHost.MatchString(err.Error()):
		e.problem(Error, "host compiler", err.Error(), e.nameHostCompiler(olderHosts))
		return
	}
	e.problem(Error, name, "it cannot compile a kernel: "+err.Error(), replacement(name))
}

// noMachineCode reports on a compiler that makes PTX only.
func (e *examination) noMachineCode(name string, err error) {
	var failed *compile.FailedError
	switch {
	case !ofToolkit(name):
		e.problem(Note, name, "it makes PTX, but no machine code: "+err.Error(), "")
	case errors.As(err, &failed) && strings.Contains(failed.Log, "Unsupported .version"):
		e.problem(Error, name, "its parts have different versions: its PTX is too new for its ptxas, as happens with Python wheels of unpinned versions: "+err.Error(), replacement(name))
	default:
		e.problem(Error, name, "it makes no machine code: "+err.Error(), replacement(name))
	}
}

// ofToolkit reports whether a compiler is part of a CUDA toolkit and has its version.
func ofToolkit(name string) bool { return name == "nvcc" || name == "nvrtc" }

// compareToDriver reports on a compiler that is newer than the driver.
func (e *examination) compareToDriver(c Compiler) {
	if !ofToolkit(c.Name) || !newer(c.Version, e.report.Driver.CUDA) {
		return
	}
	release := strings.Join(strings.Split(c.Version, ".")[:2], ".")
	e.problem(Note, c.Name, fmt.Sprintf("it is for CUDA %s, but the driver supports CUDA %s and refuses PTX that needs a newer version: update NVIDIA's driver to one for CUDA %s",
		release, e.report.Driver.CUDA, release), "")
}

// newer reports whether a compiler, such as 13.2.86, is of a newer CUDA than the driver's,
// such as 13.0. It returns false for texts that are not versions.
func newer(compiler, driver string) bool {
	c, d := strings.Split(compiler, "."), strings.Split(driver, ".")
	for i := range 2 {
		if i >= len(c) || i >= len(d) {
			return false
		}
		x, errX := strconv.Atoi(c[i])
		y, errY := strconv.Atoi(d[i])
		if errX != nil || errY != nil || x < y {
			return false
		}
		if x > y {
			return true
		}
	}
	return false
}

// driver reports on the driver and the GPUs.
func (e *examination) driver() {
	d := e.report.Driver
	switch {
	case !d.Installed:
		e.problem(Note, "driver", d.Error, "")
	case d.Error != "":
		e.problem(Error, "driver", d.Error, "")
	case len(e.report.Devices) == 0:
		remedy := ""
		if e.env("CUDA_VISIBLE_DEVICES") != "" {
			remedy = "unset CUDA_VISIBLE_DEVICES"
		}
		e.problem(Note, "devices", "the driver shows no GPU", remedy)
	}
}
