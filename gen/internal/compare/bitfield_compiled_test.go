package compare_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// bitTypes are the types of random bit-fields, with their widths.
var bitTypes = []struct {
	name string
	bits int
}{
	{"bool", 1}, {"char", 8}, {"signed char", 8}, {"unsigned char", 8}, {"short", 16}, {"unsigned short", 16}, {"int", 32}, {"unsigned", 32},
	{"long", 64}, {"unsigned long", 64}, {"long long", 64}, {"unsigned long long", 64}, {"char16_t", 16}, {"wchar_t", 32}, {"word", 32},
	{"Plain", 32}, {"Scoped", 32}, {"Small", 8}, {"Negative", 32}, {"Fixed", 16}, {"FixedNegative", 64}, {"Truth", 1},
}

const bitEnums = `typedef unsigned word;
enum Plain { PA, PB, PC = 5 };
enum class Scoped { A, B, C, D };
enum class Small : unsigned char { A = 200 };
enum Negative { NA = -2, NB };
enum Fixed : short { FA, FB };
enum class FixedNegative : long long { A = -1 };
enum Truth : bool { No, Yes };
`

// randomBits returns the source of structs and unions with random bit-fields, and for each a kernel that
// reads all of them and one that writes all of them.
func randomBits(random *rand.Rand, count int) string {
	var b strings.Builder
	b.WriteString(bitEnums)
	for n := range count {
		word := "struct"
		if random.IntN(5) == 0 {
			word = "union"
		}
		fields, reads, writes := "", "", ""
		for i := range 1 + random.IntN(7) {
			t := bitTypes[random.IntN(len(bitTypes))]
			width := 1 + random.IntN(t.bits)
			if random.IntN(8) == 0 {
				width = t.bits
			}
			switch random.IntN(9) {
			case 0:
				fields += fmt.Sprintf(" %s plain%d;", t.name, i)
			case 1:
				fields += fmt.Sprintf(" char array%d[%d];", i, 1+random.IntN(5))
			case 2:
				fields += fmt.Sprintf(" unsigned char : %d;", random.IntN(6))
			}
			fields += fmt.Sprintf(" %s f%d : %d;", t.name, i, width)
			reads += fmt.Sprintf(" v[%d] = (long long)s->f%[1]d;", i)
			writes += fmt.Sprintf(" s->f%d = (%s)v[%[1]d];", i, t.name)
		}
		fmt.Fprintf(&b, "%s S%d {%s };\n", word, n, fields)
		fmt.Fprintf(&b, "extern \"C\" __global__ void read%d(const S%[1]d *s, long long *v) {%s }\n", n, reads)
		fmt.Fprintf(&b, "extern \"C\" __global__ void write%d(S%[1]d *s, const long long *v) {%s }\n", n, writes)
	}
	return b.String()
}

// bitArgs are the arguments of the kernels of randomBits.
type bitArgs struct {
	S cuda.Slice[byte]
	V cuda.Slice[int64]
}

// bitDifferences returns where the bit-fields of m are not what the kernels read and write.
func bitDifferences(t *testing.T, s *cuda.Stream, library *cuda.Library, m *model.Struct, random *rand.Rand) (list []string) {
	number := strings.TrimPrefix(m.CName, "S")
	read, err := cuda.Bind[bitArgs](library, "read"+number)
	require.NoError(t, err)
	write, err := cuda.Bind[bitArgs](library, "write"+number)
	require.NoError(t, err)
	data := make([]byte, m.Size+8) // more than the struct, for the controls
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	bytes, err := cuda.Upload(s, data)
	require.NoError(t, err)
	defer func() { assert.NoError(t, bytes.Close()) }()
	values, err := cuda.Upload(s, make([]int64, 16))
	require.NoError(t, err)
	defer func() { assert.NoError(t, values.Close()) }()
	args, one := &bitArgs{S: bytes.All(), V: values.All()}, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
	offsets := map[string]int64{"": 0}
	for _, f := range m.Fields {
		offsets[f.GoName] = f.Offset
	}
	place := func(f *model.BitField) (storage []byte, first, count uint, index int) {
		_, err := fmt.Sscanf(f.CName, "f%d", &index)
		require.NoError(t, err)
		return data[offsets[f.Storage]:], uint(f.First), uint(f.Count), index
	}

	require.NoError(t, read.LaunchArgsWith(s, one, args))
	got, err := values.All().Download(s)
	require.NoError(t, err)
	for i := range m.BitFields {
		f := &m.BitFields[i]
		storage, first, count, index := place(f)
		want := int64(cuda.Generated.Bits(storage, first, count))
		if f.Sign == model.BitsSigned {
			want = cuda.Generated.SignedBits(storage, first, count)
		}
		if f.Count == 8*f.Type.Size { // any value of the Go type: nvcc has int for some enumerations that g++ has unsigned for
			got[index], want = got[index]<<(64-count), want<<(64-count)
		}
		if got[index] != want {
			list = append(list, fmt.Sprintf("%s::%s is read as %d, is %d", m.CName, f.CName, want, got[index]))
		}
	}

	fresh := make([]int64, 16)
	for i := range m.BitFields {
		f := &m.BitFields[i]
		storage, first, count, index := place(f)
		bits := random.Uint64() >> (64 - count)
		switch f.Sign {
		case model.BitsSigned:
			fresh[index] = int64(bits<<(64-count)) >> (64 - count)
			cuda.Generated.SetSignedBits(storage, first, count, fresh[index])
		case model.BitsBool:
			fresh[index] = int64(bits & 1)
			cuda.Generated.SetBool(storage, first, count, bits&1 == 1)
		default:
			fresh[index] = int64(bits)
			cuda.Generated.SetBits(storage, first, count, bits)
		}
	}
	require.NoError(t, values.CopyFrom(s, fresh))
	require.NoError(t, write.LaunchArgsWith(s, one, args))
	written, err := bytes.All().Download(s)
	require.NoError(t, err)
	if !slices.Equal(written, data) {
		list = append(list, fmt.Sprintf("%s is written as %x, is %x", m.CName, data, written))
	}
	return list
}

