package sim

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A probe is one instruction that computes a value from values, with the classes of its
// operands, the destination first: h, r and l are registers of 16, 32 and 64 bits, p predicates.
type probe struct{ name, classes string }

// probed are the chapters whose instructions compute without memory or other threads.
func probed() [][]form {
	return [][]form{integerForms(), bitForms(), videoForms(), floatForms(), directedForms(), halfForms(), compareForms(), logicForms(), convertForms(), narrowForms(), approx64Forms()}
}

// expand returns every instruction of a pattern.
func expand(pattern string) []string {
	opcodes, rest, modified := strings.Cut(pattern, ".")
	all := strings.Split(opcodes, "|")
	if !modified {
		return all
	}
	for part := range strings.SplitSeq(rest, ".") {
		names, optional := strings.CutSuffix(part, "?")
		var next []string
		for _, head := range all {
			if optional {
				next = append(next, head)
			}
			for name := range strings.SplitSeq(names, "|") {
				next = append(next, head+"."+name)
			}
		}
		all = next
	}
	return all
}

// probes finds, by the decoder, what operands each instruction takes. Of comparisons, which are
// many, some are left out.
func probes() (found []probe) {
	last := ""
	var pattern string // of the operands of the instruction before
	for _, chapter := range probed() {
		for _, f := range chapter {
			for n, name := range expand(f.pattern) {
				if (strings.HasPrefix(f.pattern, "set") || strings.HasPrefix(f.pattern, "cvt")) && n%3 != 0 && strings.Count(f.pattern, "|") > 15 {
					continue
				}
				if f.pattern != last {
					pattern = ""
				}
				last = f.pattern
				if classes := operandsOf(name, pattern); classes != "" {
					pattern = classes
					found = append(found, probe{name, classes})
				}
			}
		}
	}
	return found
}

// operandsOf returns the classes of the operands that name takes, trying the given ones first.
func operandsOf(name, first string) string {
	if first != "" && decodes(name, first) {
		return first
	}
	counts := []int{2, 3, 4, 5}
	for _, count := range counts {
		classes := make([]byte, count)
		var try func(n int) string
		try = func(n int) string {
			if n == count {
				if decodes(name, string(classes)) {
					return string(classes)
				}
				return ""
			}
			for _, class := range "hrlp" {
				if classes[n] = byte(class); class == 'p' && n > 0 && n < count-1 {
					continue
				}
				if found := try(n + 1); found != "" {
					return found
				}
			}
			return ""
		}
		if name == "lop3.b32" || strings.HasPrefix(name, "lop3") {
			return ""
		}
		if found := try(0); found != "" {
			return found
		}
	}
	return ""
}

// text is the instruction of the probe, on registers %h0, %r1, ….
func (p probe) text() string {
	var operands []string
	for n, class := range p.classes {
		operands = append(operands, fmt.Sprintf("%%%c%d", class, n))
	}
	return p.name + " " + strings.Join(operands, ", ") + ";"
}

const probeRegisters = ".reg .b16 %h<6>; .reg .b32 %r<9>; .reg .b64 %l<9>; .reg .pred %p<9>;\n"

// decodes reports whether the decoder takes the instruction with operands of these classes.
func decodes(name, classes string) bool {
	p := probe{name, classes}
	parts := strings.Split(name, ".")
	in := &ptx.Instr{Op: parts[0], Mods: parts[1:], Text: p.text()}
	for n, class := range classes {
		in.Args = append(in.Args, ptx.Reg{Name: fmt.Sprintf("%%%c%d", class, n)})
	}
	d := &decoder{errs: &problems{}, mod: &module{}, shared: map[string]symbol{}, k: &kernel{regs: 1, preds: firstPred},
		constants: map[uint64]int32{}, specials: map[special]int32{}, read: map[int32]bool{}}
	s := d.push()
	for class, t := range map[string]ptx.Type{"%h": "b16", "%r": "b32", "%l": "b64", "%p": "pred"} {
		s.decls = append(s.decls, &ptx.Var{Name: class, Count: 9, Space: "reg", Type: t})
	}
	d.instr(in)
	return len(d.errs.list) == 0
}

