package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/internal/diag"
)

// A target is what code is made for: a virtual architecture, whose PTX a driver
// compiles for its GPU, or machine code for one kind of GPU.
type target struct {
	machine bool   // sm_90
	number  int    // 90
	suffix  string // "a": one architecture only; "f": its family; "" for all that come after
}

// Targets: compute_75, sm_90a, compute_100f.
//
// NVIDIA CUDA Compiler Driver NVCC, GPU Compilation: Virtual Architecture Feature List, GPU Feature List.
var targetName = regexp.MustCompile(`^(compute|sm)_([1-9][0-9]{1,2})([af]?)$`)

func parseTarget(arch string) (target, error) {
	m := targetName.FindStringSubmatch(arch)
	if m == nil {
		return target{}, diag.UnsupportedArch.Errorf("architecture %q: %w", arch, diag.Do("write compute_XX for PTX or sm_XX for machine code, for example compute_75 or sm_90"))
	}
	number, err := strconv.Atoi(m[2])
	if err != nil {
		return target{}, fmt.Errorf("architecture %q: %w", arch, err)
	}
	return target{machine: m[1] == "sm", number: number, suffix: m[3]}, nil
}

func (t target) virtual() string { return fmt.Sprintf("compute_%d%s", t.number, t.suffix) }

// Split returns what to compile for a list of targets: the virtual architecture, of which PTX is
// made, and the machine architectures in the order given, without duplicates. There is one PTX: two
// virtual architectures are an error. Without any compute_XX, PTX is made for the lowest sm_XX.
func Split(archs []string) (ptx string, machine []string, err error) {
	var virtual, lowestMachine target
	for _, arch := range archs {
		t, err := parseTarget(arch)
		switch {
		case err != nil:
			return "", nil, err
		case !t.machine && virtual.number != 0 && virtual != t:
			return "", nil, diag.UnsupportedArch.Errorf("architectures %s and %s: there is one PTX, which newer GPUs run, too: %w", virtual.virtual(), arch, diag.Do("name %s alone, and sm_XX for the others", lower(virtual, t).virtual()))
		case !t.machine:
			virtual = t
		case !slices.Contains(machine, arch):
			lowestMachine = lower(lowestMachine, t)
			machine = append(machine, arch)
		}
	}
	if virtual.number == 0 {
		virtual = lowestMachine
	}
	if virtual.number == 0 {
		return "", nil, diag.UnsupportedArch.Errorf("no architecture to compile for: %w", diag.Do("name one, such as compute_75"))
	}
	return virtual.virtual(), machine, nil
}

// OfPTX returns the number of the architecture of which PTX is made for archs, 75 for compute_75. It is 0 when Split
// returns an error, and when what native stands for decides.
func OfPTX(archs []string) int {
	known := slices.DeleteFunc(slices.Clone(archs), func(arch string) bool { return arch == "native" })
	virtual, _, err := Split(known)
	if err != nil {
		return 0
	}
	t, _ := parseTarget(virtual)
	return t.number
}

func lower(a, b target) target {
	if a.number == 0 || b.number < a.number || b.number == a.number && len(b.suffix) < len(a.suffix) {
		return b
	}
	return a
}

// number reads decimal digits; none, or too many, give 0: unknown.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
