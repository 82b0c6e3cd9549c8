package sim

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
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

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A probe is PTX that computes values from values: one instruction, or several if it takes more to
// see what it does.
type probe struct {
	name string   // the instruction, and what it is used with if there are several
	ins  string   // a class for each source, which is the register numbered from 1
	outs []string // the registers with the results
	body string
}

// registerClass is the class of the register for a source: h, r and l of 16, 32 and 64 bits, p of a
// predicate. Classes in capitals have values of their own.
func registerClass(class rune) rune {
	switch class {
	case 'D':
		return 'l'
	case 'H', 'B', 'F', 'E', 'G', 'S':
		return 'r'
	}
	return class
}

// What a row of operands and one of results take in memory, and what a thread has besides.
const (
	probeRows     = 128
	rowBytes      = 128
	resultBytes   = 64
	slotBytes     = 64
	outBytes      = probeRows * (resultBytes + slotBytes)
	probeConstant = ".const .align 16 .b8 pool[64] = {1, 2, 255, 4, 5, 128, 7, 8, 9, 160, 11, 12, 13, 14, 15, 240, 17, 18, 19, 20, 21, 22, 23, 254};\n"
)

// kernelText is the kernel called k<n> of the probe: each thread reads a row and writes a row.
func (p probe) kernelText(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 in, .param .u64 out) {\n", n)
	b.WriteString(".reg .b16 %h<32>; .reg .b32 %r<40>; .reg .b64 %l<40>; .reg .pred %p<16>; .reg .b64 %a<6>; .reg .b32 %t<6>;\n")
	if strings.Contains(p.body, "%q") {
		b.WriteString(".reg .b128 %q<8>;\n")
	}
	if strings.Contains(p.body, "%t4") {
		fmt.Fprintf(&b, ".shared .align 128 .b8 sh[%d];\n", probeRows*slotBytes)
	}
	if strings.Contains(p.body, "slot") {
		fmt.Fprintf(&b, ".local .align 16 .b8 slot[%d];\n", slotBytes)
	}
	fmt.Fprintf(&b, "ld.param.u64 %%a1, [in]; ld.param.u64 %%a2, [out]; mov.u32 %%t1, %%tid.x; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a1, %%a1, %%a3; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a2, %%a2, %%a3;\n", rowBytes, resultBytes)
	if strings.Contains(p.body, "%a4") {
		fmt.Fprintf(&b, "add.s64 %%a4, %%a2, %d;\n", probeRows*resultBytes)
	}
	if strings.Contains(p.body, "%t4") {
		fmt.Fprintf(&b, "mov.u32 %%t2, sh; mad.lo.u32 %%t4, %%t1, %d, %%t2;\n", slotBytes)
	}
	for i, class := range p.ins {
		at := 8 * i
		switch registerClass(class) {
		case 'h':
			fmt.Fprintf(&b, "ld.global.b16 %%h%d, [%%a1+%d];\n", i+1, at)
		case 'r':
			fmt.Fprintf(&b, "ld.global.b32 %%r%d, [%%a1+%d];\n", i+1, at)
		case 'l':
			fmt.Fprintf(&b, "ld.global.b64 %%l%d, [%%a1+%d];\n", i+1, at)
		case 'p':
			fmt.Fprintf(&b, "ld.global.b32 %%t3, [%%a1+%d]; and.b32 %%t3, %%t3, 1; setp.ne.u32 %%p%d, %%t3, 0;\n", at, i+1)
		}
	}
	b.WriteString(p.body + "\n")
	for i, register := range p.outs {
		switch register[1] {
		case 'h':
			fmt.Fprintf(&b, "cvt.u64.u16 %%a3, %s;", register)
		case 'r':
			fmt.Fprintf(&b, "cvt.u64.u32 %%a3, %s;", register)
		case 'l':
			fmt.Fprintf(&b, "mov.b64 %%a3, %s;", register)
		case 'p':
			fmt.Fprintf(&b, "selp.u64 %%a3, 1, 0, %s;", register)
		}
		fmt.Fprintf(&b, " st.global.b64 [%%a2+%d], %%a3;\n", 8*i)
	}
	b.WriteString("ret; }\n")
	return b.String()
}

