package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLacks(t *testing.T) {
	const module = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func other();\n"
	kernels, err := Lacks("k.ptx", []byte(module+`.entry runs() { ret; }
.entry lacks() {
	.loc 1 14 3
	tcgen05.wait::ld.sync.aligned;
	.loc 1 15 3
	call other;
	ret;
}
.file 1 "src/k.cu"
`))
	require.NoError(t, err)
	assert.Equal(t, []KernelLacks{
		{"lacks", []Lack{{"instruction tcgen05.wait::ld.sync.aligned", "src/k.cu", 14, 8}, {"call of other", "src/k.cu", 15, 10}}},
		{"runs", nil},
	}, kernels)

	_, err = Lacks("k.ptx", []byte(module+".entry k() {\nadd.u32 %r1, %r1, 1;\n}"))
	assert.EqualError(t, err, "k.ptx:6:1: register %r1 is not declared")
	_, err = Lacks("k.ptx", []byte(".version 8.0\n.target sm_100x\n.address_size 64\n"))
	assert.ErrorContains(t, err, "k.ptx: .target sm_100x is not for the simulated device")
	kernels, err = Lacks("k.ptx", []byte(strings.Replace(module, "sm_90", "sm_120a", 1)))
	require.NoError(t, err, "of any architecture")
	assert.Empty(t, kernels)
	_, err = Lacks("k.cubin", []byte("\x7fELF"))
	assert.ErrorContains(t, err, "this image is a cubin")
}
