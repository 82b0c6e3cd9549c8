package profile

import (
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// A pipe is the units of a GPU that compute something.
type pipe int

const (
	fp32 pipe = iota
	fp64
	fp16
	tensor
	issue // of any instruction
	pipes
)

func (p pipe) String() string {
	return [...]string{"FP32", "FP64", "FP16", "tensor cores", "instructions"}[p]
}

// operations returns the floating-point operations of an instruction, in which a product and a sum are two: of each thread, or of each
// warp if that computes a matrix.
func operations(text string) (n uint64, of pipe, byWarp bool) {
	name := ptx.NameIn(text)
	if ptx.IsProduct(name) {
		return products(name), tensor, true
	}
	switch name[0] {
	case "fma", "mad":
		n = 2
	case "add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh":
		n = 1
	default:
		return 0, 0, false
	}
	switch name[len(name)-1] {
	case "f32":
		return n, fp32, false
	case "f32x2":
		return 2 * n, fp32, false
	case "f64":
		return n, fp64, false
	case "f16", "bf16":
		return n, fp16, false
	case "f16x2", "bf16x2":
		return 2 * n, fp16, false
	}
	return 0, 0, false
}

// products returns the operations of a warp in a product of matrices. Four warps share the product of wgmma.
func products(name []string) uint64 {
	for _, part := range name {
		m, rest, isShape := strings.Cut(strings.TrimPrefix(part, "m"), "n")
		n, k, hasK := strings.Cut(rest, "k")
		rows, err1 := strconv.ParseUint(m, 10, 16)
		columns, err2 := strconv.ParseUint(n, 10, 16)
		depth, err3 := strconv.ParseUint(k, 10, 16)
		if !isShape || !hasK || err1 != nil || err2 != nil || err3 != nil {
			continue
		}
		if name[0] == "wgmma" {
			rows /= 4
		}
		return 2 * rows * columns * depth
	}
	return 0
}

// work is the operations of a group.
func work(g *profiled.Group) (by [pipes]uint64) {
	for pc := range g.Counts {
		n, of, byWarp := operations(g.Kernel.Instructions[pc].Text)
		if byWarp {
			by[of] += n * g.Counts[pc].Warps
		} else {
			by[of] += n * g.Counts[pc].Executed
		}
	}
	return by
}

// tensorInstructions returns how many warp instructions at pc multiply matrices.
func tensorInstructions(in *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 {
	if c.Warps > 0 && ptx.IsProduct(ptx.NameIn(in.Text)) {
		return c.Warps
	}
	return 0
}
