package inspect_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/nvrtclib"
	"github.com/cudagen/cudagen/internal/testenv"
)

// A judge is a compiler that says how classes lie.
type judge struct {
	name string
	head string // what stands before all else
	ptx  func(source string) (ptx, log string)
}

// nvccJudge, clangJudge and nvrtcJudge skip the test when their compiler is missing.
func nvccJudge(t testing.TB) judge {
	testenv.Toolkit(t, 13)
	path, dir := testenv.NVCCPath(t), t.TempDir()
	return judge{"nvcc", "", func(source string) (ptx, log string) {
		return compileFile(t, dir, source, path, "-w", "-ptx", "-arch=compute_75", "-std=c++20")
	}}
}

func clangJudge(t testing.TB) judge {
	testenv.Need(t, testenv.Clang)
	path, dir := testenv.ClangPath(t), t.TempDir()
	return judge{"clang", deviceShim(), func(source string) (ptx, log string) {
		return compileFile(t, dir, source, path, "-w", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_75", "-O1", "-S", "-std=c++20", "-ferror-limit=0", "-Xclang", "-fno-access-control")
	}}
}

func nvrtcJudge(t testing.TB) judge {
	testenv.Need(t, testenv.NVRTC)
	location, err := nvrtclib.Find(os.Getenv)
	require.NoError(t, err)
	library, err := nvrtclib.Open(location)
	require.NoError(t, err)
	return judge{"NVRTC", rtcShim, func(source string) (ptx, log string) {
		made, err := library.Compile(context.Background(), nvrtclib.Program{Name: "in.cu", Source: source, Options: []string{"--gpu-architecture=compute_75", "-std=c++20", "-w", "-default-device"}})
		var refused *nvrtclib.CompileError
		if errors.As(err, &refused) {
			return "", refused.Log
		}
		require.NoError(t, err)
		return string(made.Code), ""
	}}
}

// rtcShim gives NVRTC what nvcc has from the host's compiler.
const rtcShim = `#define __builtin_offsetof(type, field) __INTADDR__(&(((type *)0)->field))
#define __builtin_memcpy memcpy
#define __builtin_trap __trap
`

// compileFile runs a compiler over source, and returns its PTX or its messages.
func compileFile(t testing.TB, dir, source string, command ...string) (ptx, log string) {
	t.Helper()
	dir, err := os.MkdirTemp(dir, "")
	require.NoError(t, err)
	in, out := filepath.Join(dir, "in.cu"), filepath.Join(dir, "out.ptx")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o666))
	text, err := exec.Command(command[0], append(command[1:], "-o", out, in)...).CombinedOutput()
	if err != nil {
		return "", string(text) + err.Error()
	}
	code, err := os.ReadFile(out)
	require.NoError(t, err)
	return string(code), ""
}

