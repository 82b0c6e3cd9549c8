//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package clib_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/internal/testlib"
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// libraries builds the fake driver and the C library once: a process loads each once.
var libraries sync.Once

// fakeDevice opens a device of the fake driver, with the C library there.
func fakeDevice(t testing.TB) (*cuda.Device, *cuda.Stream) {
	t.Helper()
	driver := fakecuda.Build(t, fakecuda.Options{})
	image := testenv.CompileC(t, testenv.CCPath(t), strings.Fields("-std=gnu11 -O1 -fPIC -shared"), testlib.Sources, "src/testlib.c")
	libraries.Do(func() {
		path := filepath.Join(t.TempDir(), "libtestlib.so")
		require.NoError(t, os.WriteFile(path, image, 0o700))
		t.Setenv("CUDAGEN_LIBCUDA", driver)
		t.Setenv("CUDAGEN_LIBTESTLIB", path)
		t.Setenv("CUDAGEN_DEVICE", "")
		d, err := cuda.Open(0)
		require.NoError(t, err)
		_, err = testlib.Log(d)
		require.NoError(t, err)
		require.NoError(t, d.Close())
	})
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	s, err := d.NewStream()
	require.NoError(t, err)
	said(t, d) // what other tests did
	return d, s
}

// said returns what the library was called with.
func said(t testing.TB, d *cuda.Device) string {
	t.Helper()
	text, err := testlib.Log(d)
	require.NoError(t, err)
	return text
}

