package image_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/testenv"
)

const alignedSource = `
struct alignas(32) A { float v[8]; };
struct alignas(64) B { float v[16]; };
struct Big { char d[5000]; };
__global__ void k1(float *p, A a, int n) { p[n] = a.v[n]; }
__global__ void k2(float *p, B b, int n) { p[n] = b.v[n]; }
__global__ void k3(B b, float *p, int n) { p[n] = b.v[n]; }
__global__ void __launch_bounds__(128, 2) k4(float *p, char c, short s) { p[c] = s; }
extern "C" __global__ void none() {}
namespace n { namespace { struct Q { int a; }; __global__ void hidden(Q q, float *p) { p[0] = q.a; } } }
void use(float *p) { n::hidden<<<1, 1>>>({1}, p); }
__global__ void big(Big b, int *o) { o[0] = b.d[o[1]]; }
`

// Whatever nvcc says of a kernel in PTX must hold in every cubin.
func TestCubinsOfNVCC(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(source, []byte(alignedSource), 0o600))
	compile := func(output string, args ...string) []byte {
		t.Helper()
		out, err := exec.Command(nvcc, append(args, source, "-o", filepath.Join(dir, output))...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		data, err := os.ReadFile(filepath.Join(dir, output))
		require.NoError(t, err)
		return data
	}
	ptx, err := image.ReadPTX("k.ptx", compile("k.ptx", "-ptx", "-arch=compute_75"))
	require.NoError(t, err)
	holds := func(t *testing.T, img *image.Image) {
		t.Helper()
		require.Len(t, img.Kernels, len(ptx.Kernels))
		for i := range ptx.Kernels {
			want := &ptx.Kernels[i]
			got, err := img.Find(want.Name, want.ParamTypes)
			require.NoError(t, err)
			assert.Equal(t, want.ParamTypes, got.ParamTypes)
			assert.Equal(t, want.MaxThreads, got.MaxThreads)
			assert.NoError(t, compare.Block(want.Name, want.Params, got))
		}
	}
	for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
		t.Run(arch, func(t *testing.T) {
			if len(arch) > len("sm_90") {
				testenv.Toolkit(t, 13)
			}
			img, err := image.ReadCubin("k.cubin", compile(arch+".cubin", "-cubin", "-arch="+arch))
			require.NoError(t, err)
			assert.Equal(t, arch, img.Target)
			holds(t, img)
		})
	}
	gpus := []string{"-fatbin", "-gencode", "arch=compute_75,code=compute_75", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"}
	t.Run("fatbin", func(t *testing.T) {
		fatbin, err := image.ReadFatbin("k.fatbin", compile("plain.fatbin", append(gpus, "--no-compress")...))
		require.NoError(t, err)
		require.Len(t, fatbin.Entries, 3)
		for i, kind := range []image.FatbinKind{image.FatbinPTX, image.FatbinCubin, image.FatbinCubin} {
			assert.Equal(t, kind, fatbin.Entries[i].Kind)
			assert.Equal(t, []int{75, 80, 90}[i], fatbin.Entries[i].Arch)
			require.NotNil(t, fatbin.Entries[i].Image)
			holds(t, fatbin.Entries[i].Image)
		}
	})
	t.Run("compressed fatbin", func(t *testing.T) {
		fatbin, err := image.ReadFatbin("k.fatbin", compile("small.fatbin", gpus...))
		require.NoError(t, err)
		require.Len(t, fatbin.Entries, 3)
		assert.True(t, fatbin.Entries[0].Compressed)
		assert.Nil(t, fatbin.Entries[0].Image)
		holds(t, fatbin.Entries[1].Image)
	})
}

func FuzzReadPTX(f *testing.F) {
	f.Add(".version 8.4\n.target sm_90a, debug\n.address_size 64\n" + ".visible .entry _ZN38_GLOBAL__N__d848fd7a_7_anon_cu__Z3usev2anEPfNS_1AE(.param .u64 a)\n.maxntid 1,2,3\n{ ret; }\n")
	f.Add(".version 8.4\n.target sm_90a, debug\n.address_size 64\n" + ".entry __nv_static_22__11b4344c_7_shuf_cu_k1__Z1kv() { ret; }")
	f.Fuzz(func(t *testing.T, src string) {
		img, err := image.ReadPTX("k.ptx", []byte(src))
		if (img == nil) == (err == nil) {
			t.Fatalf("image %v, error %v", img, err)
		}
		if img == nil {
			return
		}
		for i := range img.Kernels {
			k := &img.Kernels[i]
			if err := compare.Block(k.Name, k.Params, k); err != nil {
				t.Errorf("a kernel disagrees with itself: %v", err)
			}
		}
	})
}
