package ptx

// isaTable holds the forms of instructions by the PTX ISA version that they need, with
// example operands: %h are registers of 16 bits, %r of 32, %l of 64, %q of 128, %p
// predicates, and %t those of the last modifier's type. A form is as ParseForm reads it. What
// version 6.3 has stands under 6.3, whatever brought it.
//
// PTX ISA, Instruction Set: PTX ISA Notes. ptxas is asked for every row in isa_test.go.
const isaTable = `
6.3 abs|neg.f64|s16|s32|s64 %t1, %t2
6.3 abs|neg.ftz?.f32 %r1, %r2
6.3 activemask.b32 %r1
6.3 addc|subc.cc?.u32|s32|u64|s64 %t1, %t2, %t3
6.3 add|sub.cc.u32|s32|u64|s64 %t1, %t2, %t3
6.3 add|sub.sat.s32 %r1, %r2, %r3
6.3 add|sub|div|rem.u16|s16|u32|s32|u64|s64 %t1, %t2, %t3
6.3 add|sub|mul.rn?.ftz?.sat?.f16|f16x2 %t1, %t2, %t3
6.3 add|sub|mul.rn|rz|rm|rp?.f64 %l1, %l2, %l3
6.3 add|sub|mul.rn|rz|rm|rp?.ftz?.sat?.f32 %r1, %r2, %r3
6.3 and|or|xor.b16|b32|b64|pred %t1, %t2, %t3
6.3 atom.add.relaxed|acquire|release|acq_rel.cta|gpu|sys.u32|s32|f32 %r1, [%l1], %r2
6.3 atom.cas.relaxed|acquire|release|acq_rel.cta|gpu|sys.b32 %r1, [%l1], %r2, %r3
6.3 atom.exch.relaxed|acquire|release|acq_rel.cta|gpu|sys.b32 %r1, [%l1], %r2
6.3 atom.global|shared?.cta|gpu|sys.add.u32|s32|f32 %r1, [%l1], %r2
6.3 atom.global|shared?.cta|gpu|sys.add.u64|f64 %l1, [%l2], %l3
6.3 atom.global|shared?.cta|gpu|sys.and|or|xor|exch.b32 %r1, [%l1], %r2
6.3 atom.global|shared?.cta|gpu|sys.and|or|xor|exch.b64 %l1, [%l2], %l3
6.3 atom.global|shared?.cta|gpu|sys.cas.b32 %r1, [%l1], %r2, %r3
6.3 atom.global|shared?.cta|gpu|sys.cas.b64 %l1, [%l2], %l3, %l4
6.3 atom.global|shared?.cta|gpu|sys.inc|dec.u32 %r1, [%l1], %r2
6.3 atom.global|shared?.cta|gpu|sys.min|max.u32|s32 %r1, [%l1], %r2
6.3 atom.global|shared?.cta|gpu|sys.min|max.u64|s64 %l1, [%l2], %l3
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.add.noftz.f16|f16x2 %t1, [%l1], %t2
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.add.u32|s32|f32 %r1, [%l1], %r2
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.add.u64|f64 %l1, [%l2], %l3
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.and|or|xor|exch.b32 %r1, [%l1], %r2
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.and|or|xor|exch.b64 %l1, [%l2], %l3
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.cas.b16|b64 %t1, [%l2], %t3, %t4
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.cas.b32 %r1, [%l1], %r2, %r3
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.inc|dec.u32 %r1, [%l1], %r2
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.min|max.u32|s32 %r1, [%l1], %r2
6.3 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.min|max.u64|s64 %l1, [%l2], %l3
6.3 bar.warp.sync %r1
6.3 barrier.arrive.aligned 1, 64
6.3 barrier.red.and|or.aligned.pred %p1, 1, %p2
6.3 barrier.red.popc.aligned.u32 %r1, 1, %p1
6.3 barrier.sync.aligned %r1
6.3 bar|barrier.arrive 1, 64
6.3 bar|barrier.red.and|or.pred %p1, 1, %p2
6.3 bar|barrier.red.popc.u32 %r1, 1, %p1
6.3 bar|barrier.sync %r1
6.3 bfe.u32|s32|u64|s64 %t1, %t2, %r3, %r4
6.3 bfi.b32|b64 %t1, %t2, %t3, %r4, %r5
6.3 bfind.shiftamt?.u32|s32|u64|s64 %r1, %t2
6.3 bra.uni? L1
6.3 brev.b32|b64 %t1, %t2
6.3 brkpt|exit|trap
6.3 brx.idx.uni? %r1, L2
6.3 call.uni? f
6.3 clz|popc.b32|b64 %r1, %t2
6.3 cnot|not.b16|b32|b64 %t1, %t2
6.3 copysign.f32|f64 %t1, %t2, %t3
6.3 cvt.ftz?.sat?.f32.f16 %r1, %h2
6.3 cvt.ftz?.sat?.f64.f32 %l1, %r2
6.3 cvt.rni|rzi|rmi|rpi.ftz?.sat?.u8|s8|u16|s16|u32|s32|u64|s64.f16 %l1, %h2
6.3 cvt.rni|rzi|rmi|rpi.ftz?.sat?.u8|s8|u16|s16|u32|s32|u64|s64.f32 %l1, %r1
6.3 cvt.rni|rzi|rmi|rpi.sat?.u8|s8|u16|s16|u32|s32|u64|s64.f64 %l1, %l2
6.3 cvt.rni|rzi|rmi|rpi?.ftz?.sat?.f16.f16 %h1, %h2
6.3 cvt.rni|rzi|rmi|rpi?.ftz?.sat?.f32.f32 %r1, %r2
6.3 cvt.rni|rzi|rmi|rpi?.sat?.f64.f64 %l1, %l2
6.3 cvt.rn|rz|rm|rp.f64.u32|s32|u64|s64 %l1, %t2
6.3 cvt.rn|rz|rm|rp.f64.u8|s8|u16|s16 %l1, %h1
6.3 cvt.rn|rz|rm|rp.ftz?.sat?.f16.f32 %h1, %r2
6.3 cvt.rn|rz|rm|rp.ftz?.sat?.f32.f64 %r1, %l2
6.3 cvt.rn|rz|rm|rp.sat?.f16.f64|u32|s32|u64|s64 %h1, %t2
6.3 cvt.rn|rz|rm|rp.sat?.f16.u8|s8|u16|s16 %h1, %h2
6.3 cvt.rn|rz|rm|rp.sat?.f32.u32|s32|u64|s64 %r1, %t2
6.3 cvt.rn|rz|rm|rp.sat?.f32.u8|s8|u16|s16 %r1, %h1
6.3 cvt.sat.u8|s8|u16|s16|u32|s32|u64|s64.u32|s32 %l1, %r1
6.3 cvt.sat.u8|s8|u16|s16|u32|s32|u64|s64.u64|s64 %l1, %l2
6.3 cvt.sat.u8|s8|u16|s16|u32|s32|u64|s64.u8|s8|u16|s16 %l1, %h1
6.3 cvt.sat?.f64.f16 %l1, %h2
6.3 cvt.u8|s8|u16|s16|u32|s32|u64|s64.u32|s32 %l1, %r1
6.3 cvt.u8|s8|u16|s16|u32|s32|u64|s64.u64|s64 %l1, %l2
6.3 cvt.u8|s8|u16|s16|u32|s32|u64|s64.u8|s8|u16|s16 %l1, %h1
6.3 cvta.global|const|local|shared.u64 %l1, %l2
6.3 cvta.to.global|const|local|shared.u64 %l1, %l2
6.3 div.approx|full|rn|rz|rm|rp.ftz?.f32 %r1, %r2, %r3
6.3 div.rn|rz|rm|rp.f64 %l1, %l2, %l3
6.3 dp2a.lo|hi.u32|s32.u32|s32 %r1, %r2, %r3, %r4
6.3 dp4a.u32|s32.u32|s32 %r1, %r2, %r3, %r4
6.3 fence.sc|acq_rel?.cta|gpu|sys
6.3 fma.rn.ftz?.sat?.f16|f16x2 %t1, %t2, %t3, %t4
6.3 fma|mad.rn|rz|rm|rp.f64 %l1, %l2, %l3, %l4
6.3 fma|mad.rn|rz|rm|rp.ftz?.sat?.f32 %r1, %r2, %r3, %r4
6.3 fns|prmt.b32 %r1, %r2, %r3, %r4
6.3 isspacep.global|const|local|shared %p1, %l1
6.3 istypep.texref|samplerref|surfref %p1, %l1
6.3 ld.global.ca|cg|cs?.nc.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
6.3 ld.global.ca|cg|cs?.nc.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
6.3 ld.global.ca|cg|cs?.nc.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
6.3 ld.relaxed|acquire.cta|gpu|sys.global|local|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
6.3 ld.relaxed|acquire.cta|gpu|sys.global|local|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
6.3 ld.relaxed|acquire.cta|gpu|sys.global|local|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
6.3 ld.volatile.const|global|local|param|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
6.3 ld.volatile.global|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
6.3 ld.volatile.global|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
6.3 ld.weak?.const|global|local|param|shared?.ca|cg|cs|lu|cv?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
6.3 ld.weak?.const|global|local|param|shared?.ca|cg|cs|lu|cv?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
6.3 ld.weak?.const|global|local|param|shared?.ca|cg|cs|lu|cv?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
6.3 lg2|ex2.approx.ftz?.f32 %r1, %r2
6.3 lop3.b32 %r1, %r2, %r3, %r4, 5
6.3 mad.hi.sat.s32 %r1, %r2, %r3, %r4
6.3 mad.lo|hi.cc.u32|s32|u64|s64 %t1, %t2, %t3, %t4
6.3 mad.lo|hi.u16|s16|u32|s32|u64|s64 %t1, %t2, %t3, %t4
6.3 mad.wide.u16|s16 %r1, %h2, %h3, %r4
6.3 mad.wide.u32|s32 %l1, %r2, %r3, %l4
6.3 mad24|mul24|mul.lo|hi.u32|s32 %r1, %r2, %r3
6.3 madc.lo|hi.cc?.u32|s32|u64|s64 %t1, %t2, %t3, %t4
6.3 match.all.sync.b32|b64 %r1|%p1, %t2, %r3
6.3 match.any.sync.b32|b64 %r1, %t2, %r3
6.3 max|min.f64|u16|s16|u32|s32|u64|s64 %t1, %t2, %t3
6.3 max|min.ftz?.f32 %r1, %r2, %r3
6.3 membar.cta|gl|sys
6.3 mov.b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64|pred %t1, %t2
6.3 mul.lo|hi.u16|s16|u64|s64 %t1, %t2, %t3
6.3 mul.wide.u16|s16 %r1, %h2, %h3
6.3 mul.wide.u32|s32 %l1, %r2, %r3
6.3 nanosleep.u32 %r1
6.3 neg.ftz?.f16|f16x2 %t1, %t2
6.3 not.pred %p1, %p2
6.3 pmevent 1
6.3 prefetch.global|local?.L1|L2 [%l1]
6.3 prefetchu.L1 [%l1]
6.3 prmt.b32.f4e|b4e|rc8|ecl|ecr|rc16 %r1, %r2, %r3, %r4
6.3 prmt.f4e|b4e|rc8|ecl|ecr|rc16.b32 %r1, %r2, %r3, %r4
6.3 rcp|rsqrt.approx.ftz.f64 %l1, %l2
6.3 rcp|sqrt.rn|rz|rm|rp.f64 %l1, %l2
6.3 rcp|sqrt.rn|rz|rm|rp.ftz?.f32 %r1, %r2
6.3 red.add.relaxed|release.cta|gpu|sys.u32|s32|f32 [%l1], %r2
6.3 red.global|shared?.cta|gpu|sys.add.u32|s32|f32|u64|f64 [%l1], %t2
6.3 red.global|shared?.cta|gpu|sys.and|or|xor.b32 [%l1], %r2
6.3 red.global|shared?.cta|gpu|sys.min|max.u32|s32 [%l1], %r2
6.3 red.relaxed|release?.cta|gpu|sys?.global|shared?.add.u32|s32|f32|u64|f64 [%l1], %t2
6.3 red.relaxed|release?.cta|gpu|sys?.global|shared?.and|or|xor.b32|b64 [%l1], %t2
6.3 red.relaxed|release?.cta|gpu|sys?.global|shared?.inc|dec.u32 [%l1], %r2
6.3 red.relaxed|release?.cta|gpu|sys?.global|shared?.min|max.u32|s32|u64|s64 [%l1], %t2
6.3 ret.uni?
6.3 rsqrt.approx.f64 %l1, %l2
6.3 sad.u16|s16|u32|s32|u64|s64 %t1, %t2, %t3, %t4
6.3 selp.b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %t1, %t2, %t3, %p1
6.3 set.eq|ne.and|or|xor.u32|s32|f32.b16|b32|b64 %r1, %t2, %t3, %p3
6.3 set.eq|ne.u32|s32|f32.b16|b32|b64 %r1, %t2, %t3
6.3 set.eq|ne|lt|le|gt|ge.and|or|xor.u32|s32|f32.s16|s32|s64 %r1, %t2, %t3, %p3
6.3 set.eq|ne|lt|le|gt|ge.u32|s32|f32.s16|s32|s64 %r1, %t2, %t3
6.3 set.eq|ne|lt|le|gt|ge.u32|s32|f32.u32|s32|u64|s64 %r1, %t2, %t3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor.ftz?.u32|s32|f32.f32 %r1, %r2, %r3, %p3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor.u32|s32|f32.f64 %r1, %l2, %l3, %p3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.f16.f16 %h1, %h2, %h3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.f16x2.f16x2 %r1, %r2, %r3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.u32|s32|f32.f32 %r1, %r2, %r3
6.3 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.u32|s32|f32.f64 %r1, %l2, %l3
6.3 set.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.and|or|xor.u32|s32|f32.u16|u32|u64 %r1, %t2, %t3, %p3
6.3 set.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.u32|s32|f32.u16|u32|u64 %r1, %t2, %t3
6.3 setp.eq|ne.and|or|xor.b16|b32|b64 %p1, %t2, %t3, %p3
6.3 setp.eq|ne.b16|b32|b64 %p1, %t2, %t3
6.3 setp.eq|ne|lt|le|gt|ge.and|or|xor.s16|s32|s64 %p1, %t2, %t3, %p3
6.3 setp.eq|ne|lt|le|gt|ge.and|or|xor.u32|s32|u64|s64 %p1, %t2, %t3, %p3
6.3 setp.eq|ne|lt|le|gt|ge.s16|s32|s64 %p1, %t2, %t3
6.3 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor.f64 %p1, %l2, %l3, %p3
6.3 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor.ftz?.f32 %p1, %r2, %r3, %p3
6.3 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.f64 %p1, %l2, %l3
6.3 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.f16|f32 %p1, %t2, %t3
6.3 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.f16x2 %p1|%p2, %r2, %r3
6.3 setp.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.and|or|xor.u16|u32|u64 %p1, %t2, %t3, %p3
6.3 setp.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.u16|u32|u64 %p1, %t2, %t3
6.3 shf.l|r.clamp|wrap.b32 %r1, %r2, %r3, %r4
6.3 shfl.sync.up|down|bfly|idx.b32 %r1|%p1, %r2, %r3, %r4, %r5
6.3 shl.b16|b32|b64 %t1, %t2, %r3
6.3 shr.b16|u16|s16|b32|u32|s32|b64|u64|s64 %t1, %t2, %r3
6.3 sin|cos|lg2|ex2|rcp|sqrt|rsqrt.approx.ftz?.f32 %r1, %r2
6.3 slct.b16|u16|s16.s32 %h1, %h2, %h3, %r4
6.3 slct.b32|u32|s32|f32.s32 %r1, %r2, %r3, %r4
6.3 slct.b64|u64|s64|f64.s32 %l1, %l2, %l3, %r4
6.3 slct.ftz?.b16|u16|s16.f32 %h1, %h2, %h3, %r4
6.3 slct.ftz?.b32|u32|s32|f32.f32 %r1, %r2, %r3, %r4
6.3 slct.ftz?.b64|u64|s64|f64.f32 %l1, %l2, %l3, %r4
6.3 st.relaxed|release.cta|gpu|sys.global|local|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
6.3 st.relaxed|release.cta|gpu|sys.global|local|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
6.3 st.relaxed|release.cta|gpu|sys.global|local|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
6.3 st.volatile.global|local|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
6.3 st.volatile.global|local|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
6.3 st.volatile.global|local|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
6.3 st.weak?.global|local|param|shared?.wb|cg|cs|wt?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
6.3 st.weak?.global|local|param|shared?.wb|cg|cs|wt?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
6.3 st.weak?.global|local|param|shared?.wb|cg|cs|wt?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
6.3 suld.b.1d.b8|b16|b32.trap|clamp|zero %r1, [%l1, {%r2}]
6.3 suld.b.2d.b8|b16|b32.trap|clamp|zero %r1, [%l1, {%r2, %r3}]
6.3 suld.b.2d.v4.b8|b16|b32.trap|clamp|zero {%r1, %r4, %r5, %r6}, [%l1, {%r2, %r3}]
6.3 sust.b.1d.b8|b16|b32.trap|clamp|zero [%l1, {%r2}], %r1
6.3 sust.b.2d.b8|b16|b32.trap|clamp|zero [%l1, {%r2, %r3}], %r1
6.3 sust.b.2d.v4.b8|b16|b32.trap|clamp|zero [%l1, {%r2, %r3}], {%r1, %r4, %r5, %r6}
6.3 testp.finite|infinite|number|notanumber|normal|subnormal.f32|f64 %p1, %t2
6.3 tex.1d.v4.u32|s32|f32.s32|f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5}]
6.3 tex.2d.v4.u32|s32|f32.s32|f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6}]
6.3 tex.3d|a2d.v4.u32|s32|f32.s32|f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6, %r7, %r7}]
6.3 tex.cube.v4.u32|s32|f32.f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6, %r7, %r7}]
6.3 tex.level.2d.v4.u32|s32|f32.f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6}], %r7
6.3 tld4.r|g|b|a.2d.v4.u32|s32|f32.f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6}]
6.3 vabsdiff2|vadd2|vsub2|vmin2|vmax2|vabsdiff4|vadd4|vsub4|vmin4|vmax4.u32|s32.u32|s32.u32|s32 %r1, %r2, %r3, %r4
6.3 vote.sync.all|any|uni.pred %p1, %p2, %r1
6.3 vote.sync.ballot.b32 %r1, %p2, %r2
6.3 wmma.load.a|b.sync.aligned.row|col.m16n16k16|m8n32k16|m32n8k16.global|shared?.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%l1], %r9
6.3 wmma.load.c.sync.aligned.row|col.m16n16k16|m8n32k16|m32n8k16.global|shared?.f16 {%r1, %r2, %r3, %r4}, [%l1], %r9
6.3 wmma.load.c.sync.aligned.row|col.m16n16k16|m8n32k16|m32n8k16.global|shared?.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%l1], %r9
6.3 wmma.mma.sync.aligned.row|col.row|col.m16n16k16|m8n32k16|m32n8k16.f32.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}
6.3 wmma.store.d.sync.aligned.row|col.m16n16k16|m8n32k16|m32n8k16.global|shared?.f16 [%l1], {%r1, %r2, %r3, %r4}, %r9
6.3 wmma.store.d.sync.aligned.row|col.m16n16k16|m8n32k16|m32n8k16.global|shared?.f32 [%l1], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, %r9
6.5 abs.ftz?.f16|f16x2 %t1, %t2
6.5 ldmatrix.sync.aligned.m8n8.x1.trans?.shared?.b16 {%r1}, [%r2]
6.5 ldmatrix.sync.aligned.m8n8.x2.trans?.shared?.b16 {%r1, %r3}, [%r2]
6.5 ldmatrix.sync.aligned.m8n8.x4.trans?.shared?.b16 {%r1, %r3, %r4, %r5}, [%r2]
6.5 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r6, %r7}
6.5 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r3, %r4}, {%r5}, {%r6, %r7, %r8, %r9}
6.5 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.u16|s16.f16 %h1, %h2, %h3
7.0 abs|neg.bf16|bf16x2 %t1, %t2
7.0 cp.async.ca.shared.global [%r1], [%l1], 4
7.0 cp.async.cg.shared.global [%r1], [%l1], 16
7.0 cp.async.commit_group|wait_all
7.0 cp.async.mbarrier.arrive.noinc?.shared?.b64 [%r1]
7.0 cp.async.wait_group 1
7.0 cvt.rna.tf32.f32 %r1, %r2
7.0 cvt.rn|rz.relu.f16.f32 %h1, %r2
7.0 cvt.rn|rz.relu?.bf16.f32 %h1, %r2
7.0 cvt.rn|rz.relu?.bf16x2|f16x2.f32 %r1, %r2, %r3
7.0 ex2|tanh.approx.f16x2 %r1, %r2
7.0 ex2.approx.ftz?.f16 %h1, %h2
7.0 fma.rn.ftz?.relu.f16|f16x2 %t1, %t2, %t3, %t4
7.0 fma.rn.relu?.bf16|bf16x2 %t1, %t2, %t3, %t4
7.0 max|min.NaN?.bf16|bf16x2 %t1, %t2, %t3
7.0 max|min.ftz?.NaN.f32 %r1, %r2, %r3
7.0 max|min.ftz?.NaN?.f16|f16x2 %t1, %t2, %t3
7.0 mbarrier.arrive.shared?.b64 %l1, [%r1]
7.0 mbarrier.init.shared?.b64 [%r1], 1
7.0 mbarrier.inval.shared?.b64 [%r1]
7.0 mbarrier.test_wait.shared?.b64 %p1, [%r1], %l1
7.0 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7}
7.0 mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7, %r8, %r9}
7.0 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7, %r8, %r9}
7.0 mma.sync.aligned.m16n8k32.row.col.satfinite?.s32.u8|s8.u8|s8.s32 {%r1, %r2, %r3, %r4}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7, %r8, %r9}
7.0 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7, %r8, %r9}
7.0 redux.sync.add|min|max.u32|s32 %r1, %r2, %r3
7.0 redux.sync.and|or|xor.b32 %r1, %r2, %r3
7.0 tanh.approx.f16|f32 %t1, %t2
7.1 cvt.f32.bf16 %r1, %h2
7.1 mbarrier.test_wait.parity.shared?.b64 %p1, [%r1], %r2
7.4 applypriority.global?.L2::evict_normal [%l1], 128
7.4 cp.async.ca.shared.global.L2::64B|L2::128B|L2::256B [%r1], [%l1], 4
7.4 cp.async.cg.shared.global.L2::64B|L2::128B|L2::256B [%r1], [%l1], 16
7.4 createpolicy.fractional.L2::evict_last.b64 %l1, 1.0
7.4 discard.global?.L2 [%l1], 128
7.4 ld.global.ca|cg|cs?.nc?.L2::64B|L2::128B|L2::256B.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.4 ld.global.ca|cg|cs?.nc?.L2::64B|L2::128B|L2::256B.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.4 ld.global.ca|cg|cs?.nc?.L2::64B|L2::128B|L2::256B.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.4 ld.global.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.L2::64B|L2::128B|L2::256B.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.4 ld.global.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.4 ld.global.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.4 ld.global.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.4 prefetch.global.L2::evict_last|L2::evict_normal [%l1]
7.4 st.global.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
7.4 st.global.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
7.4 st.global.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
7.5 fence.proxy.alias
7.6 bmsk.clamp|wrap.b32 %r1, %r2, %r3
7.6 szext.clamp|wrap.u32|s32 %r1, %r2, %r3
7.7 cvta.param.u64 %l1, %l2
7.7 cvta.to.param.u64 %l1, %l2
7.7 isspacep.param %p1, %l1
7.8 add|sub|mul.rn?.bf16|bf16x2 %t1, %t2, %t3
7.8 atom.relaxed|acquire|release|acq_rel.cluster.global|shared?.add.u32|s32|f32 %r1, [%l1], %r2
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.add.u32|s32|f32|u64|f64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.and|or|xor|exch.b32|b64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.cas.b32 %r1, [%l1], %r2, %r3
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.cas.b64 %l1, [%l2], %l3, %l4
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.inc|dec.u32 %r1, [%l1], %r2
7.8 atom.relaxed|acquire|release|acq_rel?.cluster.global|shared?.min|max.u32|s32|u64|s64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.add.u32|s32|f32|u64|f64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.and|or|xor|exch.b32|b64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.cas.b32 %r1, [%l1], %r2, %r3
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.cas.b64 %l1, [%l2], %l3, %l4
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.inc|dec.u32 %r1, [%l1], %r2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|cluster|gpu|sys.shared::cta.min|max.u32|s32|u64|s64 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared?.add.noftz.bf16|bf16x2 %t1, [%l1], %t2
7.8 atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.shared::cta.add.u32|s32|f32 %r1, [%l1], %r2
7.8 atom.shared::cta.add.u32|s32|f32|u64|f64 %t1, [%l1], %t2
7.8 atom.shared::cta.and|or|xor|exch.b32|b64 %t1, [%l1], %t2
7.8 atom.shared::cta.cas.b32 %r1, [%l1], %r2, %r3
7.8 atom.shared::cta.cas.b64 %l1, [%l2], %l3, %l4
7.8 atom.shared::cta.inc|dec.u32 %r1, [%l1], %r2
7.8 atom.shared::cta.min|max.u32|s32|u64|s64 %t1, [%l1], %t2
7.8 barrier.cluster.arrive|wait.aligned?
7.8 barrier.cta.arrive.aligned 1, 64
7.8 barrier.cta.red.and|or.aligned.pred %p1, 1, %p2
7.8 barrier.cta.red.popc.aligned.u32 %r1, 1, %p1
7.8 barrier.cta.sync.aligned %r1
7.8 bar|barrier.cta.arrive 1, 64
7.8 bar|barrier.cta.red.and|or.pred %p1, 1, %p2
7.8 bar|barrier.cta.red.popc.u32 %r1, 1, %p1
7.8 bar|barrier.cta.sync %r1
7.8 cvt.rn.relu?.f16x2.e4m3x2|e5m2x2 %r1, %h2
7.8 cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f16x2 %h1, %r2
7.8 cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f32 %h1, %r2, %r3
7.8 cvt.rni|rzi|rmi|rpi.u16|s16.bf16 %h1, %h2
7.8 cvt.rni|rzi|rmi|rpi.u32|s32.bf16 %r1, %h2
7.8 cvt.rni|rzi|rmi|rpi.u64|s64.bf16 %l1, %h2
7.8 cvt.rn|rz|rm|rp.bf16.u16|s16|u32|s32|u64|s64 %h1, %t2
7.8 cvta.shared::cta|shared::cluster.u64 %l1, %l2
7.8 cvta.to.shared::cta|shared::cluster.u64 %l1, %l2
7.8 ex2.approx.ftz.bf16|bf16x2 %t1, %t2
7.8 fence.sc|acq_rel?.cluster
7.8 getctarank.shared::cluster?.u32|u64 %r1, %t2
7.8 griddepcontrol.wait|launch_dependents
7.8 isspacep.shared::cta|shared::cluster %p1, %l1
7.8 ld.relaxed|acquire.cluster.global|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.8 ld.relaxed|acquire.cluster.global|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.8 ld.relaxed|acquire.cluster.global|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.8 ld.relaxed|acquire.cta|cluster|gpu|sys.shared::cta.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.8 ld.relaxed|acquire.cta|cluster|gpu|sys.shared::cta.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.8 ld.relaxed|acquire.cta|cluster|gpu|sys.shared::cta.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.8 ld.volatile.shared::cta.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.8 ld.volatile.shared::cta.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.8 ld.volatile.shared::cta.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.8 ld.weak?.shared::cta.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
7.8 ld.weak?.shared::cta.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
7.8 ld.weak?.shared::cta|shared::cluster.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
7.8 mapa.shared::cluster?.u32|u64 %t1, %t2, %r3
7.8 mbarrier.arrive.shared::cta.b64 %l1, [%r1]
7.8 mbarrier.init.shared::cta.b64 [%r1], 1
7.8 mbarrier.inval.shared::cta.b64 [%r1]
7.8 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], %r2
7.8 mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %l1
7.8 mbarrier.try_wait.parity.shared|shared::cta?.b64 %p1, [%r1], %r2
7.8 mbarrier.try_wait.shared|shared::cta?.b64 %p1, [%r1], %l1
7.8 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2
7.8 red.relaxed|release.cluster.global|shared?.add.u32|s32|f32|u64|f64 [%l1], %t2
7.8 red.relaxed|release.cluster.global|shared?.and|or|xor.b32|b64 [%l1], %t2
7.8 red.relaxed|release.cluster.global|shared?.inc|dec.u32 [%l1], %r2
7.8 red.relaxed|release.cluster.global|shared?.min|max.u32|s32|u64|s64 [%l1], %t2
7.8 red.relaxed|release.cta|cluster|gpu|sys.shared::cta.add.u32|s32|f32|u64|f64 [%l1], %t2
7.8 red.relaxed|release.cta|cluster|gpu|sys.shared::cta.and|or|xor.b32|b64 [%l1], %t2
7.8 red.relaxed|release.cta|cluster|gpu|sys.shared::cta.inc|dec.u32 [%l1], %r2
7.8 red.relaxed|release.cta|cluster|gpu|sys.shared::cta.min|max.u32|s32|u64|s64 [%l1], %t2
7.8 red.shared::cta.add.u32|s32|f32|u64|f64 [%l1], %t2
7.8 red.shared::cta.and|or|xor.b32|b64 [%l1], %t2
7.8 red.shared::cta.inc|dec.u32 [%l1], %r2
7.8 red.shared::cta.min|max.u32|s32|u64|s64 [%l1], %t2
7.8 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.bf16.bf16 %h1, %h2, %h3
7.8 set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.bf16x2.bf16x2 %r1, %r2, %r3
7.8 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.bf16 %p1, %h2, %h3
7.8 setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.bf16x2 %p1|%p2, %r2, %r3
7.8 st.relaxed|release.cluster.global|shared?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
7.8 st.relaxed|release.cluster.global|shared?.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
7.8 st.relaxed|release.cluster.global|shared?.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
7.8 st.relaxed|release.cta|cluster|gpu|sys.shared::cta.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
7.8 st.relaxed|release.cta|cluster|gpu|sys.shared::cta.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
7.8 st.relaxed|release.cta|cluster|gpu|sys.shared::cta.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
7.8 st.volatile.shared::cta.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
7.8 st.weak?.shared::cta.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], {%l1, %l3}
7.8 st.weak?.shared::cta.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 [%l2], {%l1, %l3, %l4, %l5}
7.8 st.weak?.shared::cta|shared::cluster.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
7.8 stmatrix.sync.aligned.m8n8.x1.trans?.shared?.b16 [%r2], {%r1}
7.8 stmatrix.sync.aligned.m8n8.x2.trans?.shared?.b16 [%r2], {%r1, %r3}
7.8 stmatrix.sync.aligned.m8n8.x4.trans?.shared?.b16 [%r2], {%r1, %r3, %r4, %r5}
7.8 tanh.approx.bf16|bf16x2 %t1, %t2
8.0 add|max|min.u16x2|s16x2 %r1, %r2, %r3
8.0 barrier.cluster.arrive.release|relaxed.aligned?
8.0 barrier.cluster.wait.acquire.aligned?
8.0 cp.async.bulk.commit_group
8.0 cp.async.bulk.global.shared::cta.bulk_group [%l1], [%r1], %r2
8.0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1], %r2, [%r3]
8.0 cp.async.bulk.tensor.1d.shared::cluster.global.tile?.mbarrier::complete_tx::bytes [%r1], [%l1, {%r2}], [%r4]
8.0 cp.async.bulk.tensor.2d.global.shared::cta.tile?.bulk_group [%l1, {%r2, %r3}], [%r4]
8.0 cp.async.bulk.tensor.2d.shared::cluster.global.tile?.mbarrier::complete_tx::bytes [%r1], [%l1, {%r2, %r3}], [%r4]
8.0 cp.async.bulk.wait_group.read? 1
8.0 elect.sync %r1|%p1, %r2
8.0 fence.mbarrier_init.release.cluster
8.0 fence.proxy.async.global|shared::cta|shared::cluster?
8.0 max|min.relu.s32|s16x2 %r1, %r2, %r3
8.0 mbarrier.arrive.expect_tx.release.cta|cluster.shared::cta.b64 %l1, [%r1], 5
8.0 mbarrier.arrive.expect_tx.shared|shared::cta?.b64 %l1, [%r1], 5
8.0 mbarrier.arrive.release.cta|cluster.shared::cta.b64 %l1, [%r1]
8.0 mbarrier.expect_tx.shared|shared::cta?.b64 [%r1], 5
8.0 prefetch.param|const?.tensormap [%l1]
8.0 setmaxnreg.inc|dec.sync.aligned.u32 64
8.2 lop3.and|or.b32 %r1|%p1, %r2, %r3, %r4, 5, %p2
8.3 ld.param::entry|param::func.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 %l1, [%l2]
8.3 ld.param::entry|param::func.v2.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 {%l1, %l3}, [%l2]
8.3 ld.param::entry|param::func.v4.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32 {%l1, %l3, %l4, %l5}, [%l2]
8.3 mov.b128 %q1, {%l1, %l2}
8.3 st.param::func.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64 [%l2], %l1
8.4 mma.sync.aligned.m16n8k32.row.col.f32.e4m3|e5m2.e4m3|e5m2.f32 {%r1, %r2, %r3, %r4}, {%r3, %r4, %r5, %r6}, {%r5, %r6}, {%r6, %r7, %r8, %r9}
8.6 add|sub|mul.rn|rz|rm|rp?.ftz?.f32x2 %l1, %l2, %l3
8.6 fma.rn|rz|rm|rp.ftz?.f32x2 %l1, %l2, %l3, %l4
`
