package simtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

const covered = `.version 8.0
.target sm_75
.address_size 64
.file 1 "src/covered.cu"
.visible .entry k() {
.reg .pred %p; .reg .b32 %r1;
.loc 1 3 1
mov.u32 %r1, %tid.x;
setp.lt.u32 %p, %r1, 40;
@%p bra E;
.loc 1 5 1
add.u32 %r1, %r1, 1;
E:
.loc 1 7 1
setp.gt.u32 %p, %r1, 1000;
@!%p bra F;
.loc 1 8 1
add.u32 %r1, %r1, 1;
F: .loc 1 9 1
ret;
}
.visible .entry other() {
.loc 1 20 1
ret;
}`

// runCovered runs k of covered with a block of 64 threads twice, in two tests.
func runCovered(t *testing.T, options ...Option) {
	for range 2 {
		runOnce(t, covered, options...)
	}
}

// runOnce runs k of an image with a block of 64 threads in a test.
func runOnce(t *testing.T, ptx string, options ...Option) (logged []string) {
	tb := &recorder{TB: t}
	dev := New(tb, options...)
	s, err := dev.NewStream()
	require.NoError(t, err)
	lib, err := dev.LoadLibrary(image(ptx))
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "k", Symbol: "k"})
	require.NoError(t, err)
	require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(64)}, false, nil))
	require.NoError(t, s.Synchronize())
	require.NoError(t, dev.Close())
	tb.end()
	require.Empty(t, tb.errors)
	return tb.logged
}

func TestCoverLcov(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernels.lcov")
	runCovered(t, Cover(file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Regexp(t, `^TN:
SF:src/covered.cu
BRDA:3,0,0,80
BRDA:3,0,1,48
BRDA:7,0,0,128
BRDA:7,0,1,0
BRF:4
BRH:3
DA:3,128
DA:5,48
DA:7,128
DA:8,0
DA:9,128
DA:20,0
LF:6
LH:4
end_of_record
$`, string(text))
}

// A Go profile has the same lines; control: without the option none is written.
func TestCoverGoProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernels.out")
	t.Setenv("CUDAGEN_COVER", file)
	runCovered(t)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Regexp(t, "^mode: count\n", string(text))
	counts := make(map[int]int)
	for _, m := range regexp.MustCompile(`(?m)covered\.cu:(\d+)\.1,\d+\.1 1 (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		line, _ := strconv.Atoi(m[1])
		counts[line], _ = strconv.Atoi(m[2])
	}
	assert.Equal(t, map[int]int{3: 128, 5: 48, 7: 128, 8: 0, 9: 128, 20: 0}, counts)
	require.NoError(t, os.Remove(file))
	t.Setenv("CUDAGEN_COVER", "")
	runCovered(t)
	assert.NoFileExists(t, file)
}

// Two files of one name are two files.
func TestCoverTwoFilesOfOneName(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cover.lcov")
	runOnce(t, `.version 8.0
.target sm_75
.address_size 64
.file 1 "x/a/util.cuh"
.file 2 "x/b/util.cuh"
.visible .entry k() {
.loc 1 5 1
ret;
}
.visible .entry other() {
.loc 2 5 1
ret;
}`, Cover(profile))
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	assert.Regexp(t, `SF:\S*x/a/util\.cuh\n(BR\S+\n)*DA:5,64\n`, filepath.ToSlash(string(text)))
	assert.Regexp(t, `SF:\S*x/b/util\.cuh\n(BR\S+\n)*DA:5,0\n`, filepath.ToSlash(string(text)))
}

// A file that is found is named by its path, whatever folder the test has. One that is not found is named as the image does, also if a folder
// beside the test has one of its name, and the log says so.
func TestCoverWhatIsNotFound(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cover.lcov")
	logged := runOnce(t, `.version 8.0
.target sm_75
.address_size 64
.file 1 "runtime/simtest/testdata/checks.cu"
.file 2 "checks.cu"
.visible .entry k() {
.reg .b32 %r1;
.loc 1 5 1
mov.u32 %r1, 1;
.loc 2 6 1
ret;
}`, Cover(profile))
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	for _, file := range regexp.MustCompile(`SF:(.*)`).FindAllStringSubmatch(string(text), -1) {
		if file[1] != "checks.cu" {
			assert.FileExists(t, file[1])
			assert.True(t, filepath.IsAbs(file[1]))
		}
	}
	assert.Contains(t, string(text), "SF:checks.cu\n")
	require.Len(t, logged, 1)
	assert.Contains(t, logged[0], "simtest: cover: checks.cu is not found from here: ")
}
