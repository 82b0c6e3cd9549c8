package main

import (
	"bytes"
	"go/scanner"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder returns a package driver whose interface has the rows.
func folder(t *testing.T, rows ...string) string {
	t.Helper()
	dir := t.TempDir()
	source := "package driver\n\nimport \"unsafe\"\n\ntype (\n\tDevice int32\n\tStream uintptr\n\tEvent uintptr\n\tKernel uintptr\n\tDevicePtr uint64\n\tBox struct{ x [3]uint64 }\n)\n\n" +
		"type Result int32\n\ntype Driver interface {\n\t" + strings.Join(rows, "\n\t") + "\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "any.go"), []byte(source), 0o600))
	return dir
}

// TestCommitted: the files that are committed are those that go generate writes.
func TestCommitted(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	require.Len(t, files, 7)
	for name, text := range files {
		assert.True(t, committed(t, filepath.Join("..", filepath.Dir(name)), text), "%s: run go generate ./runtime/internal/driver", name)
		assert.False(t, committed(t, filepath.Join("..", filepath.Dir(name)), text[1:]), "the control")
	}
}

// committed says whether a file of the folder has the text.
func committed(t *testing.T, dir string, text []byte) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		got, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		if bytes.Equal(got, text) {
			return true
		}
	}
	return false
}

// TestEveryFileFollows: one row more, and each file has it.
func TestEveryFileFollows(t *testing.T) {
	const row = "EventQuery(s Stream) Result // CUDA 2.0"
	before, err := generate(folder(t, row))
	require.NoError(t, err)
	after, err := generate(folder(t, row, "StreamSplit(s Stream, n int) (Stream, Result) // CUDA 13.4, _v3, watched"))
	require.NoError(t, err)
	for name, text := range after {
		assert.Contains(t, string(text), "StreamSplit", name)
		assert.NotContains(t, string(before[name]), "StreamSplit", name)
	}
	assert.Contains(t, string(after["symbols_table.go"]), `{"cuStreamSplit", "cuStreamSplit_v3", 13040, false}`)
}

// TestCalls holds how libcuda makes a call, form by form.
func TestCalls(t *testing.T) {
	for _, tt := range []struct{ name, row, want string }{
		{"values", "SetAt(p DevicePtr, n int, to Device, s Stream) Result // CUDA 12.0",
			"return d.callPlain(driver.SetAt, uintptr(p), uintptr(n), uintptr(to), uintptr(s))"},
		{"nothing", "Flush() Result // CUDA 12.0, required", "return d.callPlain(driver.Flush)"},
		{"0", "Flush(s Stream) Result // CUDA 12.0, C(0, s)", "return d.callPlain(driver.Flush, 0, uintptr(s))"},
		{"Go memory", "Read(to unsafe.Pointer, from DevicePtr) Result // CUDA 12.0",
			"return d.callAt(driver.Read, [6]uintptr{0, uintptr(from)}, to, nil)"},
		{"Go memory second", "Write(to DevicePtr, from unsafe.Pointer, n uint64) Result // CUDA 12.0",
			"return d.callAt(driver.Write, [6]uintptr{uintptr(to), 0, uintptr(n)}, nil, from)"},
		{"int", "Count() (n int, r Result) // CUDA 12.0", "out, r := d.callOut(driver.Count, 0, 0, 0) return int(int32(out)), r"},
		{"handle", "New(n int) (Stream, Result) // CUDA 12.0", "out, r := d.callOut(driver.New, uintptr(n), 0, 0) return driver.Stream(out), r"},
		{"device", "Of(s Stream) (Device, Result) // CUDA 12.0", "return driver.Device(int32(out)), r"},
		{"float", "Time() (float32, Result) // CUDA 12.0", "return math.Float32frombits(uint32(out)), r"},
		{"truth", "Can() (bool, Result) // CUDA 12.0", "return int32(out) != 0, r"},
		{"pointer", "Host() (unsafe.Pointer, Result) // CUDA 12.0", "return pointer(out), r"},
		{"result behind", "Size(s Stream) (n uint64, r Result) // CUDA 12.0, C(s, n)",
			"f := newFrame() defer f.free() r = d.call(driver.Size, f, uintptr(s), f.outAddress(0)) return f.out[0], r"},
		{"results crossed", "Both(s Stream) (a, b int, r Result) // CUDA 12.0, C(b, s, a)",
			"r = d.call(driver.Both, f, f.outAddress(1), uintptr(s), f.outAddress(0)) return int(int32(f.out[0])), int(int32(f.out[1])), r"},
		{"results without names", "Both() (int, Stream, Result) // CUDA 12.0",
			"r := d.call(driver.Both, f, f.outAddress(0), f.outAddress(1)) return int(int32(f.out[0])), driver.Stream(f.out[1]), r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := generate(folder(t, tt.row))
			require.NoError(t, err)
			got := strings.Join(strings.Fields(string(files["../libcuda/calls_methods.go"])), " ")
			assert.Contains(t, got, tt.want)
		})
	}
}

