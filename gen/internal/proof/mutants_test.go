package proof_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

const mutantSource = `enum Mode : unsigned { fast = 3, exact = 7 };
struct Inner { float weight; short level; };
struct Outer { double scale; int count; Inner inner[3]; Mode mode; unsigned low : 3; unsigned high : 9; };
extern "C" __global__ void step(Outer o, float *data, unsigned short tag, Mode how, const Inner *table) {
  data[0] = o.scale + o.inner[1].weight + tag + table[0].level + o.mode + o.count + how;
}
//cudagen:export
#define TILE 32
//cudagen:export
struct Alone { char c; float f; };
`

// A recording compiler hands out again what a real one has made, with the debug
// information and the answers of the probe changed by mutate.
type recording struct {
	compile.Compiler
	mutate func(ptx string) string

	mu   *sync.Mutex
	made map[string]*compile.Output
}

func (r recording) Compile(ctx context.Context, req compile.Request) (*compile.Output, error) {
	key := fmt.Sprint(filepath.Base(req.Source), req.Arch, req.Debug, req.Suffix)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made[key] == nil {
		out, err := r.Compiler.Compile(ctx, req)
		if err != nil {
			return nil, err
		}
		r.made[key] = out
	}
	out := *r.made[key]
	if req.Debug {
		out.Code = []byte(r.mutate(string(out.Code)))
	}
	return &out, nil
}

// named matches the name of something in debug information as PTX has it.
func named(name string) string {
	var codes []string
	for i := range len(name) {
		codes = append(codes, strconv.Itoa(int(name[i])))
	}
	return `\.b8 ` + strings.Join(codes, ",") + `\n\.b8 0\n`
}

// Numbers behind the name of a thing in debug information: DW_AT_byte_size of a structure
// or enumeration, DW_AT_const_value of an enumerator; DW_AT_encoding and DW_AT_byte_size of
// a base type; DW_AT_type, file, line and DW_AT_data_member_location of a member, an
// expression of two bytes, which is DW_OP_plus_uconst and the offset.
//
// DWARF 4, Appendix A.
const (
	number      = `\.b8 (\d+)\n`
	encoding    = `\.b8 (\d+)\n\.b8 \d+\n`
	encodedSize = `\.b8 \d+\n\.b8 (\d+)\n`
	memberType  = `\.b32 (\d+)\n`
	memberPlace = `\.b32 \d+\n\.b8 \d+\n\.b8 \d+\n\.b8 2\n\.b8 35\n\.b8 (\d+)\n`
)

// debugged changes the number in what matches pattern, which has to be there once.
func debugged(pattern string, to int) func(*testing.T, string) string {
	return func(t *testing.T, ptx string) string {
		found := regexp.MustCompile(pattern).FindAllStringSubmatchIndex(ptx, -1)
		require.Len(t, found, 1, "%s", pattern)
		return ptx[:found[0][2]] + strconv.Itoa(to) + ptx[found[0][3]:]
	}
}

// retyped makes the type of one member that of another.
func retyped(member, other string) func(*testing.T, string) string {
	return func(t *testing.T, ptx string) string {
		m := regexp.MustCompile(named(other) + memberType).FindStringSubmatch(ptx)
		require.NotNil(t, m)
		to, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		return debugged(named(member)+memberType, to)(t, ptx)
	}
}

// answered changes one word of the probe's answer about a parameter: 0 to 3 are its size,
// alignment, kind and the kind below an enumeration, 4 to 7 those of what it points at.
func answered(param, word, to int) func(*testing.T, string) string {
	return func(t *testing.T, ptx string) string {
		m := regexp.MustCompile(`cudagen_probe_kernel_0\[\d+\] = \{([^}]*)\}`).FindStringSubmatchIndex(ptx)
		require.NotNil(t, m)
		bytes := strings.Split(ptx[m[2]:m[3]], ", ")
		at := 8 * (1 + 8*param + word)
		for len(bytes) <= at {
			bytes = append(bytes, "0")
		}
		bytes[at] = strconv.Itoa(to)
		return ptx[:m[2]] + strings.Join(bytes, ", ") + ptx[m[3]:]
	}
}

// worded changes one 64-bit word of the value of a variable of the probe.
func worded(variable string, word, to int) func(*testing.T, string) string {
	return func(t *testing.T, ptx string) string {
		m := regexp.MustCompile(`\.(u64|b8) ` + variable + `(?:\[\d+\])? = \{?([^};]*)`).FindStringSubmatchIndex(ptx)
		require.NotNil(t, m, variable)
		width := 1
		if ptx[m[2]:m[3]] == "b8" {
			width = 8
		}
		values := strings.Split(ptx[m[4]:m[5]], ", ")
		for len(values) <= width*word {
			values = append(values, "0")
		}
		values[width*word] = strconv.Itoa(to)
		return ptx[:m[4]] + strings.Join(values, ", ") + ptx[m[5]:]
	}
}

