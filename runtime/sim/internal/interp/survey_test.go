package interp

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

var surveyed = flag.String("ptx", "", "a glob of PTX files: TestSurvey lists what of them the simulated device lacks")

// TestSurvey counts the kernels of given PTX files that run, and lists what the others need:
//
//	go test ./runtime/sim -run TestSurvey -v -ptx '/path/*.ptx'
func TestSurvey(t *testing.T) {
	files, err := filepath.Glob(*surveyed)
	require.NoError(t, err)
	kernels, running, refused := 0, 0, 0
	lacks, examples := map[string]int{}, map[string]string{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		var mem memory.Memory
		lib, wrong := loadImage(src, &mem)
		if wrong != nil {
			t.Logf("refused: %s: %.300s", file, wrong.Log)
			refused++
			continue
		}
		for _, k := range lib.Kernels {
			kernels++
			if k.Unsupported == "" {
				running++
				continue
			}
			for _, lack := range k.Lacks {
				lacks[lack.What]++
				examples[lack.What] = filepath.Base(file)
			}
		}
		mem.Reset()
	}
	if len(files) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(lacks), func(a, b string) int {
		return cmp.Or(cmp.Compare(lacks[b], lacks[a]), cmp.Compare(a, b))
	})
	report := ""
	for _, name := range names {
		report += fmt.Sprintf("%6d %s (%s)\n", lacks[name], name, examples[name])
	}
	t.Logf("%d files, %d refused; %d of %d kernels run (%.2f %%)\n%s", len(files), refused, running, kernels, 100*float64(running)/float64(max(1, kernels)), report)
}
