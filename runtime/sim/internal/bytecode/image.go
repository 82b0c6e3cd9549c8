package bytecode

import (
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// ImageName stands for the file in messages about a PTX image.
const ImageName = "image.ptx"

// An Image is PTX, decoded. It may be loaded on several devices.
type Image struct {
	Bytes     int // of its text
	target    int // 75 for sm_75
	programs  []*Program
	variables []*variable
}

// A Library is an Image on a device.
type Library struct {
	Target     int // of the PTX: 75 for sm_75
	Capability int // of the device
	Kernels    map[string]*Kernel
	image      *Image
	variables  []placedVariable
	addresses  []uint64 // of variables
}

// Refusal is why an image cannot be loaded.
type Refusal struct {
	Result driver.Result
	Log    string
}

// Decode decodes text, whose instructions have forms and which messages call name. It is for a device of a compute capability, or
// for any if that is 0. If they are named, for a debugger, kernels have their Names.
func Decode(name string, text []byte, capability int, forms *Forms, named bool) (*Image, *Refusal) {
	for _, other := range []struct{ magic, name string }{{"\x7fELF", "cubin"}, {"\x50\xed\x55\xba", "fatbin"}} {
		if bytes.HasPrefix(text, []byte(other.magic)) {
			return nil, &Refusal{driver.ErrorNoBinaryForGPU, "the simulated device executes PTX, and this image is a " + other.name + ": load the PTX"}
		}
	}
	m, err := ptx.Parse(name, text)
	if err != nil {
		return nil, &Refusal{driver.ErrorInvalidPTX, lines(err)}
	}
	target, refused := suits(name, m, capability)
	if refused != nil {
		return nil, refused
	}
	img := &Image{Bytes: len(text), target: target}
	errs := &Problems{}
	mod := functionsOf(m, img.declare(m, errs))
	mod.Target, mod.Forms, mod.named = target, forms, named
	img.programs = decodeAll(m, mod, errs)
	if err := errs.err(); err != nil {
		return nil, &Refusal{driver.ErrorInvalidPTX, lines(err)}
	}
	return img, nil
}

// decodeAll decodes the entries of m, on all processors. The errors are in their order.
func decodeAll(m *ptx.Module, mod *Module, errs *Problems) []*Program {
	var entries []*ptx.Func
	for _, f := range m.Funcs {
		if f.Entry && f.Body != nil {
			entries = append(entries, f)
		}
	}
	programs, found := make([]*Program, len(entries)), make([]Problems, len(entries))
	var next atomic.Int64
	work := func() {
		for n := next.Add(1) - 1; n < int64(len(entries)); n = next.Add(1) - 1 {
			programs[n] = decode(entries[n], mod, &found[n])
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for _, f := range found {
		errs.List = append(errs.List, f.List...)
	}
	return programs
}

// Load places img's variables in mem. capability is that of the device.
func (img *Image) Load(mem *memory.Memory, capability int) (*Library, *Refusal) {
	lib := &Library{image: img, Target: img.target, Capability: capability, Kernels: make(map[string]*Kernel, len(img.programs))}
	for _, v := range img.variables {
		address, ok := mem.Alloc(max(uint64(len(v.image)), 1), memory.Allocation{Constant: v.space == Constant, Module: true, Variable: true, From: memory.Provenance{Name: v.decl.Name}})
		if !ok {
			lib.Release(mem)
			return nil, &Refusal{driver.ErrorOutOfMemory, "the module's variables do not fit into device memory"}
		}
		lib.variables = append(lib.variables, placedVariable{v, address})
		lib.addresses = append(lib.addresses, address)
	}
	lib.initialize()
	for _, p := range img.programs {
		lib.Kernels[p.Name] = &Kernel{Program: p, Variables: lib.addresses}
	}
	return lib, nil
}

// lines is err with one error to a line.
func lines(err error) string {
	var b strings.Builder
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return err.Error()
	}
	for _, e := range list {
		fmt.Fprintln(&b, e)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// suits returns the number of the module's target, 75 for sm_75, or why the module is for
// another device than one of a compute capability.
//
// PTX ISA, PTX Module Directives: .target. Targets with a run on that capability alone, those with f on
// later ones of its family, too.
func suits(name string, m *ptx.Module, capability int) (target int, r *Refusal) {
	if m.Version.Major > limits.MaxPTXMajor {
		return 0, &Refusal{driver.ErrorUnsupportedPTXVersion, fmt.Sprintf("%s: unsupported .version %d.%d; the simulated device reads up to %d.x",
			name, m.Version.Major, m.Version.Minor, limits.MaxPTXMajor)}
	}
	if m.AddressSize != 64 {
		return 0, &Refusal{driver.ErrorInvalidPTX, name + ": .address_size is not 64"}
	}
	for _, target := range m.Target {
		digits, isSM := strings.CutPrefix(target, "sm_")
		if !isSM {
			continue
		}
		plain := strings.TrimRight(digits, "af")
		n, err := strconv.Atoi(plain)
		own := capability
		if own == 0 && err == nil {
			own = n
		}
		switch kind := digits[len(plain):]; {
		case err == nil && (kind == "" && n <= own || kind == "a" && n == own || kind == "f" && n <= own && n/10 == own/10):
			return n, nil
		}
		return 0, &Refusal{driver.ErrorNoBinaryForGPU, fmt.Sprintf("%s: .target %s is not for the simulated device, which is an sm_%d%s", name, target, own, elsewhere(n))}
	}
	return 0, &Refusal{driver.ErrorInvalidPTX, name + ": .target names no sm_"}
}

// elsewhere says how a test gets a device that modules for sm_n run on.
func elsewhere(n int) string {
	if !slices.Contains(driver.SimulatedCapabilities[:], n) {
		return ""
	}
	return fmt.Sprintf(": compile for compute_%d, too, or give a test a device by simtest.Capability(%d, %d)", limits.Capability, n/10, n%10)
}
