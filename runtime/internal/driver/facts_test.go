package driver

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// header returns a header of the CUDA toolkit that nvcc belongs to.
func header(t *testing.T, name string) string {
	nvcc, err := filepath.EvalSymlinks(testenv.NVCCPath(t))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(nvcc), "..", "include", name))
	require.NoError(t, err)
	return string(text)
}

var resultLine = regexp.MustCompile(`(?m)^\s*(CUDA_SUCCESS|CUDA_ERROR_\w+)\s*=\s*(\d+)`)

func TestResultsAreTheHeaders(t *testing.T) {
	named := map[Result]string{}
	for _, m := range resultLine.FindAllStringSubmatch(header(t, "cuda.h"), -1) {
		code, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		named[Result(code)] = m[1]
	}
	require.Greater(t, len(named), 90, "cuda.h has its codes where they are looked for")
	for code, row := range results {
		assert.Equal(t, named[code], row.name)
		delete(named, code)
	}
	for code, name := range named {
		assert.Failf(t, "missing", "%s = %d is in cuda.h only", name, code)
	}
}

// TestEndsContextIsTheHeader: the codes that end a context are those of which cuda.h says that the
// context or the process cannot go on, and a few of which it says nothing.
func TestEndsContextIsTheHeader(t *testing.T) {
	said := map[Result]bool{ErrorECCUncorrectable: true, ErrorNVLinkUncorrectable: true, ErrorContextIsDestroyed: true}
	text := header(t, "cuda.h")
	codes := text[strings.Index(text, "typedef enum cudaError_enum"):strings.Index(text, "} CUresult;")]
	for _, m := range regexp.MustCompile(`(?s)/\*\*(.*?)\*/\s*CUDA_\w+\s*=\s*(\d+)`).FindAllStringSubmatch(codes, -1) {
		if words := strings.Join(strings.Fields(strings.ReplaceAll(m[1], "*", " ")), " "); strings.Contains(words, "must be terminated") || strings.Contains(words, "context cannot be used anymore") {
			code, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			said[Result(code)] = true
		}
	}
	assert.Len(t, said, 16)
	for code := range Result(1000) {
		assert.Equal(t, said[code], code.EndsContext(), "%v", code)
	}
}

// olderForms are entry points of which CUDA 12.2, 12.3 or 12.8 brought a later form, with the
// suffixes of the forms that cudagen uses. Every driver exports those, too, and they do all
// that it needs.
var olderForms = map[EntryPoint]string{
	EventElapsedTime: "", MemPrefetchAsync: "", MemAdvise: "", StreamUpdateCaptureDependencies: "", StreamGetCaptureInfo: "_v2",
	GraphNodeGetDependencies: "",
}

// TestSymbolsAreTheHeaders compares suffixes with the macros of cuda.h, and versions
// with the typedefs of cudaTypedefs.h, whose names end in the version that brought them.
func TestSymbolsAreTheHeaders(t *testing.T) {
	macros, typedefs := header(t, "cuda.h"), header(t, "cudaTypedefs.h")
	for e := range EntryPoint(NumEntryPoints) {
		t.Run(e.Name(), func(t *testing.T) {
			want := e.Name()
			macro := regexp.MustCompile(`(?m)^#define ` + e.Name() + ` +(?:__CUDA_API_PT[DS][SZ]\()?(\w+)\)?\s*$`)
			if m := macro.FindStringSubmatch(macros); m != nil {
				want = m[1]
			}
			if suffix, ok := olderForms[e]; ok {
				assert.NotEqual(t, e.Name()+suffix, want, "the header has a later form")
				want = e.Name() + suffix
			}
			assert.Equal(t, want, e.Symbol())
			assert.Contains(t, typedefs, " *PFN_"+e.Name()+"_v"+strconv.Itoa(e.Since())+")", "the version that brought it")
			assert.NotContains(t, typedefs, " *PFN_"+e.Name()+"_v"+strconv.Itoa(e.Since()+1)+")", "the control")
		})
	}
}

func TestResultText(t *testing.T) {
	tests := []struct {
		result            Result
		name, description string
		text              string
	}{
		{Success, "CUDA_SUCCESS", "success", "CUDA_SUCCESS (0): success"},
		{ErrorNoDevice, "CUDA_ERROR_NO_DEVICE", "the driver sees no CUDA device", "CUDA_ERROR_NO_DEVICE (100): the driver sees no CUDA device"},
		{12345, "CUDA_ERROR_12345", "", "CUDA_ERROR_12345 (12345)"},
		{-1, "CUDA_ERROR_-1", "", "CUDA_ERROR_-1 (-1)"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.name, tt.result.Name())
		assert.Equal(t, tt.description, tt.result.Description())
		assert.Equal(t, tt.text, tt.result.String())
	}
	for code, row := range results {
		assert.NotEmpty(t, row.description, "%d", code)
		assert.Equal(t, strings.TrimSpace(row.description), row.description)
	}
}