// TestEveryWitnessIsHeard changes one thing at a time that the compiler says beside the
// image: nothing is generated, and the message has kernel, parameter or field, and both
// values. gen/internal/compare has the mutants of every thing there is.
func TestEveryWitnessIsHeard(t *testing.T) {
	real, err := gentest.NVCC(t)()
	require.NoError(t, err)
	r := recording{Compiler: real, mu: new(sync.Mutex), made: make(map[string]*compile.Output)}
	generate := func(t *testing.T, mutate func(*testing.T, string) string) error {
		path := gentest.Write(t, "k.cu", mutantSource)
		r.mutate = func(ptx string) string {
			changed := mutate(t, ptx)
			assert.NotEqual(t, ptx, changed)
			return changed
		}
		_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return r, nil }))
		if err != nil {
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		}
		return err
	}
	require.NoError(t, generate(t, func(t *testing.T, ptx string) string { return ptx + "// the same\n" }))

	const scale, how = "parameter 0 (o), field scale: ", "parameter 3 (how): "
	for _, test := range []struct {
		name   string
		mutate func(*testing.T, string) string
		want   string
	}{
		{"size of a struct", debugged(named("Outer")+number, 56), "parameter 0 (o): size is 48 by the source and 56 by the compiler"},
		{"offset of a field", debugged(named("scale")+memberPlace, 8), scale + "offset is 0 by the source and 8 by the compiler"},
		{"offset of a field inside", debugged(named("level")+memberPlace, 6), "field inner[].level: offset is 4 by the source and 6 by the compiler"},
		{"kind of a base type", debugged(named("double")+encoding, 5), scale + "kind is float by the source and signed integer by the compiler"},
		{"sign of a base type", debugged(named("int")+encoding, 7), "field count: kind is signed integer by the source and unsigned integer by the compiler"},
		{"size of a base type", debugged(named("double")+encodedSize, 4), scale + "size is 8 by the source and 4 by the compiler"},
		{"another type", retyped("scale", "level"), scale + "kind is float by the source and signed integer by the compiler"},
		{"name of a field", func(t *testing.T, ptx string) string {
			return strings.ReplaceAll(ptx, ".b8 115,99,97,108,101\n", ".b8 115,99,97,108,102\n")
		}, "scale"},
		{"value of an enumerator", debugged(named("exact")+number, 8), "is 7 by the source and 8 by the compiler"},
		{"size of an enumeration", debugged(named("Mode")+number, 2), "size is 4 by the source and 2 by the compiler"},

		{"probe: size", answered(0, 0, 56), "parameter 0 (o): size is 48 by the source and 56 by the compiler"},
		{"probe: alignment", answered(0, 1, 16), "parameter 0 (o): alignment is 8 by the source and 16 by the compiler"},
		{"probe: kind", answered(0, 2, 'u'), "parameter 0 (o): kind is class by the source and union by the compiler"},
		{"probe: sign", answered(2, 2, 'i'), "parameter 2 (tag): kind is unsigned integer by the source and signed integer by the compiler"},
		{"probe: below an enumeration", answered(3, 3, 'i'), how + "kind of the underlying type is unsigned integer by the source and signed integer by the compiler"},
		{"probe: kind pointed at", answered(1, 6, 'i'), "parameter 1 (data), what it points at: kind is float by the source and signed integer by the compiler"},
		{"probe: size pointed at", answered(4, 4, 16), "parameter 4 (table), what it points at: size is 8 by the source and 16 by the compiler"},
		{"probe: alignment pointed at", answered(4, 5, 8), "parameter 4 (table), what it points at: alignment is 4 by the source and 8 by the compiler"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := generate(t, test.mutate)
			require.Error(t, err)
			assert.ErrorContains(t, err, "k.cu:4:28: step: ")
			assert.ErrorContains(t, err, test.want)
		})
	}
	// Types and constants are asked for by themselves: Alone is the fourth.
	for _, test := range []struct {
		name   string
		mutate func(*testing.T, string) string
		want   string
	}{
		{"size of an exported struct", debugged(named("Alone")+number, 12), "k.cu:10:8: struct Alone: size is 8 by the source and 12 by the compiler"},
		{"offset in an exported struct", debugged(named("f")+memberPlace, 6), "k.cu:10:8: struct Alone: field f: offset is 4 by the source and 6 by the compiler"},
		{"probe: size of a type", worded("cudagen_probe_type_3", 0, 12), "k.cu:10:8: struct Alone: size is 8 by the source and 12 by the compiler"},
		{"probe: alignment of a type", worded("cudagen_probe_type_3", 1, 2), "k.cu:10:8: struct Alone: alignment is 4 by the source and 2 by the compiler"},
		{"probe: kind of a type", worded("cudagen_probe_type_3", 2, 'u'), "k.cu:10:8: struct Alone: kind is class by the source and union by the compiler"},
		{"probe: offset in a type", worded("cudagen_probe_parts_3", 1, 6), "k.cu:10:8: struct Alone: field f: offset is 4 by the source and 6 by the compiler"},
		{"probe: alignment inside", worded("cudagen_probe_type_2", 1, 2), "k.cu:2:8: struct Inner: alignment is 4 by the source and 2 by the compiler"},
		{"probe: value of an enumerator", worded("cudagen_probe_parts_1", 1, 8), "k.cu:1:6: enum Mode: value of exact is 7 by the source and 8 by the compiler"},
		{"probe: below an enumeration", worded("cudagen_probe_type_1", 3, 'i'), "k.cu:1:6: enum Mode: kind of the underlying type is unsigned integer by the source and signed integer by the compiler"},
		{"probe: value of a constant", worded("cudagen_probe_constant_0", 0, 33), "k.cu:7:1: constant TILE is 32 by the source and 33 by the compiler"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := generate(t, test.mutate)
			require.Error(t, err)
			var all strings.Builder
			diag.Print(&all, err)
			assert.Contains(t, all.String(), test.want)
		})
	}
	t.Run("probe: a parameter more", func(t *testing.T) {
		err := generate(t, func(t *testing.T, ptx string) string {
			return strings.Replace(ptx, "] = {5, 0,", "] = {6, 0,", 1)
		})
		assert.Error(t, err)
	})
}
