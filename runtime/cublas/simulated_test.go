package cublas_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cublas"
	_ "github.com/cudagen/cudagen/runtime/cublas/simulated"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// On simulated devices functions compute what they compute on a GPU.
func TestSimulated(t *testing.T) {
	have := 0
	compareAll(t, simtest.New(t), 9, testenv.Cases(2, 20), func(m method) bool {
		if isSimulated(m) {
			have++
		}
		return isSimulated(m)
	})
	assert.Greater(t, have, 300)
}

func isSimulated(m method) bool {
	field := reflect.ValueOf(cublas.Simulated).FieldByName("Handle" + m.name)
	return field.IsValid() && !field.IsNil()
}

// One other element is found.
func TestSimulatedControl(t *testing.T) {
	d := simtest.New(t)
	h, s := open(t, d)
	list, _ := methods(t)
	r := rand.New(rand.NewPCG(6, 7))
	for _, m := range list {
		compute := definitionOf(m)
		if compute == nil || !isSimulated(m) {
			continue
		}
		wrong := false
		for try := 0; !wrong && try < 50; try++ {
			wrong = valuesOf(m, r, 5).compare(h, s, func(v *values) {
				compute(v)
				v.spoil()
			}) != ""
		}
		assert.True(t, wrong, m.name)
	}
	require.NoError(t, d.Close()) // with what compare leaves when it has found something
}
