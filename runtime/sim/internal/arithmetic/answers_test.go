package arithmetic_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// TestAnswers compares some instructions of each pattern with what an H200 answered to TestProbesOnGPU of
// runtime/sim, whose operands it has, too. All of them are TestAnswersOfTheH200 there.
func TestAnswers(t *testing.T) {
	var forms ptx.FormTable[string]
	for _, f := range slices.Concat(arithmetic.IntegerForms(), arithmetic.BitForms(), arithmetic.VideoForms(), arithmetic.FloatForms(), arithmetic.DirectedForms(), arithmetic.HalfForms(), arithmetic.CompareForms(), arithmetic.LogicForms(), arithmetic.ConvertForms(), arithmetic.NarrowForms(), arithmetic.Approx64Forms()) {
		forms.Add(ptx.ParseForm(f.Pattern), f.Pattern)
	}
	answers, err := os.ReadFile(filepath.Join("..", "..", "testdata", "h200.txt"))
	require.NoError(t, err)
	known := map[string][]answer{}
	for line := range strings.Lines(string(answers)) {
		digest, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		value, err := strconv.ParseUint(digest, 16, 64)
		words := strings.Split(name, ".")
		if err != nil || strings.Contains(name, " ") || strings.Contains(name, ".approx") || strings.Contains(name, ".full") {
			continue
		}
		if pattern, ok := forms.Find(&ptx.Instr{Op: words[0], Mods: words[1:]}); ok && len(known[pattern]) < 40 {
			before := ""
			if list := known[pattern]; len(list) > 0 {
				before = list[len(list)-1].classes
			}
			classes := classesOf(name, before)
			require.NotEmpty(t, classes, name)
			known[pattern] = append(known[pattern], answer{name, classes, value})
		}
	}
	require.Greater(t, len(known), 100)
	var some []answer
	for _, list := range known {
		for n := 0; n < len(list); n += max(1, len(list)/5) {
			some = append(some, list[n])
		}
	}
	got := digests(t, some)
	for n, a := range some {
		assert.Equal(t, a.digest, got[n], a.name)
	}
}

// An answer is the digest of the results of an instruction, whose operands are h, r and l of 16, 32 and 64 bits
// and p of predicates, the destination first.
type answer struct {
	name, classes string
	digest        uint64
}

// What a row of operands takes in memory: as in the probes of runtime/sim.
const (
	answerRows = 128
	rowWords   = 16
)

// digests executes the instructions and returns the digests of their results.
func digests(t *testing.T, list []answer) (found []uint64) {
	t.Helper()
	var mem memory.Memory
	t.Cleanup(mem.Reset)
	var text strings.Builder
	text.WriteString(".version 9.0\n.target sm_90\n.address_size 64\n")
	for n, a := range list {
		fmt.Fprintf(&text, ".entry k%d(.param .u64 p) {\n.reg .b16 %%h<6>; .reg .b32 %%r<6>; .reg .b64 %%l<6>; .reg .pred %%p<6>; .reg .b64 %%a<3>; .reg .b32 %%t<2>;\n"+
			"ld.param.u64 %%a1, [p]; mov.u32 %%t0, %%tid.x; mad.wide.u32 %%a1, %%t0, %d, %%a1;\n", n, 8*rowWords)
		for i, class := range a.classes[1:] {
			if class == 'p' {
				fmt.Fprintf(&text, "ld.global.b32 %%t1, [%%a1+%d]; setp.ne.u32 %%p%d, %%t1, 0;\n", 8*i, i+1)
				continue
			}
			fmt.Fprintf(&text, "ld.global.b%d %%%c%d, [%%a1+%d];\n", map[rune]int{'h': 16, 'r': 32, 'l': 64}[class], class, i+1, 8*i)
		}
		text.WriteString(instruction(a.name, a.classes) + "\n")
		text.WriteString(map[byte]string{'h': "cvt.u64.u16 %a2, %h0;", 'r': "cvt.u64.u32 %a2, %r0;", 'l': "mov.b64 %a2, %l0;", 'p': "selp.u64 %a2, 1, 0, %p0;"}[a.classes[0]])
		text.WriteString(" st.global.b64 [%a1], %a2;\nret; }\n")
	}
	lib, refused := images.Load(bytecode.ImageName, []byte(text.String()), &mem, 0)
	require.Nil(t, refused)
	addr, ok := mem.Alloc(8*rowWords*answerRows, memory.Allocation{})
	require.True(t, ok)
	bytes, ok := memory.BytesAt(addr, 8*rowWords*answerRows)
	require.True(t, ok)
	for n, a := range list {
		rows := operands(a.name, a.classes[1:])
		_, err := binary.Encode(bytes, binary.LittleEndian, rows)
		require.NoError(t, err)
		cfg := driver.LaunchConfig{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: answerRows, Y: 1, Z: 1}}
		done := interp.Execute(lib.Kernels["k"+strconv.Itoa(n)], &mem, cfg, interp.Alone(), binary.LittleEndian.AppendUint64(nil, addr), new(atomic.Bool), 1, new(atomic.Uint64), interp.Checks{})
		require.Nil(t, done.Fault, a.name)
		_, err = binary.Decode(bytes, binary.LittleEndian, rows)
		require.NoError(t, err)
		h := fnv.New64a()
		for row := range slices.Chunk(rows, rowWords) {
			fmt.Fprintf(h, "%x ", row[0])
		}
		found = append(found, h.Sum64())
	}
	return found
}

