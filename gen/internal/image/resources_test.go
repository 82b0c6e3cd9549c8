package image_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/testenv"
)

var used = regexp.MustCompile(`(?m)Compiling entry function '(\w+)'|Used (\d+) registers|(\d+) bytes smem`)

// Registers and shared memory are those that ptxas reports.
func TestResources(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	source := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(source, []byte(`
extern "C" __global__ void plain(float *x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void tile(float *x) { __shared__ float t[100]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[99 - threadIdx.x]; }
extern __shared__ double dynamic[];
extern "C" __global__ void loop(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * dynamic[i]; x[0] = s; }
extern "C" __global__ void both(double *x) { __shared__ double t[7]; t[threadIdx.x] = dynamic[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[6 - threadIdx.x]; }
extern "C" __global__ void nothing() {}
`), 0o644))
	for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
		t.Run(arch, func(t *testing.T) {
			cubin := filepath.Join(t.TempDir(), "k.cubin")
			said, err := exec.Command(nvcc, "-arch", arch, "-cubin", "-Xptxas", "-v", "-o", cubin, source).CombinedOutput()
			require.NoError(t, err, "%s", said)
			type resources struct{ registers, shared int }
			want := make(map[string]resources)
			symbol := ""
			for _, m := range used.FindAllStringSubmatch(string(said), -1) {
				r := want[symbol]
				switch {
				case m[1] != "":
					symbol = m[1]
					continue
				case m[2] != "":
					r.registers, err = strconv.Atoi(m[2])
				default:
					r.shared, err = strconv.Atoi(m[3])
				}
				require.NoError(t, err)
				want[symbol] = r
			}
			data, err := os.ReadFile(cubin)
			require.NoError(t, err)
			img, err := image.ReadCubin(cubin, data)
			require.NoError(t, err)
			got := make(map[string]resources)
			for _, k := range img.Kernels {
				got[k.Symbol] = resources{k.Registers, int(k.SharedBytes)}
			}
			assert.Equal(t, want, got)
			assert.Len(t, got, 5)
			assert.Equal(t, 400, got["tile"].shared)
		})
	}
}