func newContext(t testing.TB, d *cuda.Device) *testlib.Context {
	t.Helper()
	c, err := testlib.NewContext(d, 3, "ctx")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

func alloc[T any](t testing.TB, s *cuda.Stream, n int) cuda.Slice[T] {
	t.Helper()
	b, err := cuda.Alloc[T](s, n)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b.All()
}

// Every form of argument and result arrives in C and comes back.
func TestForms(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	x, y := alloc[float32](t, s, 10), alloc[float32](t, s, 10)
	assert.Equal(t, "create 3 ctx;", said(t, d))

	require.NoError(t, c.Axpy(s, 4, 2.5, x, -3, y, 1))
	assert.Equal(t, fmt.Sprintf("stream 1;mode 3;axpy host 4 2.5 %x -3 %x 1;", x.Address(), y.Address()), said(t, d))
	require.NoError(t, c.AxpyDevice(s, 4, y.Slice(1, 2), x, -3, y, 1))
	assert.Equal(t, fmt.Sprintf("mode 5;axpy device 4 %x %x -3 %x 1;", y.Address()+4, x.Address(), y.Address()), said(t, d))

	sum, err := c.Sum(s, 7, x)
	require.NoError(t, err)
	assert.Equal(t, float32(7.5), sum)
	require.NoError(t, c.SumDevice(s, 7, x, y))
	assert.Equal(t, fmt.Sprintf("mode 3;sum host 7 %x;mode 5;sum device 7 %x %x;", x.Address(), x.Address(), y.Address()), said(t, d))

	z := alloc[complex128](t, s, 12)
	total, err := c.Zscale(s, 3, 4, 1-2i, z, 3)
	require.NoError(t, err)
	assert.Equal(t, 3-4i, total)
	assert.Equal(t, fmt.Sprintf("mode 3;zscale 3 4 1+-2i %x 3;", z.Address()), said(t, d))

	require.NoError(t, c.Many(-1, 255, -32768, 65535, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615, true, 1.5, -2.25, testlib.Down,
		3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, -128, 18446744073709551614))
	assert.Equal(t, "many -1 255 -32768 65535 -2147483648 4294967295 -9223372036854775808 18446744073709551615 1 1.5 -2.25 -2 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 -128 18446744073709551614;", said(t, d))

	out := make([]int32, 4)
	require.NoError(t, c.Host(2, []complex128{1 + 2i, 3 + 4i}, out))
	assert.Equal(t, []int32{1, 2, 3, 4}, out)

	config := testlib.Config{Letter: 'x', Size: 2.5, Counts: [3]int16{1, -2, 3}, Way: testlib.Down}
	require.NoError(t, c.Configure(config))
	count := int32(41)
	again, way, err := c.ConfigOf(&count)
	require.NoError(t, err)
	assert.Equal(t, config, again)
	assert.Equal(t, testlib.Down, way)
	assert.Equal(t, int32(42), count)
	said(t, d)
	require.NoError(t, c.Count(&count))
	require.NoError(t, c.Count(nil))
	assert.Equal(t, "count 42;count -1;", said(t, d))

	used, err := c.Used()
	require.NoError(t, err)
	assert.Equal(t, ^uint64(1), used)
	name, err := c.Name()
	require.NoError(t, err)
	assert.Equal(t, "ctx", name)
	open, err := c.IsOpen()
	require.NoError(t, err)
	assert.True(t, open)
	require.NoError(t, c.Reset())
	assert.Equal(t, "reset;", said(t, d))

	plan, err := testlib.NewPlan(d, 1<<40+5)
	require.NoError(t, err)
	require.NoError(t, plan.Run(testlib.Down))
	require.NoError(t, plan.Close())
	require.NoError(t, plan.Close())
	assert.Equal(t, fmt.Sprintf("plan %d;run %d -2;destroy plan %[2]d;", int64(1<<40+5), (int64(1<<40+5))%1000+1), said(t, d))

	v, err := testlib.NewVector(d, 4, x)
	require.NoError(t, err)
	require.NoError(t, c.Dot(s, v, v))
	require.NoError(t, c.Seed(s, 1<<63))
	require.NoError(t, v.Close())
	assert.Equal(t, fmt.Sprintf("vector 4 %x;dot 4 4;seed 9223372036854775808 1;destroy vector 4;", x.Address()), said(t, d))

	empty := alloc[float32](t, s, 0)
	require.NoError(t, c.Axpy(s, 0, 1, empty, 1, empty, 1))
	assert.Contains(t, said(t, d), "axpy host 0 1 ")
	require.NoError(t, testlib.Fill(s, x, 10, cuda.Slice[float32]{}, 1.25))
	assert.Equal(t, fmt.Sprintf("fill %x 10 0 1.25 1;", x.Address()), said(t, d))
	rows := alloc[cuda.Ptr[float32]](t, s, 3)
	require.NoError(t, c.Batched(s, rows, 3))
	assert.Equal(t, fmt.Sprintf("batched %x 3;", rows.Address()), said(t, d))

	points := alloc[cuda.Ptr[complex128]](t, s, 3)
	require.NoError(t, c.Zbatched(s, points, 3))
	assert.Equal(t, fmt.Sprintf("zbatched %x 3;", points.Address()), said(t, d))

	require.NoError(t, c.Weigh(s, []float32{1, 2, 3.5}, x, 4))
	require.NoError(t, c.WeighDevice(s, y, x, 4))
	assert.Equal(t, fmt.Sprintf("weigh host 1 2 3.5 %x 4;mode 5;weigh device %x %[1]x 4;", x.Address(), y.Address()), said(t, d))
	turned := float32(2.5)
	more, err := c.Turn(&turned)
	require.NoError(t, err)
	assert.Equal(t, float32(3.5), more)
	assert.Equal(t, float32(-2.5), turned)
	require.NoError(t, c.TurnDevice(s, x, y))
	assert.Equal(t, fmt.Sprintf("mode 3;turn host 2.5;mode 5;turn device %x %x;", x.Address(), y.Address()), said(t, d))
	bytes := alloc[byte](t, s, 46)
	require.NoError(t, c.Groups(s, []int32{1, -5, 2}, 3, 10, bytes, testlib.R16BF))
	assert.Equal(t, fmt.Sprintf("mode 3;groups host 1 3 10 %x 14;", bytes.Address()), said(t, d), "memory of the host, so that the mode is host")
}

// A handle keeps memory that it was lent: until it gets other memory, or is closed.
func TestKeep(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	x := alloc[float32](t, s, 4)
	lent, err := cuda.Alloc[float32](s, 10)
	require.NoError(t, err)
	refused, err := cuda.Alloc[float32](s, 10)
	require.NoError(t, err)
	require.NoError(t, c.Lend(s, lent.All(), 10))
	require.ErrorIs(t, c.Lend(s, refused.All(), 0), testlib.BadValue)
	require.NoError(t, refused.Close())
	require.NoError(t, c.Axpy(s, 4, 1, x, 1, x, 1), "what was refused is not kept")
	require.NoError(t, lent.Close())
	said(t, d)
	err = c.Axpy(s, 4, 1, x, 1, x, 1)
	require.ErrorIs(t, err, cuda.ErrClosed)
	assert.Empty(t, said(t, d))
	require.NoError(t, c.Lend(s, x, 4))
	require.NoError(t, c.Axpy(s, 4, 1, x, 1, x, 1))
}

// Numbers that one call has a handle keep are read by others.
func TestKept(t *testing.T) {
	d, s := fakeDevice(t)
	plan, err := testlib.NewPlan(d, 5)
	require.NoError(t, err)
	defer func() { assert.NoError(t, plan.Close()) }()
	x, y := alloc[float32](t, s, 10), alloc[float32](t, s, 10)
	assert.ErrorContains(t, plan.Transform(s, x, y), "y has 10 elements, needs more than fit into 63 bits") // nothing has set that
	require.NoError(t, plan.Replan([]int32{4, 6}, 2))
	require.NoError(t, plan.Transform(s, x, y))
	assert.ErrorContains(t, plan.Transform(s, x.Slice(0, 9), y), "x has 9 elements, needs 10")
	assert.ErrorContains(t, plan.Transform(s, x, y.Slice(0, 1)), "y has 1 elements, needs 2")
	assert.ErrorIs(t, plan.Replan([]int32{1, 1, 1}, 3), testlib.BadValue)
	assert.ErrorContains(t, plan.Transform(s, x.Slice(0, 9), y), "needs 10") // as before
}

// Memory that a handle goes on using must be open in later calls.
func TestHeld(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	area, err := cuda.Alloc[byte](s, 10)
	require.NoError(t, err)
	require.NoError(t, c.SetArea(s, area.All(), 10))
	require.NoError(t, c.Seed(s, 1))
	require.NoError(t, area.Close())
	assert.ErrorIs(t, c.Seed(s, 1), cuda.ErrClosed)
	require.NoError(t, c.SetArea(s, cuda.Slice[byte]{}, 0))
	require.NoError(t, c.Seed(s, 1))
}

// A descriptor has memory without a stream, which other memory replaces, and functions that get it use what it has then.
func TestDescriptor(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	first, err := cuda.Alloc[float32](s, 4)
	require.NoError(t, err)
	v, err := testlib.NewVector(d, 4, first.All())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, v.Close()) })
	second := alloc[float32](t, s, 5)
	require.ErrorIs(t, v.VectorSet(second.Slice(0, 3)), cuda.ErrShortSlice)
	require.NoError(t, v.VectorSet(second))
	require.NoError(t, first.Close())
	n, values, err := v.VectorGet()
	require.NoError(t, err)
	assert.Equal(t, int32(4), n)
	assert.Equal(t, second.Ptr(), values)

	buffer := alloc[uint8](t, s, 32)
	said(t, d)
	require.NoError(t, c.Scan(s, v, buffer))
	assert.Equal(t, fmt.Sprintf("stream 1;mode 3;scan size;scan 4 %x;", buffer.Address()), said(t, d))
	assert.ErrorContains(t, c.Scan(s, v, buffer.Slice(0, 31)), "tl_scan on "+d.String()+": buffer has 31 elements, needs 32")
	var none *testlib.Context
	assert.ErrorContains(t, none.Scan(s, v, buffer), "is nil")

	table, err := cuda.Alloc[float32](s, 3)
	require.NoError(t, err)
	require.NoError(t, c.Prepare(s, v, table.All()))
	require.NoError(t, table.Close())
	said(t, d)
	require.ErrorIs(t, c.Scan(s, v, buffer), cuda.ErrClosed)
	assert.Empty(t, said(t, d))
	require.NoError(t, c.Prepare(s, v, alloc[float32](t, s, 3)))
	require.NoError(t, c.Scan(s, v, buffer))

	rows, err := v.Table()
	require.NoError(t, err)
	assert.Equal(t, [][3]int16{{1, 2, 3}, {4, 5, 6}}, rows)

	five, err := testlib.NewVector(d, 5, second)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, five.Close()) })
	rows, err = five.Table()
	require.NoError(t, err)
	assert.Nil(t, rows)
	require.ErrorIs(t, c.Scan(s, five, buffer), testlib.BadValue)
}

