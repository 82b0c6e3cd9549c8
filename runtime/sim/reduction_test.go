package sim

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

// isKnown reports whether the decoder has an instruction.
func isKnown(name string) bool {
	words := strings.Split(name, ".")
	_, ok := interp.Assemblers().Find(&ptx.Instr{Op: words[0], Mods: words[1:]})
	return ok
}

// A reductionTest is an operation on small integers in a type.
type reductionTest struct {
	op, typ string
	fn      func(old, v int) int
}

func reductionTests() (tests []reductionTest) {
	add := func(x, y int) int { return x + y }
	for _, ty := range []string{"u32", "s32", "u64", "s64", "f32", "f64", "f16", "bf16"} {
		op := "add"
		if strings.HasSuffix(ty, "f16") {
			op = "add.noftz"
		}
		tests = append(tests, reductionTest{op, ty, add},
			reductionTest{"min", ty, func(x, y int) int { return min(x, y) }}, reductionTest{"max", ty, func(x, y int) int { return max(x, y) }})
	}
	tests = append(tests, reductionTest{"inc", "u32", func(x, y int) int {
		if x >= y {
			return 0
		}
		return x + 1
	}}, reductionTest{"dec", "u32", func(x, y int) int {
		if x == 0 || x > y {
			return y
		}
		return x - 1
	}})
	for _, ty := range []string{"b32", "b64"} {
		tests = append(tests, reductionTest{"and", ty, func(x, y int) int { return x & y }},
			reductionTest{"or", ty, func(x, y int) int { return x | y }}, reductionTest{"xor", ty, func(x, y int) int { return x ^ y }})
	}
	return tests
}

func (r reductionTest) size() int {
	switch r.typ {
	case "f16", "bf16":
		return 2
	case "u64", "s64", "b64", "f64":
		return 8
	}
	return 4
}

func (r reductionTest) value(n int) int {
	v := n * 7 % 11
	if r.typ[0] == 's' || strings.HasSuffix(r.typ, "f16") {
		v -= 5
	}
	return v
}

// words is bytes bytes of values.
func (r reductionTest) words(bytes int, value func(n int) int) []byte {
	mem, size := make([]byte, bytes), r.size()
	for n := range bytes / size {
		interp.WriteWord(mem[n*size:(n+1)*size], encode(r.typ, value(n))&(^uint64(0)>>(64-8*size)))
	}
	return mem
}

// reductionCases: bulk reductions and asynchronous stores do what red and st do to each element.
func reductionCases() (cases []hopperCase) {
	const bytes = 256
	for _, r := range reductionTests() {
		name := r.op + "." + r.typ
		old, given := r.words(bytes, func(n int) int { return r.value(n + 3) }), r.words(bytes, r.value)
		want := r.words(bytes, func(n int) int { return r.fn(r.value(n+3), r.value(n)) })
		if instruction := "cp.reduce.async.bulk.global.shared::cta.bulk_group." + name; isKnown(instruction) {
			c := hopperCase{name: "bulk/" + instruction, in: given, out: old, threads: 32, want: want}
			c.ptx = hopperEntry("", bytes, strings.ReplaceAll(hopperTake, "BYTES", itoa(bytes))+"@!%p1 bra END;\n"+instruction+" [%l2], [%r2], "+itoa(bytes)+"; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:")
			cases = append(cases, c)
		}
		if instruction := "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." + name; isKnown(instruction) {
			c := hopperCase{name: "bulk/" + instruction, in: append(given, old...), out: make([]byte, 2*bytes), threads: 32, want: append(append([]byte(nil), given...), want...)}
			c.ptx = hopperEntry(".reqnctapercluster 1", 2*bytes, strings.NewReplacer("BYTES", itoa(2*bytes)).Replace(hopperTake+hopperBarrier+"@!%p1 bra WAIT;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256; add.u32 %r7, %r2, 256;\n"+instruction+" [%r7], [%r2], 256, [%r3];\nWAIT:\n"+hopperWait+hopperPut))
			cases = append(cases, c)
		}
		if instruction := "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." + name; isKnown(instruction) {
			cases = append(cases, asyncStoreCase(r, instruction, 1, old, given, want))
		}
	}
	for _, typ := range []string{"b32", "s32", "f32", "u64", "f64"} {
		for n, vector := range map[int]string{1: "", 2: ".v2", 4: ".v4"} {
			r := reductionTest{typ: typ}
			instruction := "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" + vector + "." + typ
			if isKnown(instruction) {
				given := r.words(32*n*r.size(), r.value)
				cases = append(cases, asyncStoreCase(r, instruction, n, make([]byte, len(given)), given, given))
			}
		}
	}
	return cases
}

// asyncStoreCase has each of 32 threads of the two blocks of a cluster store or reduce n values of in at
// the other block, which has old.
func asyncStoreCase(r reductionTest, instruction string, n int, old, given, want []byte) hopperCase {
	size := r.size()
	total := 32 * n * size
	old, given, want = old[:min(len(old), total)], given[:min(len(given), total)], want[:min(len(want), total)]
	total = len(old)
	threads := total / n / size
	c := hopperCase{name: "async/" + instruction, in: append(append([]byte(nil), old...), given...), out: make([]byte, 2*total), threads: uint32(threads), blocks: 2, want: append(append([]byte(nil), want...), want...)}
	class, values := "r", ""
	if size == 8 {
		class = "l"
	}
	loads := ""
	for k := range n {
		loads += fmt.Sprintf("ld.global.b%d %%%s%d, [%%l10+%d];\n", 8*size, class, 20+k, total+k*size)
	}
	if values = list(class, 20, n); n == 1 {
		values = "%" + class + "20"
	}
	body := strings.ReplaceAll(hopperTake+hopperBarrier+`@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], BYTES;
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
mov.u32 %r7, %cluster_ctarank; xor.b32 %r8, %r7, 1; mul.lo.u32 %r10, %r1, WIDTH; cvt.u64.u32 %l10, %r10; add.s64 %l10, %l10, %l1;
mapa.shared::cluster.u32 %r11, %r2, %r8; mapa.shared::cluster.u32 %r12, %r3, %r8; add.u32 %r11, %r11, %r10;
`, "BYTES", itoa(total)) + loads + instruction + " [%r11], " + values + ", [%r12];\n" + hopperWait +
		strings.ReplaceAll("mul.lo.u32 %r8, %r7, BYTES; cvt.u64.u32 %l7, %r8; add.s64 %l2, %l2, %l7;\n"+hopperPut+"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;", "BYTES", itoa(total))
	c.ptx = hopperEntry(".reqnctapercluster 2", (total+15)/16*16, strings.ReplaceAll(body, "WIDTH", itoa(n*size)))
	return c
}
