package compile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTry(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	out, err := Try(t.Context(), c, "compute_75", "-v")
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".visible .entry cudagen_try(")
	assert.Contains(t, out.Log, "#$ ", "the flag reaches the compiler")
	out, err = Try(t.Context(), c, "sm_75")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(out.Code), "\x7fELF"))
}