// A handle is what C returns, and NULL is none. A number that a function returns which ends it is not ignored.
func TestReturnedHandle(t *testing.T) {
	d, _ := fakeDevice(t)
	none, err := testlib.OpenTape(d, -1)
	assert.Nil(t, none)
	assert.ErrorIs(t, err, clib.ErrNull)
	assert.EqualError(t, err, "tl_tape_open on "+d.String()+": it returned NULL, and made nothing")
	for length, want := range map[int32]string{7: "", 101: "tl_tape_close on " + d.String() + ": the result is 101: it returned a number other than 0"} {
		said(t, d)
		tape, err := testlib.OpenTape(d, length)
		require.NoError(t, err)
		got, err := tape.Length()
		require.NoError(t, err)
		assert.Equal(t, length, got)
		if err := tape.Close(); want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, want)
			assert.ErrorIs(t, err, clib.ErrNotZero)
		}
		assert.NoError(t, tape.Close())
		assert.Equal(t, fmt.Sprintf("open %d;close %[1]d;", length), said(t, d))
		_, err = tape.Length()
		assert.ErrorIs(t, err, cuda.ErrClosed)
	}
}

// What the library refuses is an error with its status, its text and the function.
func TestFailed(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	x := alloc[float32](t, s, 1)
	err := c.Axpy(s, -1, 1, x, 1, x, 1)
	assert.ErrorIs(t, err, testlib.BadValue)
	assert.EqualError(t, err, "tl_axpy on "+d.String()+": the library says 1: TL_BAD_VALUE")
	none, err := testlib.NewContext(d, 10, "")
	assert.Nil(t, none)
	assert.ErrorIs(t, err, testlib.BadValue)
	assert.ErrorIs(t, c.At(cuda.PtrAt[float64](0x1000), 5), testlib.Lost)
	err = c.Missing()
	require.Error(t, err)
	assert.Contains(t, err.Error(), "libtestlib.so of version 6.9.2 has no function of that name, which the header of version 7.1 of the Go package has: use another version of the library")
}

