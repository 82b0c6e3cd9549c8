// Package link links device code at run time: kernels call functions and use variables that
// other inputs define.
//
//	arch, err := link.ArchFor(dev)
//	linked, err := link.Link(ctx, link.Options{Arch: arch}, link.Input{Name: "kernels.ptx", Data: kernels}, link.Input{Name: "shape.ptx", Data: shape})
//	lib, err := dev.LoadLibrary(linked.Image)
//
// Inputs are relocatable: made with nvcc -dc or -rdc=true, or with NVRTC's flag
// --relocatable-device-code=true.
//
// Machine code is linked by NVIDIA's nvJitLink, which is found where NVRTC is, in $NVJITLINK_LIB
// or in a toolkit, and opened when it is first used. It needs no GPU and no driver. PTX is linked
// without it: for the simulated device, and for GPUs on machines that have no nvJitLink. The
// driver makes machine code of the result when it loads it.
//
// nvJitLink, User Interface; CUDA C++ Programming Guide, Separate Compilation.
package link

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/internal/jitlinklib"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Options configure a link.
type Options struct {
	// Arch is the target: sm_90 makes machine code for GPUs of compute capability 9.0;
	// compute_75 makes PTX, for the simulated device and for GPUs of 7.5 and newer. See
	// ArchFor.
	Arch string

	// Name is the image's name in messages, without extension; empty means linked.
	Name string

	// LTO optimizes across inputs that are LTO-IR, which nvcc -dlto -dc and nvcc -dlto -fatbin
	// make. They need it. nvJitLink does it.
	LTO bool

	LineInfo bool // relate instructions to source lines

	// Flags are passed to nvJitLink unchanged, one argument each.
	Flags []string

	// Unchecked links fatbins, object files, archives and LTO-IR with other inputs although
	// nvJitLink, up to 13.5 at least, reports success if two inputs define a name: it then leaves
	// one of the inputs out. PTX, cubins, and LTO-IR alone, are checked.
	Unchecked bool
}

// A Linked is the result of a link.
type Linked struct {
	Image    cuda.Image
	Warnings string // the linker's, or ""
	Linker   string // nvJitLink with its version and path, or cudagen
}

// A NotFoundError reports that nvJitLink was not found, the places that were searched, and how to
// install it.
type NotFoundError = jitlinklib.NotFoundError

// An Error reports that inputs cannot be linked.
type Error struct {
	Image  string // the name of the result
	Linker string // which linker refused
	Log    string // what it said: the names that are not defined, or defined twice
	Err    error  // the cause
}

