package cusparse_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// Descriptors and functions need the memory that their formats have, by their definitions, and not one element less.
func TestLengths(t *testing.T) {
	const i32, i64, zero = cusparse.Index32I, cusparse.Index64I, cusparse.IndexBaseZero
	type bytes = cuda.Slice[uint8]
	var (
		d      *cuda.Device
		s      *cuda.Stream
		h      *cusparse.Handle
		of     *cusparse.Description
		whole  = func(s bytes) bytes { return s.Slice(0, s.Len()/4*4) }
		floats = func(s bytes) cuda.Slice[float32] { return cuda.Reinterpret[float32](whole(s)) }
		ints   = func(s bytes) cuda.Slice[int32] { return cuda.Reinterpret[int32](whole(s)) }
	)
	for name, c := range map[string]struct {
		need []int // in bytes
		call func(m []bytes) error
	}{
		"CSR": {[]int{6 * 8, 7 * 4, 7 * 16}, func(m []bytes) error {
			return closed(cusparse.NewCsr(d, 5, 9, 7, m[0], m[1], m[2], i64, i32, zero, cusparse.C64F))
		}},
		"CSC": {[]int{10 * 4, 7 * 8, 7 * 2}, func(m []bytes) error {
			return closed(cusparse.NewCsc(d, 5, 9, 7, m[0], m[1], m[2], i32, i64, zero, cusparse.R16F))
		}},
		"COO": {[]int{7 * 8, 7 * 8, 7 * 8}, func(m []bytes) error {
			return closed(cusparse.NewCoo(d, 5, 9, 7, m[0], m[1], m[2], i64, zero, cusparse.R64F))
		}},
		"BSR": {[]int{6 * 4, 7 * 4, 7 * 2 * 3 * 4}, func(m []bytes) error {
			return closed(cusparse.NewBsr(d, 5, 9, 7, 2, 3, m[0], m[1], m[2], i32, i32, zero, cusparse.R32F, cusparse.OrderRow))
		}},
		"blocked ELL": {[]int{4 * 3 * 4, 8 * 6 * 4}, func(m []bytes) error { // 4 rows of blocks, 3 blocks each
			return closed(cusparse.NewBlockedEll(d, 8, 10, 2, 6, m[0], m[1], i32, zero, cusparse.R32F))
		}},
		"sliced ELL": {[]int{4 * 4, 12 * 4, 12 * 4}, func(m []bytes) error { // 3 slices, of which the last one is not full
			return closed(cusparse.NewSlicedEll(d, 5, 9, 7, 12, 2, m[0], m[1], m[2], i32, i32, zero, cusparse.R32F))
		}},
		"sparse vector": {[]int{7 * 8, 7 * 4}, func(m []bytes) error {
			return closed(cusparse.NewSpVec(d, 20, 7, m[0], m[1], i64, zero, cusparse.R32F))
		}},
		"vector": {[]int{7 * 8}, func(m []bytes) error { return closed(cusparse.NewDnVec(d, 7, m[0], cusparse.C32F)) }},
		"matrix": {[]int{(8*2 + 5) * 4}, func(m []bytes) error {
			return closed(cusparse.NewDnMat(d, 5, 3, 8, m[0], cusparse.R32F, cusparse.OrderCol))
		}},
		"matrix by rows": {[]int{(8*4 + 3) * 4}, func(m []bytes) error {
			return closed(cusparse.NewDnMat(d, 5, 3, 8, m[0], cusparse.R32F, cusparse.OrderRow))
		}},
		"bsrmm": {[]int{7 * 9 * 4, 6 * 4, 7 * 4, (20 + 12) * 4, (20 + 15) * 4}, func(m []bytes) error {
			return h.Sbsrmm(s, cusparse.DirectionRow, cusparse.OperationNonTranspose, cusparse.OperationNonTranspose, 5, 2, 4, 7, 1, of, floats(m[0]), ints(m[1]), ints(m[2]), 3, floats(m[3]), 20, 1, floats(m[4]), 20)
		}},
		"bsrmv": {[]int{7 * 9 * 4, 6 * 4, 7 * 4, 4 * 3 * 4, 5 * 3 * 4}, func(m []bytes) error {
			return h.Sbsrmv(s, cusparse.DirectionRow, cusparse.OperationNonTranspose, 5, 4, 7, 1, of, floats(m[0]), ints(m[1]), ints(m[2]), 3, floats(m[3]), 1, floats(m[4]))
		}},
		"nnz": {[]int{(8*2 + 5) * 4, 3 * 4}, func(m []bytes) error {
			_, err := h.Snnz(s, cusparse.DirectionColumn, 5, 3, of, floats(m[0]), 8, ints(m[1]))
			return err
		}},
		"gtsv2": {[]int{5 * 4, 5 * 4, 5 * 4, (8*2 + 5) * 4}, func(m []bytes) error {
			_, err := h.Sgtsv2BufferSizeExt(s, 5, 3, floats(m[0]), floats(m[1]), floats(m[2]), floats(m[3]), 8)
			return err
		}},
		"gtsv2StridedBatch": {[]int{(8*2 + 5) * 4, (8*2 + 5) * 4, (8*2 + 5) * 4, (8*2 + 5) * 4}, func(m []bytes) error {
			_, err := h.Sgtsv2StridedBatchBufferSizeExt(s, 5, floats(m[0]), floats(m[1]), floats(m[2]), floats(m[3]), 3, 8)
			return err
		}},
		"coo2csr": {[]int{7 * 4, 6 * 4}, func(m []bytes) error { return h.Xcoo2csr(s, ints(m[0]), 7, 5, ints(m[1]), zero) }},
		"csr2coo": {[]int{6 * 4, 7 * 4}, func(m []bytes) error { return h.Xcsr2coo(s, ints(m[0]), 7, 5, ints(m[1]), zero) }},
		"Csr2cscEx2": {[]int{7 * 8, 6 * 4, 7 * 4, 7 * 8, 10 * 4, 7 * 4}, func(m []bytes) error {
			_, err := h.Csr2cscEx2BufferSize(s, 5, 9, 7, m[0], ints(m[1]), ints(m[2]), m[3], ints(m[4]), ints(m[5]), cusparse.R64F, cusparse.ActionNumeric, zero, cusparse.CSR2CSCAlg1)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, simtest.New(t), func(b *bench) {
				d, s, h = b.device, b.stream, b.handle
				of = kept[*cusparse.Description](b)(cusparse.NewDescription(d))
				slices := make([]bytes, len(c.need))
				for i, n := range c.need {
					slices[i] = memory(b, make([]uint8, n))
				}
				if err := c.call(slices); err != nil && !errors.Is(err, clib.ErrNotSimulated) {
					require.NoError(t, err)
				}
				for i, n := range c.need {
					short := append([]bytes(nil), slices...)
					short[i] = short[i].Slice(0, n-1)
					assert.ErrorIs(t, c.call(short), cuda.ErrShortSlice, "slice %d", i)
				}
				require.NoError(t, s.Synchronize())
			})
		})
	}
}

// closed closes what was made, or returns why it was not.
func closed[C interface{ Close() error }](c C, err error) error {
	if err != nil {
		return err
	}
	return c.Close()
}
