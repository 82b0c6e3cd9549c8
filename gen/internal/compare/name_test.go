package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// Classes that Go has a type for are no bytes there.
func TestBytes(t *testing.T) {
	for _, name := range []string{"cuda::std::optional<int>", "lib::complexes<float>"} {
		assert.True(t, compare.Bytes(&ctype.Library{Name: name}), name)
	}
	for _, name := range []string{"cuda::std::complex<double>", "std::complex<float>", "thrust::complex<float>", "__half"} {
		assert.False(t, compare.Bytes(&ctype.Pointer{Elem: &ctype.Library{Name: name}}), name)
	}
	assert.False(t, compare.Bytes(ctype.Builtin(ctype.Int)))
}
