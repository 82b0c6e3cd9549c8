// Package doctor reports which compilers, drivers and GPUs a machine has, what is missing or
// does not work, and the command that fixes it.
//
// It finds compilers with gen/compile and compiles a kernel with each. It does not load the
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

	"github.com/cudagen/cudagen/gen/compile"
)

// A Report is what was found. The order and the names of its fields are those of the
// JSON form; fields may be added to it, and none is renamed or leaves.
type Report struct {
	CanCompile   bool       `json:"canCompile"`   // some compiler makes PTX
	Compilers    []Compiler `json:"compilers"`    // every back end, in the order in which cudagen looks for them
	HostCompiler *Tool      `json:"hostCompiler"` // that nvcc uses; null when there is none, or no nvcc
	PTXAS        *Tool      `json:"ptxas"`        // nvcc's, or that of $PATH; null when there is none
	Driver       Driver     `json:"driver"`
	Devices      []Device   `json:"devices"`   // the GPUs, in the driver's order
	Simulator    string     `json:"simulator"` // name of the simulated device; empty when it is left out
	Problems     []Problem  `json:"problems"`
}

// A Compiler is one back end.
type Compiler struct {
	Name        string `json:"name"`    // what -compiler takes: nvcc
	Found       string `json:"found"`   // what is run, and in brackets how it was found; empty when it was not
	Version     string `json:"version"` // 13.0.88; empty when it does not tell
	PTX         bool   `json:"ptx"`     // it has made PTX of a kernel
	MachineCode bool   `json:"machineCode"`
}

// A Tool is a program that a compiler runs.
type Tool struct {
	Path    string `json:"path"`
	Version string `json:"version"` // as the program says it; empty when it does not tell
}

// A Driver is NVIDIA's driver.
type Driver struct {
	Installed bool   `json:"installed"` // there is one; it may not work
	Version   string `json:"version"`   // of the kernel module, 580.65.06; empty when it is not known
	CUDA      string `json:"cuda"`      // the CUDA version that it supports, 13.0; empty when it does not work
	Error     string `json:"error"`     // why there is none, or why it does not work
}

// A Device is a GPU.
type Device struct {
	Ordinal           int    `json:"ordinal"`
	Name              string `json:"name"`
	ComputeCapability string `json:"computeCapability"` // 9.0
	UUID              string `json:"uuid"`
	MemoryBytes       uint64 `json:"memoryBytes"`
}

// A Severity is how bad a problem is.
type Severity string

// Severities.
const (
	Error Severity = "error" // something that is there does not work, or nothing can compile
	Note  Severity = "note"  // something is missing that cudagen can do without
)

// A Problem is something that is missing or does not work.
type Problem struct {
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"` // the name of a compiler, "host compiler", "driver", "devices"
	Message  string   `json:"message"` // may have several lines
	Remedy   string   `json:"remedy"`  // the one command that mends it; empty when there is none
}

// A Machine is what the runtime knows of a machine.
type Machine struct {
	Driver    Driver
	Devices   []Device
	Simulator string
}

// Examine reports on the machine. It runs every compiler that it finds. env is os.Getenv
// or, in tests, a replacement. The error is the context's cause, when ctx is done.
func Examine(ctx context.Context, env func(string) string, machine Machine) (*Report, error) {
	e := examination{env: env, report: &Report{
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
	report *Report
}

func (e *examination) problem(severity Severity, subject, message, remedy string) {
	message = strings.TrimSpace(nvccStep.ReplaceAllString(message, ""))
	e.report.Problems = append(e.report.Problems, Problem{severity, subject, message, remedy})
}

// needCompiler makes errors of notes about compilers: cudagen can do without each of
// them, but not without all.
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
	if found.Version, err = c.Version(ctx); err != nil {
		e.problem(Error, name, err.Error(), replacement(name))
		return
	}
	var flags []string
	if name == "nvcc" {
		flags = []string{"-v"} // it says which other programs it runs
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
		e.problem(Note, name, fmt.Sprintf("there is none in %s", strings.Join(none.Searched, ", ")), e.installCompiler(name))
		return
	}
	e.problem(Error, name, err.Error(), replacement(name))
}

// unsupportedHost matches what a toolkit's headers say of a host compiler that is newer
// than they are.
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
	e.problem(Error, name, "it compiles nothing: "+err.Error(), replacement(name))
}

// noMachineCode reports on a compiler that makes PTX only.
func (e *examination) noMachineCode(name string, err error) {
	var failed *compile.FailedError
	switch {
	case !ofToolkit(name):
		e.problem(Note, name, "it makes PTX and no machine code: "+err.Error(), "")
	case errors.As(err, &failed) && strings.Contains(failed.Log, "Unsupported .version"):
		e.problem(Error, name, "its parts are of different versions: the PTX that it makes is newer than its ptxas takes, as happens with Python wheels whose versions are not pinned: "+err.Error(), replacement(name))
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
	e.problem(Note, c.Name, fmt.Sprintf("it is of CUDA %s, and the driver supports CUDA %s: the driver refuses PTX that needs the newer version (update NVIDIA's driver to one for CUDA %s)",
		release, e.report.Driver.CUDA, release), "")
}

// newer reports whether a version of a compiler is of a newer CUDA than a driver's:
// 13.2.86 than 13.0. What is no version is not newer.
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
