package simtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestDetails(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("kernels.cu", []byte("one\n\ttwo\r\nthree"), 0o666))
	for _, test := range []struct {
		fault cuda.Fault
		want  string
	}{
		{cuda.Fault{}, ""},
		{cuda.Fault{File: "kernels.cu", Line: 2}, "\n     2 |     two"},
		{cuda.Fault{File: "kernels.cu", Line: 9, Check: "racecheck"}, "\n\tthe line is not shown: kernels.cu has 3 lines: it is not the file that was compiled\n\tcheck: racecheck"},
		{cuda.Fault{File: "other.cu", Line: 1, Count: 3}, "\n\tthe line is not shown: other.cu, as the image names it, is not found from here\n\tfound 3 times at this place"},
		{cuda.Fault{File: "kernels.cu", Line: 3, Count: 2, Check: "initcheck"}, "\n     3 | three\n\n\tfound 2 times at this place\n\tcheck: initcheck"},
	} {
		assert.Equal(t, test.want, details(&test.fault))
	}
	defer func(was func() bool) { onTerminal = was }(onTerminal)
	onTerminal = func() bool { return true }
	assert.Equal(t, "\n\x1b[31m     3 | three\x1b[0m", details(&cuda.Fault{File: "kernels.cu", Line: 3}))
	t.Setenv("NO_COLOR", "1")
	assert.Equal(t, "\n     3 | three", details(&cuda.Fault{File: "kernels.cu", Line: 3}))
}