func TestQualified(t *testing.T) {
	for typ, want := range map[string]string{
		"int": "int", "unsafe.Pointer": "unsafe.Pointer", "Stream": "driver.Stream", "[]Event": "[]driver.Event", "*Box": "*driver.Box",
		"[4]Event": "[4]driver.Event", "func(Stream, int) Result": "func(driver.Stream, int) driver.Result", "map[Event][]Box": "map[driver.Event][]driver.Box",
	} {
		assert.Equal(t, want, qualified(typ))
		assert.Equal(t, typ, unqualified(typ))
	}
	files, err := generate(folder(t, "Add(after []Event, run func(Stream)) ([]Event, Result) // CUDA 12.0, by hand"))
	require.NoError(t, err)
	assert.Contains(t, string(files["drivertest/intercept_methods.go"]), "func (ic interceptor) Add(after []driver.Event, run func(driver.Stream)) (out []driver.Event, r driver.Result) {")
	assert.Contains(t, string(files["drivertest/echo_methods.go"]), "nil, ec.note(\"Add\", after, run != nil)")
}

// TestInContext: marks decide what is wrapped.
func TestInContext(t *testing.T) {
	for mark, wrapped := range map[string]bool{"": true, ", required": true, ", context": false, ", global": false} {
		files, err := generate(folder(t, "EventQuery(s Stream) Result // CUDA 2.0"+mark))
		require.NoError(t, err)
		assert.Equal(t, wrapped, strings.Contains(string(files["incontext_methods.go"]), "EventQuery"), mark)
	}
}

// TestResults: a result is a constant of the package with its name in C, and nothing else of type Result is one.
func TestResults(t *testing.T) {
	read := func(source string) ([]result, error) {
		dir := folder(t, "EventQuery(s Stream) Result // CUDA 2.0")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "result.go"), []byte("package driver\n\n"+source), 0o600))
		table, err := readTable(dir)
		if err != nil {
			return nil, err
		}
		return table.results, nil
	}
	results, err := read("const (\n\tSuccess Result = 0 // CUDA_SUCCESS: success\n\tlimit = 3\n)\n\nvar last Result\n\nfunc worst() {\n\tvar r Result\n\tconst none Result = 9\n\t_, _ = r, none\n}\n")
	require.NoError(t, err)
	assert.Equal(t, []result{{"Success", "CUDA_SUCCESS", "success"}}, results)
	for _, source := range []string{"const Bad Result = 1\n", "const Bad Result = 1 // CUDA_ERROR_BAD\n", "const Bad, Worse Result = 1, 2 // CUDA_ERROR_BAD: it is bad\n"} {
		_, err := read(source)
		require.Error(t, err, source)
		assert.Regexp(t, `result\.go:3:7: Bad: a result stands alone`, err.Error())
	}
}