// bitControls are what a model could have wrong.
var bitControls = map[string]func(f *model.BitField){
	"a bit too far": func(f *model.BitField) { f.First++ },
	"a bit less":    func(f *model.BitField) { f.Count = max(1, f.Count-1) },
	"the other sign": func(f *model.BitField) {
		if f.Sign == model.BitsSigned {
			f.Sign = model.BitsUnsigned
		} else {
			f.Sign = model.BitsSigned
		}
	},
}

// What the methods of bit-fields read and write is what kernels of nvcc read and write, in random
// structs and unions: place, width, sign, and the bits around them.
func TestBitFieldsAreTheCompilers(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	const seed, structs = 7, 120
	random := rand.New(rand.NewPCG(seed, 1))
	path := gentest.Write(t, "k.cu", randomBits(random, structs))
	var file *model.File
	o := gentest.Options(path, func() (compile.Compiler, error) { return compile.Find("nvcc", os.Getenv) })
	o.Emitters = []gen.Emitter{{Name: "capture", Version: "1", Emit: func(f *model.File) ([]model.Output, error) {
		file = f
		return nil, nil
	}}}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	output := gentest.Snapshot(t, filepath.Dir(path))
	assert.NoError(t, gentest.TypeCheck(t, output["k_cuda.go"]))
	require.Len(t, file.Structs, structs)

	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer func() { assert.NoError(t, dev.Close()) }()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	library, err := dev.LoadLibrary(cuda.NewImage("k.ptx", output["k.ptx"]))
	require.NoError(t, err)
	defer func() { assert.NoError(t, library.Close()) }()
	signs := make(map[model.BitsSign]int)
	for i := range file.Structs {
		m := &file.Structs[i]
		for _, f := range m.BitFields {
			signs[f.Sign]++
		}
		assert.Empty(t, bitDifferences(t, s, library, m, random))
	}
	for name, wrong := range bitControls {
		found := 0
		for _, m := range file.Structs {
			m.BitFields = slices.Clone(m.BitFields)
			for i := range m.BitFields {
				wrong(&m.BitFields[i])
			}
			found += min(1, len(bitDifferences(t, s, library, &m, random)))
		}
		assert.Greater(t, found, structs/2, name)
	}
	for _, sign := range []model.BitsSign{model.BitsBool, model.BitsSigned, model.BitsUnsigned} {
		assert.Greater(t, signs[sign], 20, sign)
	}
}

const bitFieldSource = `enum class Mode { Off, On, Auto, Last };
struct Params {
  unsigned speed : 3, fast : 1; // how fast
  int delta : 5;
  bool on : 1;
  const Mode mode : 2;
  unsigned long long wide : 40;
  char : 0;
  signed char all : 8;
  float scale;
  unsigned bits : 2, set_speed : 1;
  enum { A, B } : 2;
  enum { C, D } kind : 2;
  int setFast;
  __int128 huge : 70;
};
union Either { unsigned low : 7; float f; int data : 9; };
extern "C" __global__ void k(Params p, Either e, int *out) { out[0] = p.speed + e.low; }
`

// Bit-fields have methods by every compiler, whose names leave those of fields alone.
func TestBitFieldsByEveryCompiler(t *testing.T) {
	gentest.ByEveryCompiler(t, bitFieldSource, func(t *testing.T, files map[string]string) {
		code := files["k_cuda.go"]
		require.NoError(t, gentest.TypeCheck(t, code))
		plain := strings.Join(strings.Fields(code), " ")
		for _, want := range []string{
			"// X_speed returns speed, of type unsigned int: bits 0 to 2 of Bits_speed.",
			"func (s *Params) X_speed() uint32 { return uint32(cuda.Generated.Bits(s.Bits_speed[:], 0, 3)) }",
			"// SetX_speed sets speed. It panics if v is not 0 to 7. func (s *Params) SetX_speed(v uint32) { cuda.Generated.SetBits(s.Bits_speed[:], 0, 3, uint64(v)) }",
			"// SetDelta sets delta. It panics if v is not -16 to 15.",
			"func (s *Params) Delta() int32 { return int32(cuda.Generated.SignedBits(s.Bits_speed[:], 4, 5)) }",
			"func (s *Params) On() bool { return cuda.Generated.Bits(s.Bits_speed[:], 9, 1) != 0 }",
			"func (s *Params) SetOn(v bool) { cuda.Generated.SetBool(s.Bits_speed[:], 9, 1, v) }",
			"func (s *Params) Mode() Mode { return Mode(cuda.Generated.Bits(s.Bits_speed[:], 10, 2)) }",
			"func (s *Params) Wide() uint64 { return cuda.Generated.Bits(s.Bits_speed[:], 12, 40) }",
			"// SetAll sets all. func",
			// Neither a field nor a method keeps a name that both want.
			"X_setFast int32", "func (s *Params) X_fast() uint32",
			"returns bits, of type unsigned int: bits 0 to 1 of Bits_bits.", "// X_set_speed returns set_speed,",
			"func (s *Params) Kind() ParamsKind {",
			"func (s *Either) Low() uint32 { return uint32(cuda.Generated.Bits(unsafe.Slice((*byte)(unsafe.Pointer(&s.data)), 4), 0, 7)) }",
			"func (s *Either) Data() int32 {",
		} {
			assert.Contains(t, plain, want)
		}
		assert.NotContains(t, plain, "Huge()")
	})
}
