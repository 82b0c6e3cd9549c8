package sim

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

var mutants = flag.Int("mutants", 0, "how many mutants of each probe TestRefusesAsPtxas tries; 0 is one of each eighth")

// lax is what ptxas takes although the PTX ISA does not: vectors, predicates and floats for bf16x2,
// special registers as elements of vectors, and red at _.
var lax = regexp.MustCompile(`bf16x2.*({%r9, %r10}|%p9|%f9)|{[^}]*(%tid\.x|%p9|0f3F800000)[^}]*}|^red[^ ]* _,`)

// A mutant is an instruction that may be wrong.
type mutant struct{ text, body string }

// mutatedModifiers are tried in places where they do not belong.
var mutatedModifiers = []string{"sat", "ftz", "rn", "rz", "rm", "rp", "rni", "approx", "full", "cc", "wide", "hi", "lo", "relu", "NaN", "satfinite", "abs", "xorsign", "uni", "and", "global", "shared", "local", "const", "param", "v2", "v4", "volatile", "relaxed", "gpu", "nc", "noftz", "clamp", "wrap", "sync", "aligned", "to", "eq", "lt", "hs", "equ", "nan", "trans",
	"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", "pred", "u16x2", "s16x2", "e4m3x2"}

// mutate changes one thing of an instruction.
func mutate(instruction string, random *rand.Rand) string {
	name, rest, _ := strings.Cut(instruction, " ")
	mods := strings.Split(name, ".")
	operands := strings.Split(rest, ", ")
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	switch random.IntN(8) {
	case 0: // without a modifier
		if len(mods) > 1 {
			n := 1 + random.IntN(len(mods)-1)
			mods = slices.Delete(mods, n, n+1)
		}
	case 1: // with one more
		mods = slices.Insert(mods, 1+random.IntN(len(mods)), pick(mutatedModifiers))
	case 2, 3: // with another
		if len(mods) > 1 {
			mods[1+random.IntN(len(mods)-1)] = pick(mutatedModifiers)
		}
	case 4: // without an operand
		n := random.IntN(len(operands))
		operands = slices.Delete(operands, n, n+1)
	case 5: // with one more
		operands = append(operands, pick([]string{"%r9", "%h9", "%l9", "%p9", "1"}))
	default: // with another
		operands[random.IntN(len(operands))] = pick([]string{"%r9", "%h9", "%l9", "%p9", "%f9", "%d9", "1", "0f3F800000", "-1", "!%p9", "[%a1]", "{%r9, %r10}", "%r9|%p9", "_", "%tid.x", "0x100000000"})
	}
	return strings.Join(mods, ".") + " " + strings.Join(operands, ", ")
}

// mutantsOf returns mutants of all probes.
func mutantsOf(all []probe, each int) (list []mutant) {
	seen := map[string]bool{}
	for k, p := range all {
		if each == 0 && k%8 != 0 {
			continue
		}
		name, _, _ := strings.Cut(p.name, " ")
		seed := fnv.New64()
		seed.Write([]byte(p.name))
		random := rand.New(rand.NewPCG(seed.Sum64(), 2))
		parts := strings.Split(p.body, "; ")
		n := slices.IndexFunc(parts, func(part string) bool { return strings.HasPrefix(part, name+" ") })
		if n < 0 {
			continue
		}
		for range max(each, 1) {
			changed := slices.Clone(parts)
			changed[n] = mutate(strings.TrimSuffix(parts[n], ";"), random)
			m := mutant{changed[n], strings.TrimSuffix(strings.Join(changed, "; "), ";") + ";"}
			if !seen[m.text] && m.text != strings.TrimSuffix(parts[n], ";") {
				seen[m.text] = true
				list = append(list, m)
			}
		}
	}
	return list
}

func (m mutant) kernelText(n int) string {
	text := probe{body: m.body}.kernelText(n)
	return strings.Replace(text, ".reg .pred", ".reg .f32 %f<12>; .reg .f64 %d<12>; .reg .pred", 1)
}

const mutantHead = ".version 9.0\n.target sm_90\n.address_size 64\n" + probeConstant

