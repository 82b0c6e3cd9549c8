package simtest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A quietT is a test whose failures are kept, not told.
type quietT struct {
	*testing.T
	said     strings.Builder
	failed   bool
	cleanups []func()
}

func (t *quietT) Helper()              {}
func (t *quietT) Failed() bool         { return t.failed }
func (t *quietT) Logf(string, ...any)  {}
func (t *quietT) Cleanup(clean func()) { t.cleanups = append(t.cleanups, clean) }
func (t *quietT) Errorf(f string, a ...any) {
	t.failed = true
	fmt.Fprintf(&t.said, f+"\n", a...)
}

// reported runs a kernel of checks.cu and returns what its test says.
func reported(outer *testing.T, ptx, name string, options ...Option) string {
	t := &quietT{T: outer}
	dev := New(t, append([]Option{Budget(20 * time.Second)}, options...)...)
	lib, err := dev.LoadLibrary(cuda.NewImage("checks.ptx", ptx))
	require.NoError(outer, err)
	k, err := cuda.Bind[struct {
		Out, In cuda.Slice[int32]
		N       int32
	}](lib, name)
	require.NoError(outer, err)
	s, err := dev.NewStream()
	require.NoError(outer, err)
	values := make([]int32, 1024)
	for i := range values {
		values[i] = int32(i)
	}
	in, err := cuda.Upload(s, values)
	require.NoError(outer, err)
	out, err := cuda.Upload(s, make([]int32, 1000))
	require.NoError(outer, err)
	require.NoError(outer, k.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(2), Block: cuda.Dim(128), SharedBytes: 1024}, &struct {
		Out, In cuda.Slice[int32]
		N       int32
	}{out.All(), in.All(), 1000}))
	if _, err := out.All().Download(s); err == nil {
		assert.NoError(outer, out.Close())
		assert.NoError(outer, in.Close())
		assert.NoError(outer, s.Close())
		assert.NoError(outer, lib.Close())
	}
	for n := len(t.cleanups) - 1; n >= 0; n-- {
		t.cleanups[n]()
	}
	return t.said.String()
}

// TestChecks finds each bug of checks.cu, and nothing in what is right, in all modes and other orders.
func TestChecks(t *testing.T) {
	source, err := os.ReadFile("testdata/checks.cu")
	require.NoError(t, err)
	ptx, err := os.ReadFile("testdata/checks.ptx")
	require.NoError(t, err)
	kernels := regexp.MustCompile(`(?m)^(?:// want: (.*)\n)?KERNEL (\w+) ARGS`).FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(kernels), 40)
	for _, k := range kernels {
		want, name := k[1], k[2]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want != "", strings.HasPrefix(name, "wrong"))
			if want != "" {
				assert.Contains(t, reported(t, string(ptx), name, GlobalRaces()), want)
				return
			}
			for _, options := range [][]Option{nil, {GlobalRaces()}, {Seed(3)}, {GlobalRaces(), Seed(7)}}[:testenv.Cases(2, 4)] {
				assert.Empty(t, reported(t, string(ptx), name, options...))
			}
		})
	}
}