// Arguments that would have C read or write beyond memory never get there.
func TestRefused(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	x, y := alloc[float32](t, s, 10), alloc[float32](t, s, 10)
	z := alloc[complex128](t, s, 12)
	closed, err := cuda.Alloc[float32](s, 10)
	require.NoError(t, err)
	gone := closed.All()
	require.NoError(t, closed.Close())
	closedContext, err := testlib.NewContext(d, 0, "closed")
	require.NoError(t, err)
	require.NoError(t, closedContext.Close())
	var none *testlib.Context
	said(t, d)
	sum := func(err error) error { return err }
	_, short := c.Sum(s, 11, x)
	_, low := c.Zscale(s, 3, 5, 0, z, 3)
	_, ofClosed := closedContext.Sum(s, 1, x)
	_, ofNone := none.Sum(s, 1, x)
	for name, test := range map[string]struct {
		err  error
		is   error
		text string
	}{
		"short":              {short, cuda.ErrShortSlice, "x has 10 elements, needs 11"},
		"far apart":          {c.Axpy(s, 4, 1, x, 3, y, -4), cuda.ErrShortSlice, "y has 10 elements, needs 13"},
		"matrix":             {low, cuda.ErrShortSlice, "a has 12 elements, needs 15"},
		"overflow":           {c.Axpy(s, 2147483647, 1, x, -2147483648, y, 1), cuda.ErrShortSlice, "x has 10 elements, needs 4611686014132420609"},
		"condition":          {c.Axpy(s, 4, 1, x, 0, y, 1), cuda.ErrInvalidValue, "incx!=0 must hold: incx is 0 (every element has a place of its own)"},
		"size_t":             {testlib.Fill(s, x, ^uint64(0), y, 1), cuda.ErrShortSlice, "x has 10 elements, needs more than fit into 63 bits"},
		"zero Slice":         {c.Axpy(s, 0, 1, cuda.Slice[float32]{}, 1, y, 1), cuda.ErrInvalidValue, "x is the zero Slice"},
		"address 0":          {c.Axpy(s, 0, 1, cuda.SliceAt[float32](0, 4, x.Owner()), 1, y, 1), cuda.ErrInvalidValue, "x has the address 0"},
		"nullable, short":    {testlib.Fill(s, alloc[float32](t, s, 30), 30, y, 1), cuda.ErrShortSlice, "y has 10 elements, needs 20"},
		"closed":             {c.Axpy(s, 4, 1, gone, 1, y, 1), cuda.ErrClosed, "closed"},
		"closed handle":      {ofClosed, cuda.ErrClosed, "tl_context_t"},
		"nil handle":         {ofNone, cuda.ErrInvalidValue, "tl_context_t is nil"},
		"nil object":         {c.Dot(s, nil, nil), cuda.ErrInvalidValue, "a is nil"},
		"nil stream":         {c.Axpy(nil, 4, 1, x, 1, y, 1), cuda.ErrInvalidValue, "the stream is nil"},
		"short host slice":   {c.Host(2, make([]complex128, 2), make([]int32, 3)), cuda.ErrShortSlice, "out has 3 elements, needs 4"},
		"nil host slice":     {c.Host(2, nil, make([]int32, 4)), cuda.ErrShortSlice, "in has 0 elements, needs 2"},
		"nil value":          {sum(func() error { _, _, err := c.ConfigOf(nil); return err }()), cuda.ErrInvalidValue, "count is nil"},
		"text":               {func() error { _, err := testlib.NewContext(d, 1, "a\x00b"); return err }(), cuda.ErrInvalidValue, "name has a zero byte"},
		"nil device":         {func() error { _, err := testlib.NewPlan(nil, 1); return err }(), cuda.ErrInvalidValue, "the device is nil"},
		"short scalars":      {c.Weigh(s, make([]float32, 2), x, 4), cuda.ErrShortSlice, "weights has 2 elements, needs 3"},
		"short on device":    {c.WeighDevice(s, y.Slice(0, 2), x, 4), cuda.ErrShortSlice, "weights has 2 elements, needs 3"},
		"groups":             {c.Groups(s, []int32{1, 2}, 2, 10, alloc[byte](t, s, 45), testlib.R16BF), cuda.ErrShortSlice, "x has 45 elements, needs 46"},
		"types":              {c.Groups(s, []int32{1, 2}, 2, 10, alloc[byte](t, s, 91), testlib.R32F), cuda.ErrShortSlice, "x has 91 elements, needs 92"},
		"unknown type":       {c.Groups(s, []int32{1, 2}, 2, 10, alloc[byte](t, s, 91), testlib.Tf32), cuda.ErrShortSlice, "needs more than fit into 63 bits"},
		"closed, no stream":  {func() error { _, err := testlib.NewVector(d, 4, gone); return err }(), cuda.ErrClosed, "closed"},
		"short in an object": {func() error { _, err := testlib.NewVector(d, 11, x); return err }(), cuda.ErrShortSlice, "values has 10 elements, needs 11"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, test.err)
			assert.ErrorIs(t, test.err, test.is)
			assert.Contains(t, test.err.Error(), test.text)
			var own *clib.Error
			assert.ErrorAs(t, test.err, &own)
		})
	}
	assert.Empty(t, said(t, d))
}