// kernelText is the kernel called k<n> of the probe: each thread reads four values and writes one.
func (p probe) kernelText(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 in, .param .u64 out) {\n%s", n, probeRegisters)
	b.WriteString(".reg .b64 %a<4>; .reg .b32 %t<3>;\nld.param.u64 %a1, [in]; ld.param.u64 %a2, [out]; mov.u32 %t1, %tid.x; mul.wide.u32 %a3, %t1, 32; add.s64 %a1, %a1, %a3; mul.wide.u32 %a3, %t1, 8; add.s64 %a2, %a2, %a3;\n")
	for i, class := range p.classes[1:] {
		at := 8 * i
		switch class {
		case 'h':
			fmt.Fprintf(&b, "ld.global.b16 %%h%d, [%%a1+%d];\n", i+1, at)
		case 'r':
			fmt.Fprintf(&b, "ld.global.b32 %%r%d, [%%a1+%d];\n", i+1, at)
		case 'l':
			fmt.Fprintf(&b, "ld.global.b64 %%l%d, [%%a1+%d];\n", i+1, at)
		case 'p':
			fmt.Fprintf(&b, "ld.global.b32 %%r8, [%%a1+%d]; and.b32 %%r8, %%r8, 1; setp.ne.u32 %%p%d, %%r8, 0;\n", at, i+1)
		}
	}
	b.WriteString(p.text() + "\n")
	switch p.classes[0] {
	case 'h':
		b.WriteString("cvt.u64.u16 %l0, %h0;\n")
	case 'r':
		b.WriteString("cvt.u64.u32 %l0, %r0;\n")
	case 'p':
		b.WriteString("selp.u64 %l0, 1, 0, %p0;\n")
	}
	b.WriteString("st.global.b64 [%a2], %l0; ret; }\n")
	return b.String()
}

// probeRows is how many rows of operands each probe gets.
const probeRows = 128

// edges are values with which instructions are wrong most often, by the width of a register.
var edges = map[rune][]uint64{
	'h': {0, 1, 0x8000, 0x8001, 0x7fff, 0xffff, 0x3c00, 0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0400, 0x03ff, 0x83ff, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x007f, 0x3555, 0x4248, 0x3800, 0x3801, 0x6400, 0x5bf9},
	'r': {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff812345, 0x4b000001, 0x33800000, 0x3f000000, 0x477fe000, 0x477ff000, 0x38800000, 0x387fe000, 0x33000001, 0x3c003c00, 0x7c00fc00, 0x7e007bff, 0x00010400, 0x43e00000, 0x43e80000, 0x47600000, 0x3f801000, 0x3f803000, 0x40490fdb},
	'l': {0, 1, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x0010000000000000, 0x000fffffffffffff, 0x0000000000000001, 0x8000000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000020000456, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x3fe0000000000000, 0x41dfffffffc00000, 0x43e0000000000000, 0x40effc0000000000, 0x40efffffffffffff, 0x3e70000000000000, 0x380fffffefffffff, 0x47efffffefffffff, 0x123456789abcdef0, 0x400921fb54442d18},
}

// rowsOf returns the operands of a probe, the same in every run.
func rowsOf(p probe) (rows []uint64) {
	seed := fnv.New64()
	seed.Write([]byte(p.name))
	random := rand.New(rand.NewPCG(seed.Sum64(), 1))
	for range probeRows {
		row := make([]uint64, 4)
		for n, class := range p.classes[1:] {
			values := edges[class]
			switch {
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
		rows = append(rows, row...)
	}
	return rows
}

// probeModules is the probes in modules that are not too large.
func probeModules(all []probe) (texts []string, parts [][]probe) {
	for part := range slices.Chunk(all, 250) {
		text := ".version 9.0\n.target sm_90\n.address_size 64\n"
		for n, p := range part {
			text += p.kernelText(n)
		}
		texts, parts = append(texts, text), append(parts, part)
	}
	return texts, parts
}

// answers runs the probes on a device and returns what each wrote.
func answers(t *testing.T, d driver.Driver, all []probe) [][]uint64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.Equal(t, driver.Success, d.Init())
	dev, r := d.DeviceGet(0)
	require.Equal(t, driver.Success, r)
	ctx, r := d.DevicePrimaryCtxRetain(dev)
	require.Equal(t, driver.Success, r)
	defer d.DevicePrimaryCtxRelease(dev)
	require.Equal(t, driver.Success, d.CtxPushCurrent(ctx))
	defer d.CtxPopCurrent()
	s, r := d.StreamCreate(1)
	require.Equal(t, driver.Success, r)
	in, r := d.MemAllocAsync(32*probeRows, s)
	require.Equal(t, driver.Success, r)
	out, r := d.MemAllocAsync(8*probeRows, s)
	require.Equal(t, driver.Success, r)
	var results [][]uint64
	texts, parts := probeModules(all)
	for m, text := range texts {
		lib, r := d.LibraryLoadData([]byte(text))
		require.Equal(t, driver.Success, r, d.LibraryLog(0))
		for n, p := range parts[m] {
			k, r := d.LibraryGetKernel(lib, "k"+strconv.Itoa(n))
			require.Equal(t, driver.Success, r, "%s: %s", p.text(), d.LibraryLog(lib))
			rows, result := rowsOf(p), make([]uint64, probeRows)
			require.Equal(t, driver.Success, d.MemcpyHtoDAsync(in, unsafe.Pointer(&rows[0]), 32*probeRows, s))
			params := [2]driver.DevicePtr{in, out}
			require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, probeRows, 0), s, unsafe.Slice((*byte)(unsafe.Pointer(&params)), 16), []uint32{0, 8}))
			require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&result[0]), out, 8*probeRows, s))
			require.Equal(t, driver.Success, d.StreamSynchronize(s), p.text())
			results = append(results, result)
		}
		require.Equal(t, driver.Success, d.LibraryUnload(lib))
	}
	return results
}