// instruction is PTX whose operands are registers of the classes, numbered from 0.
func instruction(name, classes string) string {
	var registers []string
	for n, class := range classes {
		registers = append(registers, fmt.Sprintf("%%%c%d", class, n))
	}
	return name + " " + strings.Join(registers, ", ") + ";"
}

// classesOf returns the operands that the decoder takes: those of the instruction before, or the fewest.
func classesOf(name, before string) string {
	list := []string{""}
	if before != "" && decodes(name, before) {
		if fewer := before[:len(before)-1]; decodes(name, fewer) {
			return fewer
		}
		return before
	}
	for range 5 {
		var longer []string
		for _, classes := range list {
			for _, class := range "hrlp" {
				longer = append(longer, classes+string(class))
			}
		}
		for _, classes := range longer {
			if len(classes) > 1 && !strings.Contains(classes[1:len(classes)-1], "p") && decodes(name, classes) {
				return classes
			}
		}
		list = longer
	}
	return ""
}

func decodes(name, classes string) bool {
	words := strings.Split(name, ".")
	in := &ptx.Instr{Op: words[0], Mods: words[1:], Text: instruction(name, classes)}
	for n, class := range classes {
		in.Args = append(in.Args, ptx.Reg{Name: fmt.Sprintf("%%%c%d", class, n)})
	}
	d := &bytecode.Decoder{Errs: &bytecode.Problems{}, Mod: &bytecode.Module{Forms: interp.Assemblers()}, Shared: map[string]bytecode.Symbol{}, K: &bytecode.Program{Bases: map[int32]bytecode.ArraySet{}, Regs: 1, Preds: bytecode.FirstPred},
		Constants: map[uint64]int32{}, Addresses: map[bytecode.AddressKey]int32{}, Specials: map[bytecode.Special]int32{}}
	s := d.Push()
	for class, typ := range map[string]ptx.Type{"%h": "b16", "%r": "b32", "%l": "b64", "%p": "pred"} {
		d.Declare(s, &ptx.Var{Name: class, Count: 6, Space: "reg", Type: typ})
	}
	d.Instr(in)
	return len(d.Errs.List) == 0
}

// edges are values with which instructions are wrong most often, by the width of a register.
var edges = map[rune][]uint64{
	'h': {0, 1, 0x8000, 0x8001, 0x7fff, 0xffff, 0x3c00, 0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0400, 0x03ff, 0x83ff, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x007f, 0x3555, 0x4248, 0x3800, 0x3801, 0x6400, 0x5bf9},
	'r': {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff812345, 0x4b000001, 0x33800000, 0x3f000000, 0x477fe000, 0x477ff000, 0x38800000, 0x387fe000, 0x33000001, 0x3c003c00, 0x7c00fc00, 0x7e007bff, 0x00010400, 0x43e00000, 0x43e80000, 0x47600000, 0x3f801000, 0x3f803000, 0x40490fdb},
	'l': {0, 1, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x0010000000000000, 0x000fffffffffffff, 0x0000000000000001, 0x8000000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000020000456, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x3fe0000000000000, 0x41dfffffffc00000, 0x43e0000000000000, 0x40effc0000000000, 0x40efffffffffffff, 0x3e70000000000000, 0x380fffffefffffff, 0x47efffffefffffff, 0x123456789abcdef0, 0x400921fb54442d18},
}

// operands returns what the probe of an instruction reads.
func operands(name, classes string) []uint64 {
	seed := fnv.New64()
	seed.Write([]byte(name))
	random := rand.New(rand.NewPCG(seed.Sum64(), 1))
	rows := make([]uint64, rowWords*answerRows)
	for row := range slices.Chunk(rows, rowWords) {
		for n, class := range classes {
			switch values := edges[class]; {
			case class == 'p':
				row[n] = random.Uint64() & 1
			case random.IntN(5) == 0:
				row[n] = random.Uint64()
			case random.IntN(5) == 0:
				row[n] = values[random.IntN(len(values))] + uint64(random.IntN(5)) - 2
			default:
				row[n] = values[random.IntN(len(values))]
			}
		}
	}
	return rows
}