// refusedByPtxas returns what ptxas says of each of list that it refuses.
func refusedByPtxas(t *testing.T, list []mutant) map[string]string {
	refused := map[string]string{}
	for part := range slices.Chunk(list, 400) {
		assembleMutants(t, part, refused)
	}
	return refused
}

// saysOf finds the lines of a file of which ptxas says something.
var saysOf = regexp.MustCompile(`line (\d+); (?:error|fatal) *: (.*)|Program uses (32-bit address) on line '(\d+)'`)

// assembleMutants assembles part without those that ptxas refuses, until it takes the others.
func assembleMutants(t *testing.T, part []mutant, refused map[string]string) {
	path := filepath.Join(t.TempDir(), "mutants.ptx")
	for len(part) > 0 {
		text := mutantHead
		var of []string // the mutant of each line
		for n, m := range part {
			for len(of) < strings.Count(text, "\n")+1 {
				of = append(of, "")
			}
			text += m.kernelText(n)
			for len(of) < strings.Count(text, "\n")+1 {
				of = append(of, m.text)
			}
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		out, err := exec.Command(filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas"), "-arch=sm_90", "-O0", "-o", os.DevNull, path).CombinedOutput()
		if err == nil {
			return
		}
		found := false
		for _, match := range saysOf.FindAllSubmatch(out, -1) {
			n, _ := strconv.Atoi(string(match[1]) + string(match[4]))
			if n-1 < len(of) && of[n-1] != "" && refused[of[n-1]] == "" {
				refused[of[n-1]], found = string(match[2])+string(match[3]), true
			}
		}
		switch {
		case found:
			part = slices.DeleteFunc(slices.Clone(part), func(m mutant) bool { return refused[m.text] != "" })
		case len(part) == 1:
			refused[part[0].text] = fmt.Sprintf("it ends with %v: %.200s", err, out)
			return
		default: // it crashed
			assembleMutants(t, part[:len(part)/2], refused)
			part = part[len(part)/2:]
		}
	}
}

// judge says whether the simulated device loads a mutant, and can run it.
func (m mutant) judge() (refused, unsupported string) {
	var mem memory.Memory
	defer mem.Reset()
	lib, why := images.Load(bytecode.ImageName, []byte(mutantHead+m.kernelText(0)), &mem, limits.Capability)
	if why != nil {
		return why.Log, ""
	}
	return "", lib.Kernels["k0"].Unsupported
}

// TestRefusesAsPtxas: what ptxas refuses does not run, and what it takes is not called wrong.
func TestRefusesAsPtxas(t *testing.T) {
	list := mutantsOf(probes(), *mutants)
	wrong := refusedByPtxas(t, list)
	for _, m := range list { // beside others that are wrong, ptxas calls some wrong that are not
		if invalid, unsupported := m.judge(); wrong[m.text] != "" && invalid == "" && unsupported == "" {
			delete(wrong, m.text)
			assembleMutants(t, []mutant{m}, wrong)
		}
	}
	taken, refused, lacking := 0, 0, 0
	for _, m := range list {
		invalid, unsupported := m.judge()
		switch why := wrong[m.text]; {
		case why != "" && invalid == "" && unsupported == "":
			taken++
			t.Errorf("it takes %s, of which ptxas says: %s", m.text, why)
		case why == "" && invalid != "" && lax.MatchString(m.text):
			refused++
		case why == "" && invalid != "":
			t.Errorf("it refuses %s: %s", m.text, invalid)
		case why == "" && unsupported != "":
			lacking++
			t.Log("it lacks " + m.text)
		}
	}
	t.Logf("%d mutants, of which ptxas refuses %d; %d are taken, %d refused although ptxas is lax, %d not supported", len(list), len(wrong), taken, refused, lacking)
	t.Run("control", func(t *testing.T) { // one that is wrong and one that is not
		control := []mutant{{"add.sat.u32 %r0, %r1, %r2", "add.sat.u32 %r0, %r1, %r2;"}, {"add.u32 %r0, %r1, %r2", "add.u32 %r0, %r1, %r2;"}}
		assert.Contains(t, refusedByPtxas(t, control), control[0].text)
		assert.NotContains(t, refusedByPtxas(t, control), control[1].text)
	})
	assert.NotEmpty(t, wrong)
}
