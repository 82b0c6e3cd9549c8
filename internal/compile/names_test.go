package compile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNameHint(t *testing.T) {
	for name, want := range map[string]string{
		"itn4": "int4", "flaot4": "float4", "threadIDx": "threadIdx", "treadIdx": "threadIdx", "blockidx": "blockIdx", "__synchthreads": "__syncthreads",
		"__shard__": "__shared__", "atomicadd": "atomicAdd", "unsinged": "unsigned",
		"i": "", "idx": "", "matrix": "", "index_t": "", "stride": "",
	} {
		hint := nameHint(`identifier "` + name + `" is undefined`).Text
		if want == "" {
			assert.Empty(t, hint, name)
		} else {
			assert.Equal(t, " (did you mean "+want+"?)", hint, name)
		}
	}
	assert.Empty(t, nameHint(`class "S" has no member "int5"`).Text)
}
