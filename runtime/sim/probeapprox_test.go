package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// approximationErrors are what an approximation of the simulated device may differ from that of an
// H200: the sum of the errors that the PTX ISA allows to either, relative, and for sin, cos, tanh
// and small lg2 absolute. The first that is part of the name counts.
var approximationErrors = []struct {
	part  string
	error float64
}{
	{"ex2.approx.ftz.bf16", 0x1p-6}, {"ex2.approx.f16", 0x1p-9}, {"tanh.approx.bf16", 0x1p-7}, {"tanh.approx.f16", 0x1p-10},
	{"sin", 0x1p-20}, {"cos", 0x1p-20}, {"lg2", 0x1p-21}, {"tanh", 0x1p-10}, {"", 0x1p-21},
}

// isNearly compares what an approximation gave on two devices. Infinities, NaNs and signs are equal.
func isNearly(name string, register byte, got, want uint64) bool {
	if got == want {
		return true
	}
	t := lastOf(name)
	var x, y float64
	switch {
	case bytecode.Formats[t] != nil && t.Size() == 4:
		half := func(shift int) bool {
			return isNearly(strings.TrimSuffix(name, "x2"), 'h', got>>shift&0xffff, want>>shift&0xffff)
		}
		return half(0) && half(16)
	case bytecode.Formats[t] != nil:
		x, y = bytecode.Formats[t].Value(got), bytecode.Formats[t].Value(want)
	case register == 'l':
		x, y = simd.F64(got), simd.F64(want)
	default:
		x, y = float64(simd.F32(got)), float64(simd.F32(want))
	}
	if x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x != x && y != y || x == y
	}
	for _, allowed := range approximationErrors {
		if strings.Contains(name, allowed.part) {
			isAbsolute := allowed.part == "sin" || allowed.part == "cos" || strings.HasPrefix(allowed.part, "tanh")
			return math.Abs(x-y) <= allowed.error*math.Abs(y)+0x1p-148 || (isAbsolute || allowed.part == "lg2" && math.Abs(y) < 1) && math.Abs(x-y) <= allowed.error
		}
	}
	return false
}

// recordApproximation is a line of testdata/h200.txt with all results of an approximation.
func recordApproximation(p probe, values []uint64) string {
	var b strings.Builder
	b.WriteString("~" + p.name)
	for _, v := range values {
		fmt.Fprintf(&b, "\t%x", v)
	}
	return b.String()
}

// TestApproximationsOfTheH200 holds approximations to those of an H200, within what the PTX ISA allows.
func TestApproximationsOfTheH200(t *testing.T) {
	kept := keptLines(t)
	var all []probe
	var want [][]uint64
	for _, line := range kept {
		fields := strings.Split(strings.TrimPrefix(line, "~"), "\t")
		if !strings.HasPrefix(line, "~") {
			continue
		}
		for _, p := range probes() {
			if p.name == fields[0] {
				var values []uint64
				for _, field := range fields[1:] {
					v, err := strconv.ParseUint(field, 16, 64)
					require.NoError(t, err)
					values = append(values, v)
				}
				all, want = append(all, p), append(want, values)
			}
		}
	}
	for n, got := range answers(t, newDevice(0), all) {
		for row := range got {
			if !isNearly(all[n].name, all[n].outs[0][1], got[row], want[n][row]) {
				t.Errorf("%s of %#x: simulator %#x, GPU %#x", all[n].name, rowsOf(all[n])[row*rowBytes/8:][:len(all[n].ins)], got[row], want[n][row])
			}
		}
	}
	t.Run("control", func(t *testing.T) {
		assert.True(t, isNearly("rcp.approx.f32", 'r', 0x3f800001, 0x3f800000))
		assert.False(t, isNearly("rcp.approx.f32", 'r', 0x3f800010, 0x3f800000))
		assert.False(t, isNearly("rcp.approx.f32", 'r', 0x7f800000, 0x7f7fffff))
		assert.False(t, isNearly("ex2.approx.f16x2", 'r', 0x3c003d00, 0x3c003c00))
		assert.True(t, isNearly("ex2.approx.f16x2", 'r', 0x3c013c00, 0x3c003c01))
	})
}
