package profile

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
	_ "github.com/cudagen/cudagen/runtime/sim" // the device
)

// countersFolder has the kernels that are compared with Nsight Compute's counters.
const countersFolder = "testdata/counters"

// A counter is one of Nsight Compute, and what is counted here for it.
type counter struct {
	metric string // without .sum
	of     func(name []string, c *driver.InstructionCounts) uint64
}

// of makes the function of counters of an operation: the first part of the names of its instructions.
func ofOperation(operations string, count func(c *driver.InstructionCounts) uint64) func([]string, *driver.InstructionCounts) uint64 {
	return func(name []string, c *driver.InstructionCounts) uint64 {
		if slices.Contains(strings.Fields(operations), name[0]) {
			return count(c)
		}
		return 0
	}
}

func sectors(c *driver.InstructionCounts) uint64      { return c.GlobalSectors }
func localSectors(c *driver.InstructionCounts) uint64 { return c.LocalSectors }
func conflicts(c *driver.InstructionCounts) uint64    { return c.SharedWavefronts - c.SharedIdeal }
func wavefronts(c *driver.InstructionCounts) uint64   { return c.SharedWavefronts }

// counters are those that are compared.
var counters = []counter{
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", ofOperation("ld cp", sectors)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_st", ofOperation("st", sectors)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_red", ofOperation("red atom", sectors)},
	{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld", ofOperation("ld", localSectors)},
	{"l1tex__t_sectors_pipe_lsu_mem_local_op_st", ofOperation("st", localSectors)},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", ofOperation("ld ldmatrix", conflicts)},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", ofOperation("st", conflicts)},
	{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", ofOperation("ld ldmatrix", wavefronts)},
	{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", ofOperation("st", wavefronts)},
}

// differing are counters that differ, and why: docs/profiling.md says it to users.
var differing = map[string]string{
	"quadseven l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld":        someOfFour,
	"quadsthreeoffour l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld": someOfFour,
}

const someOfFour = "of reads of 16 bytes by some of each four lanes, ncu calls wavefronts conflicts although no bank is asked twice; there are as many wavefronts"

// countedHere runs the kernels on the simulated device.
func countedHere(t *testing.T) (groups []*profiled.Group) {
	t.Helper()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(countersFolder, "counters.ptx"))
	require.NoError(t, err)
	lib, err := dev.LoadLibrary(cuda.NewImage("counters.ptx", string(text)))
	require.NoError(t, err)
	const size = 1 << 20
	index := make([]uint32, size)
	for i := range index {
		index[i] = uint32(i) * 2654435761 >> 12
	}
	x, err := cuda.Upload(s, make([]float32, size))
	require.NoError(t, err)
	y, err := cuda.Upload(s, make([]float32, size))
	require.NoError(t, err)
	indices, err := cuda.Upload(s, index)
	require.NoError(t, err)
	p, err := Start(Config{})
	require.NoError(t, err)
	defer p.Stop()
	for _, m := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		var params []cuda.ParamSpec
		for n := range 3 {
			params = append(params, cuda.ParamSpec{Name: fmt.Sprint("p", n), Offset: uint32(8 * n), Size: 8, Align: 8})
		}
		k, err := lib.Kernel(cuda.Spec{Name: m[1], Symbol: m[1], Params: params})
		require.NoError(t, err)
		args := [3]uint64{y.All().Address(), x.All().Address(), indices.All().Address()}
		require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(64), Block: cuda.Dim(256)}, false, unsafe.Pointer(&args), x.All().Owner(), y.All().Owner(), indices.All().Owner()))
		require.NoError(t, s.Synchronize(), m[1])
	}
	return p.launches.Groups()
}

// totals adds up the counters of a kernel.
func totals(g *profiled.Group) []uint64 {
	sums := make([]uint64, len(counters))
	for pc := range g.Counts {
		for n, c := range counters {
			sums[n] += c.of(ptx.NameIn(g.Kernel.Instructions[pc].Text), &g.Counts[pc])
		}
	}
	return sums
}

