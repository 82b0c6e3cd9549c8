//go:build linux && (amd64 || arm64)

package fakenccl_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakenccl"
)

// A config is the beginning of ncclConfig_t.
type config struct {
	size           uint64
	magic, version uint32
	blocking, cga  int32
}

// A library is the fake NCCL, and what this test calls of it.
type library struct {
	getUniqueID func(id *[128]byte) int32
	join        func(into *uintptr, size, rank, ids int32, id *[128]byte, c *config) int32
	state       func(comm uintptr, result *int32) int32
	split       func(comm uintptr, color, key int32, into *uintptr, c *config) int32
	allReduce   func(src, dst unsafe.Pointer, count uintptr, dataType, op int32, comm uintptr, stream unsafe.Pointer) int32
	finalize    func(comm uintptr) int32
	destroy     func(comm uintptr) int32
	violation   func() string
	waiting     func() int32
}

func load(t *testing.T) *library {
	handle, err := purego.Dlopen(fakenccl.Build(t, 23203), purego.RTLD_NOW|purego.RTLD_LOCAL)
	require.NoError(t, err)
	l := new(library)
	for name, f := range map[string]any{
		"ncclGetUniqueId": &l.getUniqueID, "ncclCommInitRankScalable": &l.join, "ncclCommGetAsyncError": &l.state, "ncclCommSplit": &l.split,
		"ncclAllReduce": &l.allReduce, "ncclCommFinalize": &l.finalize, "ncclCommDestroy": &l.destroy,
		"fake_violation": &l.violation, "fake_waiting": &l.waiting,
	} {
		purego.RegisterLibFunc(f, handle, name)
	}
	return l
}

func newConfig() *config {
	return &config{size: uint64(unsafe.Sizeof(config{})), magic: 0xcafebeef, version: 21400, blocking: 0, cga: -1 << 31}
}

// pair makes a communicator of two ranks.
func (l *library) pair(t *testing.T) *[2]uintptr {
	var id [128]byte
	require.Zero(t, l.getUniqueID(&id))
	comms := new([2]uintptr)
	for rank := range comms {
		l.join(&comms[rank], 2, int32(rank), 1, &id, newConfig())
	}
	l.settle(comms[:]...)
	return comms
}

// settle asks until nothing is in progress that waits for no rank.
func (l *library) settle(comms ...uintptr) {
	for _, c := range comms {
		for range 10 {
			l.state(c, new(int32))
		}
	}
}

// reduce is rank i's part of an all-reduce.
func (l *library) reduce(c uintptr) {
	data := new([4]float32)
	l.allReduce(unsafe.Pointer(data), unsafe.Pointer(data), 4, 7, 0, c, unsafe.Pointer(data))
}

// TestRulesOfOneProcess: while an operation waits for a rank of the process, memory is neither allocated nor freed, and none
// begins to wait while a communicator is made. The controls do the same when nothing waits.
func TestRulesOfOneProcess(t *testing.T) {
	end := func(l *library, c uintptr) {
		l.finalize(c)
		l.settle(c)
		l.destroy(c)
	}
	for name, do := range map[string]func(t *testing.T, l *library, main, other *[2]uintptr){
		"ncclCommFinalize": func(_ *testing.T, l *library, _, other *[2]uintptr) { end(l, other[0]) },
		"ncclCommInitRankScalable": func(t *testing.T, l *library, _, _ *[2]uintptr) {
			l.pair(t)
		},
		"ncclCommSplit": func(_ *testing.T, l *library, _, other *[2]uintptr) {
			var into uintptr
			l.split(other[0], 0, 0, &into, newConfig())
		},
		"none": func(_ *testing.T, l *library, _, other *[2]uintptr) {
			l.reduce(other[0])
			l.reduce(other[1])
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, waits := range []bool{false, true} {
				l := load(t)
				main, other := l.pair(t), l.pair(t)
				if waits {
					l.reduce(main[0])
					assert.Equal(t, int32(1), l.waiting())
				}
				do(t, l, main, other)
				if waits && name != "none" {
					assert.Contains(t, l.violation(), name+": an operation waits for a rank of this process")
				} else {
					assert.Empty(t, l.violation())
				}
			}
		})
	}
	l := load(t)
	main, other := l.pair(t), l.pair(t)
	into := new([2]uintptr)
	l.split(other[0], 0, 0, &into[0], newConfig())
	l.split(other[1], -1, 0, &into[1], newConfig())
	l.reduce(main[0])
	assert.Contains(t, l.violation(), "ncclAllReduce: it waits for a rank of this process, while a communicator is made")
}
