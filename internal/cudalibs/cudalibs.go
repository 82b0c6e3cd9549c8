// Package cudalibs knows the libraries of a CUDA toolkit beyond the compilers and the runtime:
// cuRAND, cuBLAS and others. It knows their names, their Python wheels and their headers. It knows
// no versions and installs nothing. Start with Find and OfHeader.
package cudalibs

import (
	"path"
	"regexp"
	"strings"
)

// A Library is a library of the CUDA toolkit.
type Library struct {
	Name    string   // "curand"
	Wheel   string   // "nvidia-curand"
	Needs   []string // names of the libraries whose headers its headers include
	headers []string // how the names of its headers begin, in lower case; / ends a folder
	others  []string // more names of it
}

// libraries are sorted by name.
var libraries = []Library{
	{Name: "cublas", Wheel: "nvidia-cublas", headers: []string{"cublas", "nvblas"}, others: []string{"cublaslt", "cublasxt", "nvblas"}},
	{Name: "cufft", Wheel: "nvidia-cufft", headers: []string{"cufft", "cudalibxt"}, others: []string{"cufftw"}},
	{Name: "cupti", Wheel: "nvidia-cuda-cupti", headers: []string{"cupti"}},
	{Name: "curand", Wheel: "nvidia-curand", headers: []string{"curand"}},
	{Name: "cusolver", Wheel: "nvidia-cusolver", Needs: []string{"cublas", "cusparse"}, headers: []string{"cusolver"}, others: []string{"cusolverdn", "cusolversp", "cusolverrf", "cusolvermg"}},
	{Name: "cusparse", Wheel: "nvidia-cusparse", headers: []string{"cusparse"}},
	{Name: "npp", Wheel: "nvidia-npp", headers: []string{"npp"}, others: []string{"nppc", "nppi", "npps"}},
	{Name: "nvfatbin", Wheel: "nvidia-nvfatbin", headers: []string{"nvfatbin"}},
	{Name: "nvjitlink", Wheel: "nvidia-nvjitlink", headers: []string{"nvjitlink"}},
	{Name: "nvjpeg", Wheel: "nvidia-nvjpeg", headers: []string{"nvjpeg"}},
	{Name: "nvml", Wheel: "nvidia-nvml-dev", headers: []string{"nvml"}},
	{Name: "nvtx", Wheel: "nvidia-nvtx", headers: []string{"nvtx3/", "nvtoolsext"}, others: []string{"nvtx3", "nvtoolsext"}},
	{Name: "profiler", Wheel: "nvidia-cuda-profiler-api", headers: []string{"cuda_profiler_api", "cudaprofiler."}, others: []string{"profiler-api", "cuda-profiler"}},
}

// Names returns the names of all libraries, sorted.
func Names() []string {
	var names []string
	for _, l := range libraries {
		names = append(names, l.Name)
	}
	return names
}

// decoration is what files, wheels, linkers and CMake add to the name of a library.
var decoration = regexp.MustCompile(`^(?:-l|cuda::|lib|nvidia-)|[-_]cu1[0-9]$|[-_](?:dev|devel|static)$`)

// Find returns the library that people call name: curand, cuRAND, libcurand.so, nvidia-curand-cu13,
// -lcurand, CUDA::curand or curand_kernel.h.
func Find(name string) (l Library, found bool) {
	if l, found = OfHeader(strings.Trim(name, `<>"`)); found {
		return l, true
	}
	bare := Bare(name)
	for _, l := range libraries {
		if bare == l.Name || bare == strings.TrimPrefix(l.Wheel, "nvidia-") {
			return l, true
		}
		for _, other := range l.others {
			if bare == other {
				return l, true
			}
		}
	}
	return Library{}, false
}

// Bare returns name in lower case without its decoration.
func Bare(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name, _, _ = strings.Cut(name, ".so")
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".a"), ".dll")
	name, _, _ = strings.Cut(name, "==")
	for bare := ""; bare != name; {
		bare = name
		name = decoration.ReplaceAllString(name, "")
	}
	return name
}

// OfHeader returns the library that has the header which #include names with header. Headers of
// extensions such as cufftdx.hpp and cublasdx.hpp do not belong to the toolkit.
func OfHeader(header string) (l Library, found bool) {
	switch path.Ext(header) {
	case ".h", ".hpp", ".hxx":
	default:
		return Library{}, false
	}
	header = strings.ToLower(header)
	for _, l := range libraries {
		for _, begin := range l.headers {
			rest, is := strings.CutPrefix(header, begin)
			if is && !strings.HasPrefix(rest, "dx") && (strings.HasSuffix(begin, "/") || !strings.Contains(rest, "/")) {
				return l, true
			}
		}
	}
	return Library{}, false
}
