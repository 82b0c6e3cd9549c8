package cuda

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// CUDA C++ Programming Guide, Binary Compatibility: within a major version, from the minor
// version of the target on.
func TestRunsOn(t *testing.T) {
	for _, tt := range []struct {
		target       string
		major, minor int
		want         bool
	}{
		{"sm_80", 8, 0, true},
		{"sm_80", 8, 6, true},
		{"sm_86", 8, 0, false},
		{"sm_80", 9, 0, false},
		{"sm_90", 9, 0, true},
		{"sm_90a", 9, 0, true},
		{"sm_100a", 10, 3, false},
		{"sm_100f", 10, 3, true},
		{"sm_103f", 10, 0, false},
		{"sm_120", 12, 1, true},
		{"compute_80", 8, 0, false},
		{"sm_x", 8, 0, false},
	} {
		assert.Equal(t, tt.want, runsOn(tt.target, tt.major, tt.minor), "%+v", tt)
	}
}