// Handles may be used by many goroutines, and closed beside calls.
func TestConcurrent(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	v, err := testlib.NewVector(d, 1, alloc[float32](t, s, 1))
	require.NoError(t, err)
	w, err := testlib.NewVector(d, 2, alloc[float32](t, s, 2))
	require.NoError(t, err)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 200 {
				a, b := v, w
				if i%2 == 0 {
					a, b = w, v
				}
				if err := c.Dot(s, a, b); err != nil {
					assert.ErrorIs(t, err, cuda.ErrClosed)
				}
			}
			assert.NoError(t, v.Close())
		})
	}
	group.Wait()
	assert.NoError(t, w.Close())
}

// A call reads what a handle has when no other call uses it: memory that another goroutine has replaced and closed is not handed to C.
func TestReplacedBeside(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	v, err := testlib.NewVector(d, 4, alloc[float32](t, s, 4))
	require.NoError(t, err)
	buffer := alloc[uint8](t, s, 32)
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		defer close(done)
		var last *cuda.Buffer[float32]
		for range 300 {
			next, err := cuda.Alloc[float32](s, 5)
			if !assert.NoError(t, err) || !assert.NoError(t, v.VectorSet(next.All())) {
				return
			}
			if last != nil {
				assert.NoError(t, last.Close())
			}
			last = next
		}
		assert.NoError(t, v.Close())
		assert.NoError(t, last.Close())
	})
	for {
		select {
		case <-done:
			group.Wait()
			assert.ErrorIs(t, c.Scan(s, v, buffer), cuda.ErrClosed)
			return
		default:
			// The memory may have been replaced and closed before the vector is closed, but not between the two within one call.
			if err := c.Scan(s, v, buffer); err != nil {
				require.ErrorContains(t, err, "the tl_vector_t")
			}
		}
	}
}

// A library that is not there is an error that says how to get it.
func TestNotFound(t *testing.T) {
	d, _ := fakeDevice(t)
	for of, want := range map[string]string{"": "-with nowhere ", "cublas": "-with cublas "} {
		f := clib.Function{Library: &clib.Library{Name: "nowhere", Of: of, Linux: []string{"libnowhere.so.7"}}, Symbol: "f"}
		call := clib.Call{Function: &f}
		call.At(d)
		_, err := call.Do(nil, 0, 0)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "f on "+d.String()+": library nowhere is not found: there is no libnowhere.so.7 in ")
		assert.Contains(t, err.Error(), want)
		assert.Contains(t, err.Error(), "set CUDAGEN_LIBNOWHERE to its path")
	}
}
