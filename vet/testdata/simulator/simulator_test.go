// Package simulator opens devices in its tests.
package simulator

import (
	"testing"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestOpen(t *testing.T) {
	dev, err := cuda.OpenDefault() // want `OpenDefault finds no simulated device in this test: import "github.com/cudagen/cudagen/runtime/sim" for its effect, or use github.com/cudagen/cudagen/runtime/simtest`
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
}