// isOpen reports whether the ISA leaves the result of an instruction open, so that devices may differ.
func isOpen(name string) bool {
	return strings.Contains(name, ".approx") || strings.Contains(name, ".full")
}

// TestProbesOnGPU compares the simulated device with the GPU, value by value, for every
// instruction that computes without memory. Set CUDAGEN_ANSWERS to a file to
// keep digests of the GPU's answers that the simulated device gives, too: testdata/h200.txt.
func TestProbesOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	all := probes()
	gpu, err := libcuda.Open()
	require.NoError(t, err)
	want, got := answers(t, gpu, all), answers(t, newDevice(0), all)
	differing, rowsWrong, openWrong := 0, 0, 0
	var kept strings.Builder
	kept.WriteString(answersHead)
	for n, p := range all {
		wrong, example := 0, ""
		for row := range want[n] {
			if want[n][row] != got[n][row] {
				if wrong++; wrong <= 3 {
					example += fmt.Sprintf("\n\tof %#x: simulator %#x, GPU %#x", rowsOf(p)[4*row:4*row+len(p.classes)-1], got[n][row], want[n][row])
				}
			}
		}
		switch {
		case wrong == 0:
			fmt.Fprintf(&kept, "%s %s %016x\n", p.name, p.classes, digest(want[n]))
		case isOpen(p.name):
			openWrong += wrong
		default:
			differing++
			rowsWrong += wrong
			t.Errorf("%s: %d of %d rows differ%s", p.text(), wrong, probeRows, example)
		}
	}
	t.Logf("%d instructions, %d rows; %d instructions differ, in %d rows; besides, %d rows of approximations differ", len(all), probeRows*len(all), differing, rowsWrong, openWrong)
	if path := os.Getenv("CUDAGEN_ANSWERS"); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(kept.String()), 0o644))
	}
}

const answersHead = "# What an H200 answered to TestProbesOnGPU, which wrote this: instruction, operands, digest of the results.\n"

// digest is a hash of answers.
func digest(values []uint64) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		fmt.Fprintf(h, "%x ", v)
	}
	return h.Sum64()
}

// TestAnswersOfTheH200 compares with the answers in testdata/h200.txt, which TestProbesOnGPU
// wrote on an H200, without a GPU.
func TestAnswersOfTheH200(t *testing.T) {
	kept, err := os.ReadFile(filepath.Join("testdata", "h200.txt"))
	require.NoError(t, err)
	var all []probe
	var want []uint64
	for line := range strings.Lines(string(kept)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		require.Len(t, fields, 3)
		hash, err := strconv.ParseUint(fields[2], 16, 64)
		require.NoError(t, err)
		if !isOpen(fields[0]) {
			all, want = append(all, probe{fields[0], fields[1]}), append(want, hash)
		}
	}
	for n, got := range answers(t, newDevice(0), all) {
		assert.Equal(t, want[n], digest(got), "%s differs from the H200's", all[n].text())
	}
}

// TestProbesAssemble: ptxas takes every instruction that the decoder takes.
func TestProbesAssemble(t *testing.T) {
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	texts, parts := probeModules(probes())
	refused := regexp.MustCompile(`line (\d+); error *: (.*)`)
	for m, text := range texts {
		command := exec.Command(ptxas, "-arch=sm_90", "-o", os.DevNull, "-")
		path := filepath.Join(t.TempDir(), "probes.ptx")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		command.Args[len(command.Args)-1] = path
		out, err := command.CombinedOutput()
		if err == nil {
			continue
		}
		lines := strings.Split(text, "\n")
		for _, match := range refused.FindAllSubmatch(bytes.TrimSpace(out), -1) {
			n, _ := strconv.Atoi(string(match[1]))
			t.Errorf("the decoder takes %s: %s", lines[n-1], match[2])
		}
		if !refused.Match(out) {
			t.Errorf("module %d of %d probes: %s", m, len(parts[m]), out)
		}
	}
}