func (e *Error) Error() string {
	return fmt.Sprintf("linking %s with %s: %v", e.Image, e.Linker, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A Linker links with one nvJitLink library. Any goroutine may call its methods.
type Linker struct {
	find func() (jitlinklib.Location, error) // once
}

// A Config configures a Linker.
type Config struct {
	Library string // nvJitLink's path; empty looks for it when it is needed. Where no file is, it is not installed
}

// New returns a linker. It opens and finds nothing before it has to.
func New(c Config) *Linker {
	env := os.Getenv
	if c.Library != "" {
		env = func(string) string { return c.Library } // of which Find asks for NVJITLINK_LIB alone
	}
	return &Linker{find: sync.OnceValues(func() (jitlinklib.Location, error) { return jitlinklib.Find(env) })}
}

// Default returns the linker that Link uses, which is New(Config{}). The first call makes it for
// the whole process.
func Default() *Linker { return defaultLinker() }

var defaultLinker = sync.OnceValue(func() *Linker { return New(Config{}) })

// Link links inputs with the default Linker.
func Link(ctx context.Context, o Options, inputs ...Input) (*Linked, error) {
	return Default().Link(ctx, o, inputs...)
}

// ArchFor returns the best Options.Arch for a device: machine code for a GPU, PTX for the
// simulated device.
func ArchFor(dev *cuda.Device) (string, error) {
	major, minor, err := dev.ComputeCapability()
	if err != nil {
		return "", err
	}
	kind := "sm"
	if dev.IsSimulated() {
		kind = "compute"
	}
	return fmt.Sprintf("%s_%d%d", kind, major, minor), nil
}

// architecture matches Options.Arch.
var architecture = regexp.MustCompile(`^(compute|sm)_([1-9][0-9]{1,2})([af]?)$`)

// Link links inputs. Names that no input defines, or that two define, are an *Error.
//
// If all inputs are PTX, and Arch asks for PTX or nvJitLink is not found, the result is PTX. Other
// inputs, and LTO, need nvJitLink: without it the error is a *NotFoundError.
//
// If ctx is done, Link returns an error that wraps its error and its cause, and does not wait for nvJitLink,
// which cannot be interrupted: it ends in the background.
func (l *Linker) Link(ctx context.Context, o Options, inputs ...Input) (*Linked, error) {
	if o.Name == "" {
		o.Name = "linked"
	}
	if l == nil || l.find == nil {
		return nil, misused("linking %s: the linker is nil or a zero value: make one with New, or use Default", o.Name)
	}
	if !architecture.MatchString(o.Arch) {
		return nil, misused("linking %s: architecture %q: write compute_XX for PTX or sm_XX for machine code", o.Name, o.Arch)
	}
	inputs, err := known(o.Name, inputs)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("linking %s: %w", o.Name, ended.Cause(ctx))
	}
	onlyPTX := !slices.ContainsFunc(inputs, func(in Input) bool { return in.Kind != PTX })
	if onlyPTX && !o.LTO && strings.HasPrefix(o.Arch, "compute_") {
		return linkPTX(o, inputs)
	}
	if strings.HasPrefix(o.Arch, "compute_") && !o.LTO {
		return nil, misused("linking %s: %s: a link for %s takes PTX only, and LTO-IR with LTO", o.Name, notPTX(inputs), o.Arch)
	}
	location, err := l.find()
	var missing *NotFoundError
	switch {
	case errors.As(err, &missing) && onlyPTX && !o.LTO && len(o.Flags) == 0:
		return linkPTX(o, inputs)
	case err != nil:
		return nil, fmt.Errorf("linking %s: %w", o.Name, err)
	}
	return linkJIT(ctx, location, o, inputs)
}

// notPTX names the first input that is not PTX.
func notPTX(inputs []Input) string {
	i := slices.IndexFunc(inputs, func(in Input) bool { return in.Kind != PTX })
	return inputs[i].Name + " is " + inputs[i].Kind.String()
}

// linkPTX links PTX to PTX.
func linkPTX(o Options, inputs []Input) (*Linked, error) {
	const linker = "cudagen"
	units := make([]ptx.Unit, len(inputs))
	for i, in := range inputs {
		units[i] = ptx.Unit{Name: in.Name, Text: in.Data}
	}
	text, err := ptx.Link(units)
	if err != nil {
		return nil, &Error{Image: o.Name, Linker: linker, Log: err.Error(), Err: err}
	}
	if err := suits(o, text); err != nil {
		return nil, &Error{Image: o.Name, Linker: linker, Err: err}
	}
	return &Linked{Image: image(o.Name+".ptx", text), Linker: linker}, nil
}

// suits returns an error if linked PTX is for newer or fewer devices than the options ask for: sm_90a for 9.0 alone, sm_100f for
// its family.
//
// PTX ISA, Directives: .target.
func suits(o Options, text []byte) error {
	module, err := ptx.Parse(o.Name+".ptx", text)
	if err != nil {
		return err
	}
	want := architecture.FindStringSubmatch(o.Arch)
	for _, target := range module.Target {
		number, isSM := strings.CutPrefix(target, "sm_")
		if !isSM {
			continue
		}
		plain := strings.TrimRight(number, "af")
		has, errHas := strconv.Atoi(plain)
		asked, errAsked := strconv.Atoi(want[2])
		fits := errHas == nil && errAsked == nil && has <= asked
		switch number[len(plain):] {
		case "a":
			fits = has == asked && want[3] == "a"
		case "f":
			fits = fits && has/10 == asked/10 && want[3] != ""
		}
		if !fits {
			return misused("the inputs are PTX for %s, and the target is %s: link for %s_%s", target, o.Arch, want[1], number)
		}
	}
	return nil
}

// linkJIT links with nvJitLink.
func linkJIT(ctx context.Context, location jitlinklib.Location, o Options, inputs []Input) (*Linked, error) {
	library, err := jitlinklib.Open(location)
	if err != nil {
		return nil, fmt.Errorf("linking %s: %w", o.Name, err)
	}
	job := jitlinklib.Job{PTX: strings.HasPrefix(o.Arch, "compute_")}
	job.Options = append(job.Options, "-arch=sm_"+strings.TrimPrefix(strings.TrimPrefix(o.Arch, "sm_"), "compute_"))
	if o.LTO {
		job.Options = append(job.Options, "-lto")
	}
	if job.PTX {
		job.Options = append(job.Options, "-ptx")
	}
	if o.LineInfo {
		job.Options = append(job.Options, "-lineinfo")
	}
	job.Options = append(job.Options, o.Flags...)
	for _, in := range inputs {
		job.Inputs = append(job.Inputs, jitlinklib.Input{Kind: in.Kind.ofLibrary(), Name: in.Name, Data: in.Data})
	}
	major, minor := library.Version()
	linker := fmt.Sprintf("nvJitLink %d.%d (%s)", major, minor, location.Path)
	names, err := namesOf(o, inputs)
	if err != nil {
		return nil, err
	}
	if err := names.conflicts(); err != nil {
		return nil, &Error{Image: o.Name, Linker: linker, Log: err.Error(), Err: err}
	}
	result, err := library.Link(ctx, job)
	if err != nil {
		e := &Error{Image: o.Name, Linker: linker, Err: err}
		var refused *jitlinklib.LinkError
		if errors.As(err, &refused) {
			e.Log = refused.Log
		}
		return nil, e
	}
	if !job.PTX {
		err = names.complete(result.Code)
	}
	if err != nil {
		return nil, &Error{Image: o.Name, Linker: linker, Log: err.Error(), Err: err}
	}
	extension := ".cubin"
	if job.PTX {
		extension = ".ptx"
	}
	linked := &Linked{Image: image(o.Name+extension, result.Code), Warnings: result.Log, Linker: linker}
	if !job.PTX {
		linked.Image.Targets = []string{o.Arch}
	}
	return linked, nil
}

func image(name string, code []byte) cuda.Image {
	sum := sha256.Sum256(code)
	return cuda.Image{Name: filepath.ToSlash(name), Data: string(code), SHA256: hex.EncodeToString(sum[:])}
}
