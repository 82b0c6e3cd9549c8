//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAttributesArrive(t *testing.T) {
	d := newDevice(t)
	lists := parameterLists(2)[:40]
	kernels := d.kernels(t, lists...)
	for i, a := range []driver.LaunchAttributes{
		{},
		{Cooperative: true},
		{Cluster: driver.Dim3{X: 2, Y: 3, Z: 1}},
		{Programmatic: true},
		{HasPriority: true, Priority: -5},
		{HasPriority: true},
		{Cooperative: true, Cluster: driver.Dim3{X: 1, Y: 1, Z: 4}, Programmatic: true, HasPriority: true, Priority: 7},
	} {
		t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) {
			d.fake.Reset()
			offsets, size := layout(lists[i])
			cfg := driver.LaunchConfig{Grid: driver.Dim3{X: 4, Y: 6, Z: 8}, Block: driver.Dim3{X: 2, Y: 3, Z: 4}, SharedBytes: 100}
			require.Equal(t, driver.Success, d.LaunchKernelEx(kernels[i], cfg, a, d.stream, pattern(i, size), offsets))
			got := d.fake.Launches()[0]
			assert.Equal(t, [3]uint32{4, 6, 8}, got.Grid)
			assert.Equal(t, [3]uint32{2, 3, 4}, got.Block)
			assert.Equal(t, uint32(100), got.SharedBytes)
			assert.Equal(t, uint64(d.stream), got.Stream)
			assert.Equal(t, arguments(pattern(i, size), lists[i]), got.Arguments)
			assert.False(t, got.Misaligned)
			assert.Equal(t, int(Attributes(a).Count), got.Attributes)
			assert.Equal(t, a, driver.LaunchAttributes{
				Cluster: driver.Dim3{X: got.Cluster[0], Y: got.Cluster[1], Z: got.Cluster[2]}, Cooperative: got.Cooperative,
				Programmatic: got.Programmatic, HasPriority: got.HasPriority, Priority: got.Priority,
			})
		})
	}
}

// batchRecord makes r a record of a batch. What r points to is in the heap.
func batchRecord(r *LaunchRecord) BatchRecord {
	if r.Attributes != nil {
		return BatchRecord{LaunchRecord: *r}
	}
	params := make([]unsafe.Pointer, r.Target.Count+1)
	for i, offset := range unsafe.Slice(r.Target.Offsets, r.Target.Count) {
		params[i] = unsafe.Add(r.Params, offset)
	}
	return BatchRecord{*r, &params[0]}
}

func TestBatch(t *testing.T) {
	d := newDevice(t)
	lists := parameterLists(3)[270:300]
	kernels := d.kernels(t, lists...)
	records := make([]BatchRecord, len(lists))
	for i, params := range lists {
		offsets, size := layout(params)
		r := d.record(kernels[i], pattern(i, size), offsets)
		r.Target.Entry = entryOf(d.entry(driver.LaunchKernel))
		if i%3 == 0 {
			r.Target.Entry = attributedEntryOf(d.entry(driver.LaunchKernelEx))
			list := Attributes(driver.LaunchAttributes{HasPriority: true, Priority: int32(i)})
			r.Attributes = &list
		}
		records[i] = batchRecord(r)
	}
	for _, test := range []struct {
		name         string
		count, fails int // the launch that fails, or -1
	}{
		{"none", 0, -1}, {"one", 1, -1}, {"all", len(records), -1}, {"the first fails", 10, 0}, {"one with attributes fails", 10, 6}, {"the last fails", 10, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.fake.Reset()
			want := driver.Success
			if test.fails >= 0 {
				d.fake.FailNth(test.fails+1, -3)
				want = -3
			}
			b := &Batch{Records: &records[0], Count: uint32(test.count)}
			assert.Equal(t, want, launchBatch(b))
			launched := test.count
			if test.fails >= 0 {
				launched = test.fails
			}
			assert.Equal(t, uint32(launched), b.Launched)
			launches := d.fake.Launches()
			require.Len(t, launches, launched)
			for i, got := range launches {
				_, size := layout(lists[i])
				assert.Equal(t, arguments(pattern(i, size), lists[i]), got.Arguments, "launch %d", i)
				assert.False(t, got.Misaligned)
				assert.Equal(t, i%3 == 0, got.HasPriority)
			}
		})
	}
}