// edges are values with which instructions are wrong most often, by the width of a register.
var edges = map[rune][]uint64{
	'h': {0, 1, 0x8000, 0x8001, 0x7fff, 0xffff, 0x3c00, 0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0400, 0x03ff, 0x83ff, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x007f, 0x3555, 0x4248, 0x3800, 0x3801, 0x6400, 0x5bf9},
	'r': {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff812345, 0x4b000001, 0x33800000, 0x3f000000, 0x477fe000, 0x477ff000, 0x38800000, 0x387fe000, 0x33000001, 0x3c003c00, 0x7c00fc00, 0x7e007bff, 0x00010400, 0x43e00000, 0x43e80000, 0x47600000, 0x3f801000, 0x3f803000, 0x40490fdb},
	'l': {0, 1, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x0010000000000000, 0x000fffffffffffff, 0x0000000000000001, 0x8000000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000020000456, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x3fe0000000000000, 0x41dfffffffc00000, 0x43e0000000000000, 0x40effc0000000000, 0x40efffffffffffff, 0x3e70000000000000, 0x380fffffefffffff, 0x47efffffefffffff, 0x123456789abcdef0, 0x400921fb54442d18},
}

// rowsOf returns the operands of a probe, the same in every run.
func rowsOf(p probe) (rows []uint64) {
	instruction, _, _ := strings.Cut(p.name, " ")
	seed := fnv.New64()
	seed.Write([]byte(instruction))
	random := rand.New(rand.NewPCG(seed.Sum64(), 1))
	for range probeRows {
		row := make([]uint64, rowBytes/8)
		for n, class := range p.ins {
			row[n] = operand(class, random)
		}
		rows = append(rows, row...)
	}
	return rows
}

func operand(class rune, random *rand.Rand) uint64 {
	values := edges[class]
	switch {
	case class == 'p':
		return random.Uint64() & 1
	case class == 'S':
		return uint64(random.IntN(40))
	case values == nil:
		return smallFloats(class, random)
	case random.IntN(5) == 0:
		return random.Uint64()
	case random.IntN(5) == 0:
		return values[random.IntN(len(values))] + uint64(random.IntN(5)) - 2
	}
	return values[random.IntN(len(values))]
}

// smallFloats fills a register with small integers in the format of a class.
func smallFloats(class rune, random *rand.Rand) (register uint64) {
	x := func() float64 { return float64(random.IntN(17) - 8) }
	switch class {
	case 'F':
		return uint64(math.Float32bits(float32(x())))
	case 'D':
		return math.Float64bits(x())
	}
	f := map[rune]*softfloat.Format{'H': softfloat.F16, 'B': softfloat.BF16, 'E': softfloat.E4M3, 'G': softfloat.E5M2}[class]
	for at := uint(0); at < 32; at += f.Width() {
		register |= f.Round(x(), softfloat.Nearest) << at
	}
	return register
}

// probeModules is the probes in modules that are not too large.
func probeModules(all []probe) (texts []string, parts [][]probe) {
	for part := range slices.Chunk(all, 250) {
		text := ".version 9.0\n.target sm_90\n.address_size 64\n" + probeConstant
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
	in, r := d.MemAllocAsync(rowBytes*probeRows, s)
	require.Equal(t, driver.Success, r)
	out, r := d.MemAllocAsync(outBytes, s)
	require.Equal(t, driver.Success, r)
	var results [][]uint64
	texts, parts := probeModules(all)
	for m, text := range texts {
		lib, r := d.LibraryLoadData([]byte(text))
		require.Equal(t, driver.Success, r, d.LibraryLog(lib))
		for n, p := range parts[m] {
			k, r := d.LibraryGetKernel(lib, "k"+strconv.Itoa(n))
			require.Equal(t, driver.Success, r, "%s: %s", p.body, d.LibraryLog(lib))
			rows, result := rowsOf(p), make([]uint64, probeRows*resultBytes/8)
			require.Equal(t, driver.Success, d.MemcpyHtoDAsync(in, unsafe.Pointer(&rows[0]), rowBytes*probeRows, s))
			params := [2]driver.DevicePtr{in, out}
			require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, probeRows, 0), s, unsafe.Slice((*byte)(unsafe.Pointer(&params)), 16), []uint32{0, 8}), p.body)
			require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&result[0]), out, uint64(8*len(result)), s))
			require.Equal(t, driver.Success, d.StreamSynchronize(s), p.body)
			results = append(results, p.written(result))
		}
		require.Equal(t, driver.Success, d.LibraryUnload(lib))
	}
	return results
}

// written returns what the probe wrote of its rows.
func (p probe) written(rows []uint64) (values []uint64) {
	for row := range slices.Chunk(rows, resultBytes/8) {
		values = append(values, row[:len(p.outs)]...)
	}
	return values
}

// isOpen reports whether the ISA leaves the result of an instruction open, so that devices may differ.
func isOpen(name string) bool {
	return strings.Contains(name, ".approx") || strings.Contains(name, ".full")
}