// A request of each kernel that one can count by hand: of 512 warps, each with one.
func TestCountersByHand(t *testing.T) {
	const warps = 64 * 256 / 32
	got := map[string]map[string]uint64{}
	for _, g := range countedHere(t) {
		got[g.Name] = map[string]uint64{}
		for n, sum := range totals(g) {
			name := strings.NewReplacer("l1tex__t_sectors_pipe_lsu_mem_", "", "l1tex__data_bank_conflicts_pipe_lsu_mem_", "conflicts ", "l1tex__data_pipe_lsu_wavefronts_mem_", "wavefronts ").Replace(counters[n].metric)
			got[g.Name][name] = sum
		}
	}
	for _, test := range []struct {
		kernel, counter string
		want            uint64
	}{
		{"saxpy", "global_op_ld", warps * 8},
		{"saxpy", "global_op_st", warps * 4},
		{"misaligned", "global_op_ld", warps * 5},
		{"structs", "global_op_ld", warps * 16},
		{"columns", "global_op_st", warps * 32},
		{"stencil", "global_op_ld", warps * (4 + 5 + 4 + 5 + 4)},
		{"vectors", "global_op_ld", warps * 17},
		{"letters", "global_op_ld", warps * 2},
		{"letters", "global_op_st", warps * 3},
		{"oneforall", "global_op_ld", warps},
		{"transposed", "conflicts shared_op_ld", 64 * 32 * 31},
		{"padded", "conflicts shared_op_ld", 0},
		{"padded", "wavefronts shared_op_ld", 64 * 32},
		{"everyother", "conflicts shared_op_ld", warps},
		{"stores", "conflicts shared_op_st", warps * 8 * 7},
		{"pairs", "wavefronts shared_op_ld", warps * 2},
		{"pairsapart", "conflicts shared_op_ld", warps * 2},
		{"quads", "conflicts shared_op_ld", 0},
		{"quadsfar", "wavefronts shared_op_ld", warps * 32},
		{"locals", "local_op_st", warps * 64 * 4},
		{"matrices", "wavefronts shared_op_ld", warps * 8},
	} {
		assert.Equal(t, test.want, got[test.kernel][test.counter], "%s, %s", test.kernel, test.counter)
	}
}

// Nsight Compute counts the same on a GPU, except where it is known why it does not.
func TestCounters(t *testing.T) {
	file, err := os.Open(filepath.Join(countersFolder, "ncu.csv"))
	require.NoError(t, err)
	defer file.Close()
	measured, err := readNcu(file)
	require.NoError(t, err)
	compared, differ := 0, map[string]bool{}
	for _, g := range countedHere(t) {
		sums := totals(g)
		for n, c := range counters {
			have, ok := measured[g.Name][c.metric]
			if !ok {
				continue
			}
			compared++
			key := g.Name + " " + c.metric
			if have == sums[n] {
				continue
			}
			differ[key] = true
			assert.NotEmpty(t, differing[key], "%s: %d here, %d by Nsight Compute", key, sums[n], have)
		}
	}
	assert.Greater(t, compared, 12*2)
	for key := range differing {
		assert.True(t, differ[key], "%s is the same: it needs no reason", key)
	}
}

// readNcu reads the table that ncu --csv prints, by kernel and metric.
func readNcu(r io.Reader) (map[string]map[string]uint64, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("the table has %d rows: %w", len(rows), err)
	}
	kernel, metric, value := slices.Index(rows[0], "Kernel Name"), slices.Index(rows[0], "Metric Name"), slices.Index(rows[0], "Metric Value")
	if kernel < 0 || metric < 0 || value < 0 {
		return nil, fmt.Errorf("the table has the columns %q", rows[0])
	}
	table := make(map[string]map[string]uint64)
	for _, row := range rows[1:] {
		name, _, _ := strings.Cut(row[kernel], "(")
		n, err := strconv.ParseFloat(strings.ReplaceAll(row[value], ",", ""), 64)
		if err != nil {
			continue // n/a
		}
		if table[name] == nil {
			table[name] = make(map[string]uint64)
		}
		table[name][strings.TrimSuffix(row[metric], ".sum")] = uint64(n)
	}
	return table, nil
}

func TestReadNcu(t *testing.T) {
	table, err := readNcu(strings.NewReader(`"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","saxpy(float *, const float *)","a.sum","sector","1,024"
"0","saxpy(float *, const float *)","b.sum","","n/a"
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]map[string]uint64{"saxpy": {"a": 1024}}, table)
	for _, text := range []string{"", "\"ID\",\"Kernel\"\n"} {
		_, err := readNcu(strings.NewReader(text))
		assert.Error(t, err)
	}
}

// The PTX is what nvcc makes of the kernels.
func TestCountersAreCompiled(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	want, err := os.ReadFile(filepath.Join(countersFolder, "counters.ptx"))
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "counters.ptx")
	command := exec.CommandContext(t.Context(), testenv.NVCCPath(t), "-ptx", "-arch", "compute_80", "-DKERNELS_ONLY", "-o", out, "counters.cu")
	command.Dir = countersFolder
	text, err := command.CombinedOutput()
	require.NoError(t, err, string(text))
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	code := regexp.MustCompile(`(?s)\.visible.*`)
	assert.Equal(t, string(code.Find(want)), string(code.Find(got)))
}
