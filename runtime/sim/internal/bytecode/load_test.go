package bytecode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

const ptxHeader = ".version 8.0\n.target sm_90\n.address_size 64\n"

// entry is a module with one kernel, whose body begins on line 9.
func entry(body string) string {
	return ptxHeader + ".extern .shared .align 8 .b8 dyn[];\n.entry k(.param .u64 p, .param .u32 n)\n{\n" +
		".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n" +
		"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" + body + "\nret;\n}\n"
}

// load decodes a module with all instructions of the simulated device.
func load(image string, mem *memory.Memory) (*bytecode.Library, *bytecode.Refusal) {
	img, refused := bytecode.Decode(bytecode.ImageName, []byte(image), limits.Capability, interp.Assemblers(), false)
	if refused != nil {
		return nil, refused
	}
	return img.Load(mem, limits.Capability)
}

func examplePTX(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "example", "kernels.ptx"))
	require.NoError(t, err)
	return string(src)
}

func TestLoadErrors(t *testing.T) {
	tests := []struct {
		name, body string
		code       driver.Result
		want       string
	}{
		{"undeclared register", "add.s32 %r1, %r20, 1;", driver.ErrorInvalidPTX, "register %r20 is not declared"},
		{"leading zero", "add.s32 %r1, %r01, 1;", driver.ErrorInvalidPTX, "register %r01 is not declared"},
		{"size", "add.s64 %rd1, %r1, 1;", driver.ErrorInvalidPTX, "register %r1 has type .b32, want .s64"},
		{"float in integer", "add.s32 %r1, %f1, 1;", driver.ErrorInvalidPTX, "register %f1 has type .f32, want .s32"},
		{"integer constant", "add.f32 %f1, %f1, 1;", driver.ErrorInvalidPTX, "wants a floating-point constant"},
		{"too few operands", "add.s32 %r1, %r1;", driver.ErrorInvalidPTX, "has 2 operands, want 3"},
		{"register with a parameter's name", ".reg .u32 n;", driver.ErrorInvalidPTX, "register n has the name of a parameter"},
		{"widening .sat", "cvt.sat.u32.u16 %r1, %h1;", driver.ErrorInvalidPTX, ".sat has nothing to do, as every .u16 is a .u32"},
		{"label", "bra L;", driver.ErrorInvalidPTX, "label L is not declared"},
		{"guard", "@%r1 ret;", driver.ErrorInvalidPTX, "register %r1 has type .b32, want .pred"},
		{"space", "ld.shared.u32 %r1, [p];", driver.ErrorInvalidPTX, "p is in the space .param, not .shared"},
		{"beyond the parameters", "ld.param.u32 %r1, [n+4];", driver.ErrorInvalidPTX, "not in the parameters"},
		{"vector", "ld.global.v4.u32 {%r1, %r2}, [%rd1];", driver.ErrorInvalidPTX, "does not have 4 elements"},
		{"syntax", "add.s32 %r1 %r2;", driver.ErrorInvalidPTX, "image.ptx:9:13: found %r2, want ,"},
		{"register twice the size", "st.global.u64 [%rd1], %r1;", driver.ErrorInvalidPTX, "register %r1 has type .b32, want .u64"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var mem memory.Memory
			lib, refused := load(entry(test.body), &mem)
			require.NotNil(t, refused)
			assert.Nil(t, lib)
			assert.Equal(t, test.code, refused.Result, refused.Log)
			assert.Contains(t, refused.Log, test.want)
		})
	}
	images := []struct {
		name, image string
		code        driver.Result
		want        string
	}{
		{"cubin", "\x7fELF....", driver.ErrorNoBinaryForGPU, "this image is a cubin"},
		{"fatbin", "\x50\xed\x55\xba", driver.ErrorNoBinaryForGPU, "this image is a fatbin"},
		{"PTX too new", ".version 10.0\n.target sm_75\n.address_size 64\n", driver.ErrorUnsupportedPTXVersion, "unsupported .version 10.0"},
		{"newer target", ".version 9.0\n.target sm_100\n.address_size 64\n", driver.ErrorNoBinaryForGPU, ".target sm_100 is not for"},
		{"32 bits", ".version 8.0\n.target sm_75\n.address_size 32\n", driver.ErrorInvalidPTX, ".address_size"},
		{"too many initial values", ptxHeader + ".global .u32 x[1] = {1, 2};", driver.ErrorInvalidPTX, "more initial values"},
		{"too much shared memory", ptxHeader + ".entry k() { .shared .b8 s[50000]; ret; }", driver.ErrorInvalidPTX, "exceeds 49152"},
	}
	for _, test := range images {
		t.Run(test.name, func(t *testing.T) {
			var mem memory.Memory
			_, refused := load(test.image, &mem)
			require.NotNil(t, refused)
			assert.Equal(t, test.code, refused.Result, refused.Log)
			assert.Contains(t, refused.Log, test.want)
		})
	}
}

func TestAccepts(t *testing.T) {
	var mem memory.Memory
	t.Cleanup(mem.Reset)
	lib, refused := load(examplePTX(t), &mem)
	require.Nil(t, refused)
	k := lib.Kernels
	dim := func(x, y, z uint32) driver.Dim3 { return driver.Dim3{X: x, Y: y, Z: z} }
	tests := []struct {
		name   string
		kernel string
		cfg    driver.LaunchConfig
		want   bool
	}{
		{"largest block", "saxpy", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1024, 1, 1)}, true},
		{"too many threads", "saxpy", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1024, 2, 1)}, false},
		{"block too deep", "saxpy", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1, 1, 65)}, false},
		{"beyond the launch bounds", "sum", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(257, 1, 1)}, false},
		{"no blocks", "saxpy", driver.LaunchConfig{Grid: dim(0, 1, 1), Block: dim(1, 1, 1)}, false},
		{"no threads", "saxpy", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1, 0, 1)}, false},
		{"grid too high", "saxpy", driver.LaunchConfig{Grid: dim(1, 65536, 1), Block: dim(1, 1, 1)}, false},
		{"most shared memory", "sum", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1, 1, 1), SharedBytes: 48<<10 - 64}, true},
		{"too much shared memory", "sum", driver.LaunchConfig{Grid: dim(1, 1, 1), Block: dim(1, 1, 1), SharedBytes: 48<<10 - 63}, false},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, k[test.kernel].Accepts(test.cfg), test.name)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(examplePTX(f), 100, byte('x'))
	f.Add(entry("L: bra L; mov.b64 {%r1, _}, %rd1; ld.shared.v2.u32 {%r1, %r2}, [dyn+8];"), 20, byte(0))
	f.Fuzz(func(t *testing.T, src string, at int, c byte) {
		b := []byte(src)
		if at >= 0 && at < len(b) {
			b[at] = c
		}
		var mem memory.Memory
		lib, refused := load(string(b), &mem)
		if (lib == nil) == (refused == nil) {
			t.Fatal("want a library or a refusal")
		}
		if lib != nil {
			lib.Release(&mem)
		}
		if mem.Used != 0 {
			t.Fatal("memory is left")
		}
	})
}