// deviceShim stands for CUDA's headers: the words and the vector types.
func deviceShim() string {
	lines := []string{
		"#define __device__ __attribute__((device))", "#define __host__ __attribute__((host))", "#define __global__ __attribute__((global))", "#define __constant__ __attribute__((constant))",
		"#define __forceinline__ __inline__ __attribute__((always_inline))", "#define __noinline__ __attribute__((noinline))", "#define __align__(n) __attribute__((aligned(n)))",
		"typedef unsigned long size_t;",
	}
	for v := range ctype.Vectors {
		members := []string{"x", "x, y", "x, y, z", "x, y, z, w"}[v.Count-1]
		lines = append(lines, fmt.Sprintf("struct __align__(%d) %s { %s %s; };", v.Align, v.Name, v.Elem, members))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// A verdict is what a compiler says of a class.
type verdict struct {
	size, align int64
	places      []place // of the probes
}

// A place is where a field lies: in bytes, of a bit-field in bits. typ is code's of its type.
type place struct{ offset, size, typ int64 }

// errorLine matches the place of an error in nvcc's, NVRTC's and clang's messages.
var errorLine = regexp.MustCompile(`(?m)^\S*?in\.cu[(:](\d+)[):](?:\d+:)? *(?:catastrophic )?(?:fatal )?error\b`)

// anyLine matches any place: errors in templates have the place of the instance beside them.
var anyLine = regexp.MustCompile(`in\.cu[(:](\d+)[):]| at line (\d+)`)

// judgements returns what j says of each sample. Those that j refuses are missing.
func (j judge) judgements(t testing.TB, samples []*sample) map[*sample]*verdict {
	t.Helper()
	left := slices.Clone(samples)
	for len(left) > 0 {
		source, starts := unit(j.head, left)
		ptx, log := j.ptx(source)
		if ptx != "" {
			return verdicts(t, ptx, left)
		}
		bad := make(map[int]bool)
		blame := func(matches [][]string) {
			for _, m := range matches {
				line, _ := strconv.Atoi(m[1] + strings.Join(m[2:], ""))
				if i, found := slices.BinarySearch(starts, line); found {
					bad[i] = true
				} else if i > 0 {
					bad[i-1] = true
				}
			}
		}
		blame(errorLine.FindAllStringSubmatch(log, -1))
		if len(bad) == 0 {
			blame(anyLine.FindAllStringSubmatch(log, -1))
		}
		if len(bad) == 0 {
			if len(left) == 1 {
				return nil
			}
			half := len(left) / 2
			all := j.judgements(t, left[:half])
			for s, v := range j.judgements(t, left[half:]) {
				if all == nil {
					all = make(map[*sample]*verdict)
				}
				all[s] = v
			}
			return all
		}
		kept := left[:0:0]
		for i, s := range left {
			if !bad[i] {
				kept = append(kept, s)
			} else if *refusedByCompilers {
				t.Logf("%s refuses %d: %s", j.name, s.id, excerpt(log, starts, i, s))
			}
		}
		left = kept
	}
	return nil
}

// excerpt returns the first message about s, which is the sample number i, and its line.
func excerpt(log string, starts []int, i int, s *sample) string {
	for _, line := range strings.Split(log, "\n") {
		if m := anyLine.FindStringSubmatch(line); m != nil && m[1] != "" && strings.Contains(line, "error") {
			n, _ := strconv.Atoi(m[1])
			if n >= starts[i] && (i+1 == len(starts) || n < starts[i+1]) {
				lines := strings.Split("\n"+s.definition()+s.questions(), "\n")
				return line + "\n" + lines[min(n-starts[i], len(lines)-1)]
			}
		}
	}
	return ""
}

// unit returns a source with all samples, and in which line each begins.
func unit(head string, samples []*sample) (source string, starts []int) {
	var b strings.Builder
	b.WriteString(head + prelude)
	line := 1 + strings.Count(b.String(), "\n")
	for _, s := range samples {
		text := s.definition() + s.questions()
		starts = append(starts, line)
		b.WriteString(fmt.Sprintf("#line %d \"in.cu\"\n", line+1) + text)
		line += 1 + strings.Count(text, "\n")
	}
	return b.String(), starts
}

var (
	numbersOf = regexp.MustCompile(`\.const \.align 8 \.b8 r_(\d+)\[(\d+)\](?: = \{([^}]*)\})?;`)
	entryOf   = regexp.MustCompile(`(?s)\.entry b_(\d+)\(.*?\n\{(.*?)\n\}`)
	moved     = regexp.MustCompile(`mov\.[bus]64\s+(%rd\d+), (-?\d+);`)
	stored    = regexp.MustCompile(`st\.(?:volatile\.)?(?:global\.)?[bus]64\s+\[%rd\d+(?:\+(\d+))?\], (%rd\d+|-?\d+);`)
)

// verdicts reads what the questions of samples made a compiler write.
func verdicts(t testing.TB, ptx string, samples []*sample) map[*sample]*verdict {
	t.Helper()
	numbers, stores := make(map[string][]int64), make(map[string][]int64)
	for _, m := range numbersOf.FindAllStringSubmatch(ptx, -1) {
		size, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		data := make([]byte, size)
		for i, text := range strings.Split(m[3], ",") {
			if text = strings.TrimSpace(text); text != "" {
				n, err := strconv.ParseUint(text, 10, 8)
				require.NoError(t, err)
				data[i] = byte(n)
			}
		}
		for ; len(data) >= 8; data = data[8:] {
			numbers[m[1]] = append(numbers[m[1]], int64(binary.LittleEndian.Uint64(data)))
		}
	}
	for _, m := range entryOf.FindAllStringSubmatch(ptx, -1) {
		registers := make(map[string]string)
		for _, move := range moved.FindAllStringSubmatch(m[2], -1) {
			registers[move[1]] = move[2]
		}
		for _, store := range stored.FindAllStringSubmatch(m[2], -1) {
			text := store[2]
			if number, ok := registers[text]; ok {
				text = number
			}
			offset, _ := strconv.Atoi(store[1])
			n, err := strconv.ParseInt(text, 10, 64)
			require.NoError(t, err, "%s", m[0])
			for len(stores[m[1]]) <= offset/8 {
				stores[m[1]] = append(stores[m[1]], 0)
			}
			stores[m[1]][offset/8] = n
		}
	}
	all := make(map[*sample]*verdict)
	for _, s := range samples {
		id := strconv.Itoa(s.id)
		got, bitsOf := numbers[id], stores[id]
		require.GreaterOrEqual(t, len(got), 2, "no numbers of %s", s.source())
		v := &verdict{size: got[0], align: got[1]}
		got = got[2:]
		for _, p := range s.probes {
			if p.kind == silentField {
				v.places = append(v.places, place{})
				continue
			}
			require.NotEmpty(t, got)
			typ := got[0]
			got = got[1:]
			switch p.kind {
			case plainField:
				require.GreaterOrEqual(t, len(got), 2)
				v.places = append(v.places, place{got[0], got[1], typ})
				got = got[2:]
			case bitField:
				// A compiler that contradicts itself on sizeof puts a bit-field outside of the
				// object, and stores nothing: the place is nowhere, which no layout agrees with.
				for len(bitsOf) < 2 {
					bitsOf = append(bitsOf, 0)
				}
				mask := uint64(bitsOf[1])
				v.places = append(v.places, place{64*bitsOf[0] + int64(bits.TrailingZeros64(mask)), int64(bits.OnesCount64(mask)), typ})
				bitsOf = bitsOf[2:]
			case hiddenField:
				v.places = append(v.places, place{-1, -1, typ})
			}
		}
		all[s] = v
	}
	return all
}
