package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mistake in cudagen is an error of the file that shows it, in valid JSON.
func TestInspectSurvivesAMistake(t *testing.T) {
	report := inspectFile(nil, "k.cu", false) // a nil reader panics
	assert.False(t, report.Understood)
	assert.False(t, report.Accepted)
	require.Len(t, report.Errors, 1)
	assert.Contains(t, report.Errors[0].String(), "k.cu: cudagen has a bug, please report it with this file: ")
	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b))
	assert.True(t, json.Valid(b.Bytes()))
}
