package bytecode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A Rule says which bits of a result are undefined.
type Rule uint8

const (
	smears       Rule = iota // all, if any of a source is
	Bitwise                  // those that a source's undefined bit can change
	Upwards                  // from the lowest undefined bit of a source on: sums and low products
	Moves                    // the instruction moves bits: it moves undefined ones alike
	MovesByB                 // the same, by b
	MovesByC                 // the same, by c
	MovesByBC                // the same, by b and c
	Equality                 // a comparison, which one differing bit decides
	SumOfProduct             // c plus the product of a and b, which is undefined if one of them is
	SmearsHalf               // all of a half, if any of that half of a source is
	SmearsShort              // all of 16 bits, if any of these of a source is
	SmearsByte               // all of a byte, if any of that byte of a source is
	PacksShorts              // the upper 16 bits as the first source, the lower ones as the second
	SumOfLow                 // all, if any of a source is, but for the upper 16 bits of the second
	SumOfHigh                // the same, but for the lower ones
	Between                  // all, if the least and the most that the source can be have other results: the result rises or falls with it
	SumOfBytes               // all, if a byte of a source is that is not multiplied by 0, or the third source
)

// ruleNames has the rule of instructions by how their names begin; the longest counts.
var ruleNames = map[string]Rule{
	"and": Bitwise, "or": Bitwise, "xor": Bitwise, "not": Bitwise, "lop3": Bitwise,
	"add.u": Upwards, "add.s": Upwards, "sub.u": Upwards, "sub.s": Upwards, "mul.lo": Upwards, "mad.lo": Upwards, "neg.s": Upwards, "cvta": Upwards,
	"add.sat": smears, "sub.sat": smears,
	"mov": Moves, "brev": Moves,
	"clz": Between, "dp4a": SumOfBytes,
	"shl": MovesByB, "shr": MovesByB, "bfe": MovesByBC, "prmt": MovesByC, "shf": MovesByC,
}

// ruleOf returns the rule of an instruction.
func ruleOf(text string) Rule {
	parts := ptx.NameIn(text)
	if r, ok := packedRule(text, parts); ok {
		return r
	}
	if (parts[0] == "setp" || parts[0] == "set") && len(parts) > 2 {
		if t := parts[len(parts)-1]; (parts[1] == "eq" || parts[1] == "ne") && isInteger(t) {
			return Equality
		}
		return smears
	}
	if parts[0] == "bfind" && parts[len(parts)-1][:1] == "u" {
		return Between
	}
	if parts[0] == "cvt" {
		if len(parts) == 3 && isInteger(parts[1]) && isInteger(parts[2]) {
			return Moves
		}
		return smears
	}
	for n := min(2, len(parts)); n > 0; n-- {
		if r, ok := ruleNames[strings.Join(parts[:n], ".")]; ok {
			return r
		}
	}
	if len(parts) > 1 && parts[1] != "" {
		if r, ok := ruleNames[parts[0]+"."+parts[1][:1]]; ok {
			return r
		}
	}
	return smears
}

// packedRule returns the rule of an instruction on the parts of registers.
//
// PTX ISA, Half Precision Floating Point Instructions; SIMD Video Instructions; dp2a.
func packedRule(text string, parts []string) (Rule, bool) {
	last := parts[len(parts)-1]
	switch {
	case parts[0] == "setp" || parts[0] == "set":
		return smears, false
	case last == "f32x2":
		return SmearsHalf, true
	case strings.HasSuffix(last, "16x2") && parts[0] != "cvt":
		return SmearsShort, true
	case parts[0] == "cvt" && last == "f32" && slices.ContainsFunc(parts, func(t string) bool { return strings.HasSuffix(t, "f16x2") }):
		return PacksShorts, true
	case parts[0] == "dp2a" && len(parts) > 1 && parts[1] == "lo":
		return SumOfLow, true
	case parts[0] == "dp2a":
		return SumOfHigh, true
	case last == "add" || selects.MatchString(text): // one sum of all parts, or parts in other places
		return smears, false
	case slices.Contains(video, strings.TrimRight(parts[0], "24")) && strings.HasSuffix(parts[0], "2"):
		return SmearsShort, true
	case slices.Contains(video, strings.TrimRight(parts[0], "24")) && strings.HasSuffix(parts[0], "4"):
		return SmearsByte, true
	}
	return smears, false
}

// video are the SIMD video instructions, without how many parts they have; selects matches what chooses some parts.
var (
	video   = []string{"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"}
	selects = regexp.MustCompile(`\.[hb]\d`)
)

func isInteger(t string) bool {
	return len(t) > 1 && strings.ContainsRune("usb", rune(t[0])) && t[1] >= '1' && t[1] <= '9'
}

// ShadowRules returns the rules of a kernel's instructions as p has them.
func (p *Plan) ShadowRules(k *Program) []Rule {
	k.shadowOnce.Do(func() {
		k.rules = make([]Rule, len(k.Code))
		for pc := range k.Code {
			k.rules[pc] = ruleOf(k.Places[pc].Text)
		}
	})
	if len(p.Fused) == 0 {
		return k.rules
	}
	rules := slices.Clone(k.rules)
	for _, pc := range p.Fused {
		rules[pc] = SumOfProduct
	}
	return rules
}

// Widths returns the bits of each register.
func (k *Program) Widths() []uint64 {
	width := make([]uint64, k.Registers())
	for r := range width {
		width[r] = ^uint64(0)
		if size := k.sizeOf(r); size > 0 && size < 8 {
			width[r] = 1<<(8*size) - 1
		}
	}
	return width
}

// setSize notes the bytes of a register.
func (k *Program) setSize(r int32, size int) {
	for len(k.sizes) <= int(r) {
		k.sizes = append(k.sizes, 0)
	}
	k.sizes[r] = uint8(size)
}

// sizeOf is 0 for those that nobody has declared.
func (k *Program) sizeOf(r int) uint8 {
	if r >= len(k.sizes) {
		return 0
	}
	return k.sizes[r]
}