// TestRefusals: a row that would make wrong code is an error at its place.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ name, row, want string }{
		{"no comment", "Query(s Stream) Result", `the comment behind it begins with "", not with the version`},
		{"no version", "Query(s Stream) Result // required", "not with the version"},
		{"wrong version", "Query(s Stream) Result // CUDA 12.10", "not with the version"},
		{"unknown fact", "Query(s Stream) Result // CUDA 12.0, requierd", `unknown fact "requierd"`},
		{"two marks", "Query(s Stream) Result // CUDA 12.0, context, global", "exclude each other"},
		{"by hand with an order", "Query(s Stream) Result // CUDA 12.0, C(s), by hand", "exclude each other"},
		{"no Result", "Query(s Stream) int // CUDA 12.0", "the last result is not a Result"},
		{"nothing back", "Query(s Stream) // CUDA 12.0", "the last result is not a Result"},
		{"order with a stranger", "Query(s Stream) Result // CUDA 12.0, C(s, t)", `"t" is not a parameter or result`},
		{"order with a parameter twice", "Query(s Stream) Result // CUDA 12.0, C(s, s)", "stands twice"},
		{"order that lacks a parameter", "Query(s Stream, n int) Result // CUDA 12.0, C(s)", "C(…) lacks n"},
		{"order without the result's name", "Query(s Stream) (int, Result) // CUDA 12.0, C(s)", "C(…) lacks a result, which has no name"},
		{"text", "Find(name string) Result // CUDA 12.0", "a string is not passed in one register"},
		{"structure", "Copy(b Box) Result // CUDA 12.0", "a Box is not passed in one register"},
		{"float", "Set(x float32) Result // CUDA 12.0", "a float32 is not passed in one register"},
		{"truth", "Set(x bool) Result // CUDA 12.0", "a bool is not passed in one register"},
		{"slice", "Set(x []Stream) Result // CUDA 12.0", "a []Stream is not passed in one register"},
		{"long result", "Get() ([16]byte, Result) // CUDA 12.0", "a result of type [16]byte does not lie in 8 bytes"},
		{"text back", "Get() (string, Result) // CUDA 12.0", "a result of type string"},
		{"Go memory third", "Get(a, b int, p unsafe.Pointer) Result // CUDA 12.0", "Go memory stands behind the second argument"},
		{"Go memory and a result", "Get(p unsafe.Pointer) (int, Result) // CUDA 12.0", "the addresses of Go memory and of a result"},
		{"seven values", "Set(a, b, c, e, g, h, i int) Result // CUDA 12.0", "too many arguments"},
		{"three results", "Get() (a, b, c int, r Result) // CUDA 12.0", "too many arguments"},
		{"no name", "Set(int) Result // CUDA 12.0", "parameter 0 has no name"},
		{"a receiver's name", "Set(d int) Result // CUDA 12.0", "generated code uses the name d itself"},
		{"the Result's name", "Set(r int) Result // CUDA 12.0", "generated code calls the Result r"},
		{"embedded", "interface{ X() }", "an interface is embedded in Driver"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := generate(folder(t, "Good(s Stream) Result // CUDA 12.0", tt.row))
			var list scanner.ErrorList
			require.ErrorAs(t, err, &list)
			require.Len(t, list, 1)
			assert.Contains(t, list[0].Msg, tt.want)
			assert.Regexp(t, `any\.go:18:2$`, list[0].Pos.String())
		})
	}
	t.Run("no interface", func(t *testing.T) {
		_, err := generate(t.TempDir())
		assert.ErrorContains(t, err, "there is no interface Driver")
	})
	t.Run("nothing is written", func(t *testing.T) {
		dir := folder(t, "Bad(d int) Result")
		require.Error(t, run(dir))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	})
}

// TestNoPaths: a generated file says nothing of the machine that made it.
func TestNoPaths(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	for name, text := range files {
		assert.NotRegexp(t, regexp.MustCompile(`"/|\.\./`), string(text), name)
	}
}