func TestBatchAllocatesNothing(t *testing.T) {
	d := newDevice(t)
	params := []param{{8, 8}, {4, 4}}
	offsets, size := layout(params)
	record := *d.record(d.kernels(t, params)[0], pattern(1, size), offsets)
	record.Target.Entry = entryOf(d.fake.EmptyLaunch(t))
	records := []BatchRecord{batchRecord(&record), batchRecord(&record), batchRecord(&record)}
	var result driver.Result
	assertNoAllocs(t, testing.AllocsPerRun(100, func() {
		result |= launchBatch(&Batch{Records: &records[0], Count: 3})
	}), pooledLaunch)
	assert.Equal(t, driver.Success, result)
}

// assembly returns the file of this package's assembly for arch that defines function.
func assembly(t *testing.T, arch, function string) string {
	t.Helper()
	files, err := filepath.Glob("*_" + arch + ".s")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(text, []byte("TEXT ·"+function+"(")) {
			return file
		}
	}
	t.Fatalf("no assembly for %s defines %s", arch, function)
	return ""
}

// TestAttributeIsTheHeaders compiles a program with the toolkit's cuda.h that prints the
// layouts and numbers that this package writes.
func TestAttributeIsTheHeaders(t *testing.T) {
	nvcc, err := filepath.EvalSymlinks(testenv.NVCCPath(t))
	require.NoError(t, err)
	include := filepath.Join(filepath.Dir(nvcc), "..", "include")
	cc := testenv.CCPath(t)
	source := filepath.Join(t.TempDir(), "layout.c")
	fields := []string{"gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ", "sharedMemBytes", "hStream", "attrs", "numAttrs"}
	var program strings.Builder
	program.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <cuda.h>\nint main(void) {\n")
	printf := func(format string, args ...any) { fmt.Fprintf(&program, format, args...) }
	for _, field := range fields {
		printf("printf(\"%%zu \", offsetof(CUlaunchConfig, %s));\n", field)
	}
	printf("printf(\"| %%zu %%zu %%zu \", offsetof(CUlaunchAttribute, value), sizeof(CUlaunchAttribute), _Alignof(CUlaunchAttribute));\n")
	printf("printf(\"| %%d %%d %%d %%d \", CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, CU_LAUNCH_ATTRIBUTE_PRIORITY);\n")
	printf("CUlaunchAttributeValue v = {0};\nv.clusterDim.x = 1; v.clusterDim.y = 2; v.clusterDim.z = 3;\nfor (int i = 0; i < 16; i++) printf(\"%%d \", v.pad[i]);\n}\n")
	require.NoError(t, os.WriteFile(source, []byte(program.String()), 0o600))
	binary := strings.TrimSuffix(source, ".c")
	out, err := exec.Command(cc, "-I", include, "-o", binary, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(binary).Output()
	require.NoError(t, err)

	var a Attribute
	list := Attributes(driver.LaunchAttributes{Cluster: driver.Dim3{X: 1, Y: 2, Z: 3}})
	value := unsafe.Slice((*byte)(unsafe.Pointer(&list.List[0].Value)), 16)
	want := fmt.Sprintf("0 4 8 12 16 20 24 32 40 48 | %d %d %d | %d %d %d %d %v ",
		unsafe.Offsetof(a.Value), unsafe.Sizeof(a), unsafe.Alignof(a),
		attributeCooperative, attributeCluster, attributeProgrammatic, attributePriority, strings.Trim(fmt.Sprint(value), "[]"))
	assert.Equal(t, want, string(out))

	// The trampolines write the CUlaunchConfig at these offsets.
	offset := regexp.MustCompile(`(?m)^\tMOV\w\s+\w+, (\d+)\((?:SP|R12)\)$`)
	for _, arch := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile(assembly(t, arch, "attributedTrampolineAddress"))
		require.NoError(t, err)
		_, body, _ := bytes.Cut(text, []byte("TEXT attributed<>"))
		body, _, _ = bytes.Cut(body, []byte("TEXT batch<>"))
		var offsets []string
		for _, m := range offset.FindAllSubmatch(body, -1) {
			offsets = append(offsets, string(m[1]))
		}
		assert.Equal(t, strings.Fields(string(out))[:len(fields)], offsets, arch)
	}
}
