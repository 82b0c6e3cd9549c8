package bytecode

import (
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// ImageName stands for the file in messages about a PTX image.
const ImageName = "image.ptx"

// A Library is a loaded PTX module.
type Library struct {
	Target     int // of the PTX: 75 for sm_75
	Capability int // of the device
	Kernels    map[string]*Kernel
	variables  []*moduleVar
}

// Refusal is why an image cannot be loaded.
type Refusal struct {
	Result driver.Result
	Log    string
}

// Load decodes image, whose instructions have forms and which messages call name, and places its variables in mem. It is for a device of a
// compute capability, or for any if that is 0.
func Load(name string, image []byte, mem *memory.Memory, capability int, forms *Forms) (*Library, *Refusal) {
	return load(name, image, mem, capability, forms, false)
}

// LoadNamed is Load for a debugger: kernels have their Names.
func LoadNamed(name string, image []byte, mem *memory.Memory, capability int, forms *Forms) (*Library, *Refusal) {
	return load(name, image, mem, capability, forms, true)
}

// load is Load, and keeps the names of kernels if they are wanted.
func load(name string, image []byte, mem *memory.Memory, capability int, forms *Forms, named bool) (*Library, *Refusal) {
	for _, other := range []struct{ magic, name string }{{"\x7fELF", "cubin"}, {"\x50\xed\x55\xba", "fatbin"}} {
		if bytes.HasPrefix(image, []byte(other.magic)) {
			return nil, &Refusal{driver.ErrorNoBinaryForGPU, "the simulated device executes PTX, and this image is a " + other.name + ": load the PTX"}
		}
	}
	m, err := ptx.Parse(name, image)
	if err != nil {
		return nil, &Refusal{driver.ErrorInvalidPTX, text(err)}
	}
	target, refused := suits(name, m, capability)
	if refused != nil {
		return nil, refused
	}
	lib := &Library{Target: target, Capability: capability, Kernels: make(map[string]*Kernel)}
	errs := &Problems{}
	globals, ok := lib.declare(m, mem, errs)
	if !ok {
		lib.Release(mem)
		return nil, &Refusal{driver.ErrorOutOfMemory, "the module's variables do not fit into device memory"}
	}
	mod := functionsOf(m, globals)
	mod.Target, mod.Forms, mod.named = target, forms, named
	for _, f := range m.Funcs {
		if f.Entry && f.Body != nil {
			lib.Kernels[f.Name] = decode(f, mod, errs)
		}
	}
	if err := errs.err(); err != nil {
		lib.Release(mem)
		return nil, &Refusal{driver.ErrorInvalidPTX, text(err)}
	}
	return lib, nil
}

// text is err with one error to a line.
func text(err error) string {
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