// TestProbesOnGPU compares the simulated device with the GPU, value by value, for every
// instruction of a probe. Set CUDAGEN_ANSWERS to a file to keep the GPU's answers: testdata/h200.txt.
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
		if isOpen(p.name) {
			fmt.Fprintln(&kept, recordApproximation(p, want[n]))
		} else {
			fmt.Fprintln(&kept, record(p, want[n]))
		}
		wrong, example := 0, ""
		width, sources := len(p.outs), len(p.ins)
		for row := range probeRows {
			gpu, simulator := want[n][row*width:][:width], got[n][row*width:][:width]
			if slices.Equal(gpu, simulator) {
				continue
			}
			if wrong++; wrong <= 3 {
				example += fmt.Sprintf("\n\tof %#x: simulator %#x, GPU %#x", rowsOf(p)[row*rowBytes/8:][:sources], simulator, gpu)
			}
		}
		switch {
		case wrong == 0:
		case isOpen(p.name):
			openWrong += wrong
			for row := range want[n] {
				assert.True(t, isNearly(p.name, p.outs[0][1], got[n][row], want[n][row]), "%s of %#x: simulator %#x, GPU %#x: too far", p.name, rowsOf(p)[row*rowBytes/8:][:sources], got[n][row], want[n][row])
			}
		default:
			differing++
			rowsWrong += wrong
			t.Errorf("%s (%s): %d of %d rows differ%s", p.name, p.body, wrong, probeRows, example)
		}
	}
	t.Logf("%d probes, %d rows; %d probes differ, in %d rows; besides, %d rows of approximations differ", len(all), probeRows*len(all), differing, rowsWrong, openWrong)
	if path := os.Getenv("CUDAGEN_ANSWERS"); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(kept.String()), 0o644))
	}
}

const answersHead = "# What an H200 answered to TestProbesOnGPU, which wrote this: the digest of the\n# results and the probe or, of an approximation, the probe and the results.\n"

// record is a line of testdata/h200.txt.
func record(p probe, values []uint64) string { return fmt.Sprintf("%016x %s", digest(values), p.name) }

// digest is a hash of answers.
func digest(values []uint64) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		fmt.Fprintf(h, "%x ", v)
	}
	return h.Sum64()
}

// keptLines reads testdata/h200.txt, without comments.
func keptLines(t *testing.T) (lines []string) {
	kept, err := os.ReadFile(filepath.Join("testdata", "h200.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(kept)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// keptAnswers returns the digests in testdata/h200.txt.
func keptAnswers(t *testing.T) map[string]uint64 {
	digests := map[string]uint64{}
	for _, line := range keptLines(t) {
		if strings.HasPrefix(line, "~") {
			continue
		}
		hash, name, ok := strings.Cut(line, " ")
		require.True(t, ok, line)
		value, err := strconv.ParseUint(hash, 16, 64)
		require.NoError(t, err, line)
		digests[name] = value
	}
	return digests
}

// TestAnswersOfTheH200 compares with the answers in testdata/h200.txt, which TestProbesOnGPU
// wrote on an H200, without a GPU: with all of them if CUDAGEN_REQUIRE names exhaustive, else with
// one in twenty.
func TestAnswersOfTheH200(t *testing.T) {
	testenv.Need(t, testenv.Long)
	want := keptAnswers(t)
	var all []probe
	for _, p := range probes() {
		if _, known := want[p.name]; known && !isOpen(p.name) {
			all = append(all, p)
		}
	}
	require.Greater(t, len(all), 10000)
	assert.Len(t, all, len(want), "some of testdata/h200.txt have no probe")
	var some []probe
	for n := 0; n < len(all); n += testenv.Stride(20) {
		some = append(some, all[n])
	}
	results := answers(t, newDevice(0), some)
	for n, got := range results {
		assert.Equal(t, want[some[n].name], digest(got), "%s differs from the H200's", some[n].body)
	}
	t.Run("control", func(t *testing.T) { // one bit of one result shows
		results[0][0] ^= 1
		assert.NotEqual(t, want[some[0].name], digest(results[0]))
	})
}

// TestProbesAssemble: ptxas takes every instruction that the decoder takes.
func TestProbesAssemble(t *testing.T) {
	testenv.Need(t, testenv.Long)
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	texts, parts := probeModules(probes())
	refused := regexp.MustCompile(`line (\d+); error *: (.*)`)
	for m, text := range texts {
		path := filepath.Join(t.TempDir(), "probes.ptx")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		out, err := exec.Command(ptxas, "-arch=sm_90", "-o", os.DevNull, path).CombinedOutput()
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
