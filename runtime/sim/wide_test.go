package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// wideProbes move, load, store, compare and exchange 128 bits.
func wideProbes() (all []probe) {
	const registers = "mov.b128 %q1, {%l1, %l2}; mov.b128 %q2, {%l3, %l4}; "
	for _, pattern := range patternsOf(interp.WideForms()) {
		for _, name := range samples(pattern) {
			at, _, store := wordAt(name, 0)
			behind, load, _ := wordAt(name, 8)
			switch {
			case strings.Contains(name, ".param"), strings.Contains(name, ".const") && (strings.Contains(name, ".relaxed") || strings.Contains(name, ".volatile")):
				continue // of parameters the values are addresses
			case strings.Contains(name, ".shared") && strings.Contains(name, "L2::cache_hint"):
				continue // ptxas refuses that
			}
			full := ""
			if store != "" {
				full = fmt.Sprintf("%s %s, %%l1; %s %s, %%l2; ", store, at, store, behind)
			}
			p := probe{name: name, ins: "llll", outs: []string{"%l20", "%l21"}}
			switch op, _, _ := strings.Cut(name, "."); op {
			case "mov":
				p.body = registers + "mov.b128 %q3, %q2; mov.b128 {%l20, %l21}, %q3;"
			case "ld":
				if strings.Contains(name, ".nc") { // only what the kernel does not write
					full, at = "", "[%a1]"
				}
				p.body = full + hinted(name, name+" %q1, "+at) + " mov.b128 {%l20, %l21}, %q1;"
			case "st":
				p.body = registers + hinted(name, fmt.Sprintf("%s %s, %%q2", name, at)) + fmt.Sprintf(" %s %%l20, %s; %s %%l21, %s;", load, at, load, behind)
			default:
				sources := "%q2"
				if strings.Contains(name, ".cas") { // what is there, in half of the threads
					full += "setp.lt.u32 %p9, %t1, 64; @%p9 mov.b64 %l4, %l2; @%p9 mov.b64 %l3, %l1; "
					sources = "%q2, %q4"
				}
				p.outs = append(p.outs, "%l22", "%l23")
				p.body = full + registers + "mov.b128 %q4, {%l4, %l1}; " + hinted(name, fmt.Sprintf("%s %%q3, %s, %s", name, at, sources)) +
					fmt.Sprintf(" mov.b128 {%%l20, %%l21}, %%q3; %s %%l22, %s; %s %%l23, %s;", load, at, load, behind)
			}
			all = append(all, p)
		}
	}
	return append(all,
		probe{name: "mov.b128 of words", ins: "rrrr", outs: []string{"%l20", "%l21", "%r20", "%r21", "%r22", "%r23"}, body: "mov.b128 %q1, {%r1, %r2, %r3, %r4}; mov.b128 {%l20, %l21}, %q1; mov.b128 {%r20, %r21, %r22, %r23}, %q1;"})
}

// TestWide compares the probes with what they are by definition.
func TestWide(t *testing.T) {
	all := wideProbes()
	for n, got := range answers(t, newDevice(0), all) {
		p := all[n]
		width, rows := len(p.outs), rowsOf(p)
		for thread := range probeRows {
			in, row := rows[thread*rowBytes/8:][:4], got[thread*width:][:width]
			want := []uint64{in[2], in[3]}
			switch op, _, _ := strings.Cut(p.name, "."); {
			case p.name == "mov.b128 of words":
				word := func(n int) uint64 { return in[n] & 0xffffffff }
				want = []uint64{word(0) | word(1)<<32, word(2) | word(3)<<32, word(0), word(1), word(2), word(3)}
			case strings.Contains(p.name, ".const"):
				continue // what is in pool: the answers of the H200
			case op == "ld":
				want = in[:2]
			case strings.Contains(p.name, ".exch"):
				want = []uint64{in[0], in[1], in[2], in[3]}
			case op == "atom" && (thread < 64 || in[0] == in[2] && in[1] == in[3]):
				want = []uint64{in[0], in[1], in[1], in[0]}
				if thread >= 64 {
					want[2] = in[3]
				}
			case op == "atom":
				want = []uint64{in[0], in[1], in[0], in[1]}
			}
			require.Equal(t, want, row, "%s, row %d", p.body, thread)
		}
	}
}

// TestWideRefused: what is not there is said, and what ptxas refuses is refused.
func TestWideRefused(t *testing.T) {
	loads := func(body string) string {
		var mem memory.Memory
		defer mem.Reset()
		lib, why := images.Load(bytecode.ImageName, []byte(entry(".reg .b128 %q<4>; "+body)), &mem, limits.Capability)
		if why != nil {
			return why.Log
		}
		return lib.Kernels["k"].Unsupported
	}
	assert.Empty(t, loads("mov.b128 %q1, 5; atom.global.exch.b128 _, [%rd1], %q1; mov.b128 {_, %rd2}, %q1;"))
	assert.Contains(t, loads("ld.global.b32 %q1, [%rd1];"), "register %q1 of type .b128 in ld of type .b32")
	assert.Contains(t, loads("mov.b128 %q1, -1;"), "a constant of 128 bits below zero")
	assert.Contains(t, loads("mov.b128 %q1, {%rd1, %r1};"), "differ in size or kind")
	assert.Contains(t, loads("ld.global.v2.b128 {%q1, %q2}, [%rd1];"), "instruction ld.global.v2.b128")
	assert.Contains(t, loads("mov.b64 %rd2, %q1;"), "register %q1 has type .b128, want .b64")
	assert.Contains(t, loads("atom.global.cas.L2::cache_hint.b128 %q1, [%rd1], %q1, %q2, %rd2;"), "instruction atom.global.cas.L2::cache_hint.b128")
}
