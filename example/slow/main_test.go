package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/profile"
	"github.com/cudagen/cudagen/runtime/simtest"
)

var update = flag.Bool("update", false, "write the pictures of docs/slow")

func TestMain(m *testing.M) { simtest.Main(m) }

const (
	guide    = "../../docs/profiling.md"
	pictures = "../../docs/slow"
	size     = 1024 // of the guide
)

// The guide has the profiler's words of each step, and its pictures.
func TestGuide(t *testing.T) {
	folder := t.TempDir()
	if *update {
		folder = pictures
	}
	var out strings.Builder
	require.NoError(t, run(&out, size, folder))
	text, err := os.ReadFile(guide)
	require.NoError(t, err)
	reports := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n\n")
	require.Len(t, reports, len(steps))
	for n, step := range steps {
		assert.Contains(t, string(text), indented(reports[n]), step)
		assert.Contains(t, string(text), "(slow/"+step+".svg)")
		want, err := os.ReadFile(filepath.Join(folder, step+".svg"))
		require.NoError(t, err)
		have, err := os.ReadFile(filepath.Join(pictures, step+".svg"))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(have), "go test ./example/slow -update writes %s.svg", step)
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	quoted, _, found := strings.Cut(reports[0][strings.Index(reports[0], "slow.cu:"):], ": let ")
	require.True(t, found)
	assert.Contains(t, string(readme), "    "+quoted+": …")
	source, err := os.ReadFile("slow.cu")
	require.NoError(t, err)
	for _, line := range []string{"out[x * height + y] = in[y * width + x];", "turned[threadIdx.x][threadIdx.y]", "turned[tile][tile + 1]"} {
		assert.Contains(t, string(source), line)
		assert.Contains(t, string(text), line)
	}
}

// indented is a report as the guide has it, with the names of files as in its folder.
func indented(report string) string {
	return "    " + strings.ReplaceAll(report, "\n", "\n    ")
}

// What each step is for: the counts that one computes by hand, of matrices of 64 × 64.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		step string
		want []string
	}{
		{"naive", []string{"4,608 sectors of 32 bytes, where 1,024 would do (22 %)", "32 sectors where 4 would do, in each of 128 requests: consecutive threads write rows 256 bytes apart"}},
		{"tiled", []string{"1,024 sectors of 32 bytes, where 1,024 would do", "4,224 wavefronts, of them 3,968 by bank conflicts", "consecutive threads read words 128 bytes apart, so that 32 of 32 lie in one bank: pad the rows by a word, to 33 words"}},
		{"padded", []string{"1,024 sectors of 32 bytes, where 1,024 would do", "256 wavefronts, of them 0 by bank conflicts"}},
		{"several", []string{"1,024 sectors of 32 bytes, where 1,024 would do", "256 wavefronts, of them 0 by bank conflicts"}},
		{"vectors", []string{"1,024 sectors of 32 bytes, where 1,024 would do", "256 wavefronts, of them 0 by bank conflicts"}},
	} {
		report := reportOf(t, test.step)
		for _, want := range test.want {
			assert.Contains(t, report, want, test.step)
		}
	}
}

// reportOf runs a step on a matrix of 64 × 64.
func reportOf(t *testing.T, step string) string {
	t.Helper()
	p, err := profile.Start(profile.Config{})
	require.NoError(t, err)
	defer p.Stop()
	require.NoError(t, transpose(simtest.New(t), step, 64))
	var out strings.Builder
	require.NoError(t, p.WriteReport(&out))
	return out.String()
}

func TestSizes(t *testing.T) {
	for _, size := range []int{-32, 0, 33} {
		assert.ErrorContains(t, run(&strings.Builder{}, size, ""), "want a multiple of 32")
	}
}

// A GPU transposes as well.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	for _, step := range steps {
		assert.NoError(t, transpose(dev, step, 1024))
	}
}
