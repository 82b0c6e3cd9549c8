package sim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// inOrder returns a memory instruction with its modifiers in the order in which the PTX ISA
// writes them, or nil if it is not a memory instruction or has a modifier that is not known.
// ptxas takes every order, and compilers write atom.add.release.gpu.u32 and
// ld.global.acquire.sys.u32. Every modifier is of one kind, so none changes its meaning.
func inOrder(in *ptx.Instr) *ptx.Instr {
	if in.Op != "ld" && in.Op != "st" && in.Op != "atom" && in.Op != "red" {
		return nil
	}
	if slices.ContainsFunc(in.Mods, func(mod string) bool { return rank(mod) < 0 }) {
		return nil
	}
	ordered := *in
	ordered.Mods = slices.Clone(in.Mods)
	slices.SortStableFunc(ordered.Mods, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return &ordered
}

// modifierOrder has the kinds of modifiers of memory instructions, in the order of the ISA.
var modifierOrder = []string{
	"weak volatile relaxed acquire release acq_rel",
	"cta cluster gpu sys",
	"const global local param param::entry param::func shared shared::cta shared::cluster",
	"ca cg cs lu cv wb wt",
	"nc",
	"L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
	"L2::cache_hint",
	"L2::64B L2::128B L2::256B",
	"v2 v4",
	"add min max and or xor inc dec exch cas",
	"noftz",
	"b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 b64 u64 s64 f64 b128",
}

// rank returns the place of a modifier's kind, or -1.
func rank(mod string) int {
	return slices.IndexFunc(modifierOrder, func(kind string) bool { return slices.Contains(strings.Fields(kind), mod) })
}
