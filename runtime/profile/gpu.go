package profile

import (
	"fmt"
	"strings"
)

// A GPU is what a data sheet says of one.
type GPU struct {
	Name                     string
	FP32, FP64, FP16, Tensor float64 // operations a second, at most; Tensor is of FP16 without sparsity
	Issue                    float64 // instructions of threads a second, at most
	Bandwidth                float64 // bytes a second of its memory
	Source                   string
}

// gpus are the GPUs by what pictures can be drawn.
var gpus = []GPU{
	{"H200", 66.9e12, 33.5e12, 133.8e12, 989.4e12, 33.5e12, 4.8e12, "NVIDIA H200 Tensor Core GPU, data sheet; H100 Tensor Core GPU Architecture"},
	{"H100", 66.9e12, 33.5e12, 133.8e12, 989.4e12, 33.5e12, 3.35e12, "NVIDIA H100 Tensor Core GPU Architecture: H100 SXM5"},
	{"A100", 19.5e12, 9.7e12, 78e12, 312e12, 19.5e12, 2.039e12, "NVIDIA A100 Tensor Core GPU, data sheet: A100 80GB SXM"},
	{"L4", 30.3e12, 0.49e12, 30.3e12, 121e12, 15.1e12, 0.3e12, "NVIDIA L4 Tensor Core GPU, data sheet; half its figure with sparsity"},
	{"RTX 4090", 82.6e12, 1.29e12, 82.6e12, 330.3e12, 41.3e12, 1.008e12, "NVIDIA Ada GPU Architecture: FP16 with FP16 accumulate"},
}

// GPUs returns the GPUs by which WriteRoofline draws.
func GPUs() []GPU { return append([]GPU(nil), gpus...) }

// findGPU returns the GPU of a name, whatever its capitals and blanks.
func findGPU(name string) (GPU, error) {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	var names []string
	for _, g := range gpus {
		if plain(g.Name) == plain(name) {
			return g, nil
		}
		names = append(names, g.Name)
	}
	return GPU{}, fmt.Errorf("profile: there are no figures of a GPU %q: want one of %s", name, strings.Join(names, ", "))
}

// peak is what the units of a GPU compute at most, in operations a second.
func (g GPU) peak(p pipe) float64 { return [...]float64{g.FP32, g.FP64, g.FP16, g.Tensor, g.Issue}[p] }
