package simtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// here returns the line of its caller as faults name it, and lines behind it.
func here(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+lines)
}

// Faults name where in Go the memory was allocated and freed.
func TestOrigins(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, z zoned) (allocated, freed string)
		want string
	}{
		{"out of bounds, uploaded", func(t *testing.T, z zoned) (allocated, freed string) {
			x, err := cuda.Upload(z.s, make([]uint32, 10))
			allocated = here(-1)
			require.NoError(t, err)
			zonedLaunch(z, "put", nil, sliceArgs{X: x.All(), At: 10})
			return allocated, ""
		}, "is out of bounds: 4 bytes at offset 40 of 40, allocated at "},
		{"out of bounds, managed", func(t *testing.T, z zoned) (allocated, freed string) {
			x, err := cuda.AllocManaged[uint32](z.dev, 10)
			allocated = here(-1)
			require.NoError(t, err)
			zonedLaunch(z, "put", nil, sliceArgs{X: x.All(), At: 10})
			return allocated, ""
		}, "of 40, allocated at "},
		{"out of bounds, of a pool", func(t *testing.T, z zoned) (allocated, freed string) {
			pool, err := z.dev.NewPool(cuda.PoolConfig{})
			require.NoError(t, err)
			x, err := cuda.AllocFrom[uint32](pool, z.s, 10)
			allocated = here(-1)
			require.NoError(t, err)
			zonedLaunch(z, "put", nil, sliceArgs{X: x.All(), At: 10})
			return allocated, ""
		}, "of 40, allocated at "},
		{"used after it was closed", func(t *testing.T, z zoned) (allocated, freed string) {
			x, err := cuda.Alloc[uint32](z.s, 10)
			allocated = here(-1)
			require.NoError(t, err)
			addr := x.Ptr().Address()
			table, err := cuda.Upload(z.s, []uint32{uint32(addr), uint32(addr >> 32)})
			require.NoError(t, err)
			require.NoError(t, x.Close())
			freed = here(-1)
			zonedLaunch(z, "putThere", nil, tableArgs{Table: table.All(), At: 3})
			return allocated, freed
		}, "is in an allocation that was freed: 4 bytes at offset 12 of 40, allocated at "},
		{"of memory that was used again", func(t *testing.T, z zoned) (allocated, freed string) {
			old, err := cuda.Alloc[uint32](z.s, 10)
			require.NoError(t, err)
			require.NoError(t, old.Close())
			x, err := cuda.Alloc[uint32](z.s, 10)
			allocated = here(-1)
			require.NoError(t, err)
			zonedLaunch(z, "put", nil, sliceArgs{X: x.All(), At: 10})
			return allocated, ""
		}, "of 40, allocated at "},
		{"a variable", func(t *testing.T, z zoned) (allocated, freed string) {
			variable, err := cuda.LoadSymbol[[100]uint32](z.lib, "variable", "variable")
			require.NoError(t, err)
			zonedLaunch(z, "put", nil, plainArgs{X: cuda.PtrAt[uint32](variable.Ptr().Address()), At: 100})
			return "", ""
		}, "of 400, of variable variable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tb := &recorder{TB: t}
			dev := New(tb, AllowFault())
			s, err := dev.NewStream()
			require.NoError(t, err)
			lib, err := dev.LoadLibrary(image(puts))
			require.NoError(t, err)
			allocated, freed := test.run(t, zoned{t: t, dev: dev, s: s, lib: lib})
			var fault *cuda.Fault
			require.True(t, errors.As(s.Synchronize(), &fault))
			assert.Contains(t, fault.Reason, test.want)
			assert.Equal(t, allocated, fault.AllocatedAt)
			assert.Equal(t, freed, fault.FreedAt)
			if freed != "" {
				assert.Contains(t, fault.Reason, ", freed at "+freed)
			}
			dev.Close()
			tb.end()
		})
	}
	t.Run("the control: not without simtest", func(t *testing.T) {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		defer dev.Close()
		s, err := dev.NewStream()
		require.NoError(t, err)
		lib, err := dev.LoadLibrary(image(puts))
		require.NoError(t, err)
		x, err := cuda.Upload(s, make([]uint32, 10))
		require.NoError(t, err)
		zonedLaunch(zoned{t: t, s: s, lib: lib}, "put", nil, sliceArgs{X: x.All(), At: 10})
		var fault *cuda.Fault
		require.True(t, errors.As(s.Synchronize(), &fault))
		assert.Empty(t, fault.AllocatedAt)
	})
}
