package printf

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// formatted is printf with arguments of 4 or 8 bytes: int32, uint32, int64, float64, string.
func formatted(format string, args ...any) (string, int, error) {
	strings := map[uint64]string{}
	return Format(format, func(size int) (uint64, error) {
		if len(args) == 0 {
			return 0, errors.New("too few arguments")
		}
		arg := args[0]
		args = args[1:]
		switch v := arg.(type) {
		case int32:
			return uint64(uint32(v)), sized(size, 4)
		case uint32:
			return uint64(v), sized(size, 4)
		case int64:
			return uint64(v), sized(size, 8)
		case float64:
			return math.Float64bits(v), sized(size, 8)
		case string:
			addr := uint64(len(strings) + 1)
			strings[addr] = v
			return addr, sized(size, 8)
		}
		return 0, sized(size, 8)
	}, func(addr uint64, limit int) (string, error) {
		s := strings[addr]
		if limit >= 0 && limit < len(s) {
			s = s[:limit]
		}
		return s, nil
	})
}

func sized(got, want int) error {
	if got != want {
		return fmt.Errorf("an argument of %d bytes is read as %d", want, got)
	}
	return nil
}

// conversions are what the C library is asked about.
func conversions() (formats []string, args []any) {
	add := func(arg any, verbs ...string) {
		for _, verb := range verbs {
			for _, flags := range []string{"", "-", "+", " ", "0", "#", "-0", "+0", "#0", "+-", "# 0"} {
				for _, width := range []string{"", "1", "9", "14"} {
					for _, precision := range []string{"", ".", ".0", ".1", ".3", ".7"} {
						if strings.Contains("csp", verb) && (strings.Trim(flags, "-") != "" || precision != "" && verb != "s") {
							continue // C does not define it
						}
						if strings.Contains("aA", verb) && (precision == "." || precision == ".0") {
							continue // 2p-4 and 1p-3 are both right
						}
						if strings.Contains("diu", verb[len(verb)-1:]) && strings.Contains(flags, "#") {
							continue
						}
						formats, args = append(formats, "%"+flags+width+precision+verb), append(args, arg)
					}
				}
			}
		}
	}
	for _, v := range []int32{0, 1, -1, 42, math.MaxInt32, math.MinInt32} {
		add(v, "d", "i", "u", "x", "X", "o", "hd", "hhd", "hu", "hhx")
	}
	for _, v := range []int64{0, -1, math.MaxInt64, math.MinInt64, 1 << 33} {
		add(v, "lld", "llu", "llx", "zu")
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -2.5, 0.1, 1e-5, 123456, 1234567, 99999.95, 1e100, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), 100, 0.5} {
		add(v, "f", "F", "e", "E", "g", "G")
	}
	for _, v := range []float64{0, 1, -0.1, 1e300, math.Inf(-1)} { // subnormal numbers have several forms
		add(v, "a", "A")
	}
	add("kernel", "s")
	add("", "s")
	add(int32('x'), "c")
	return formats, args
}

// TestPrintfIsC asks the C library.
func TestPrintfIsC(t *testing.T) {
	testenv.Need(t, testenv.CC)
	formats, args := conversions()
	var source strings.Builder
	source.WriteString("#include <stdio.h>\nstatic const struct { char kind; const char *format; long long n; double f; const char *s; } rows[] = {\n")
	for i, format := range formats {
		switch v := args[i].(type) {
		case int32:
			fmt.Fprintf(&source, "{'i', \"[%s]\\n\", %d},\n", format, v)
		case int64:
			fmt.Fprintf(&source, "{'l', \"[%s]\\n\", (long long)%dULL},\n", format, uint64(v))
		case float64:
			literal := fmt.Sprintf("%x", v)
			if math.IsInf(v, 0) {
				literal = fmt.Sprintf("%d*__builtin_inf()", int(math.Copysign(1, v)))
			}
			fmt.Fprintf(&source, "{'f', \"[%s]\\n\", 0, %s},\n", format, literal)
		case string:
			fmt.Fprintf(&source, "{'s', \"[%s]\\n\", 0, 0, %q},\n", format, v)
		}
	}
	source.WriteString(`};
int main(void) {
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) switch (rows[i].kind) {
	case 'i': printf(rows[i].format, (int)rows[i].n); break;
	case 'l': printf(rows[i].format, rows[i].n); break;
	case 'f': printf(rows[i].format, rows[i].f); break;
	case 's': printf(rows[i].format, rows[i].s); break;
	}
`)
	source.WriteString("return 0; }\n")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.c"), []byte(source.String()), 0o600))
	out, err := exec.Command(testenv.CCPath(t), "-w", "-o", filepath.Join(dir, "p"), filepath.Join(dir, "p.c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(filepath.Join(dir, "p")).Output()
	require.NoError(t, err)
	wanted := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, wanted, len(formats))
	require.Greater(t, len(formats), 10_000)
	for i, format := range formats {
		got, count, err := formatted(format, args[i])
		require.NoError(t, err, format)
		assert.Equal(t, 1, count)
		if !assert.Equal(t, wanted[i], "["+got+"]", "%s of %v", format, args[i]) {
			break
		}
	}
}

func TestPrintf(t *testing.T) {
	for _, test := range []struct {
		format string
		args   []any
		want   string
		count  int
	}{
		{"plain\n", nil, "plain\n", 0},
		{"", nil, "", 0},
		{"100%% of %d", []any{int32(3)}, "100% of 3", 1},
		{"%d %s %f|", []any{int32(-1), "abc", 0.5}, "-1 abc 0.500000|", 3},
		{"%*d|%-*d|%.*f", []any{int32(5), int32(1), int32(4), int32(2), int32(2), 3.14159}, "    1|2   |3.14", 6},
		{"%*d|", []any{int32(-4), int32(1)}, "1   |", 2},
		{"%y %d", []any{int32(1)}, "%y 1", 1}, // not a conversion
		{"50%", nil, "50%", 0},
		{"%p %p", []any{int64(0x7000), int64(0)}, "0x7000 (nil)", 2},
		{"%s", []any{nil}, "(null)", 1},
		{"%.2s|%5.1s|%-4s|", []any{"kernel", "kernel", "ab"}, "ke|    k|ab  |", 3},
		{"%f", []any{math.NaN()}, "nan", 1},
		{"%99999999999d", []any{int32(1)}, strings.Repeat(" ", maxCount-1) + "1", 1},
	} {
		got, count, err := formatted(test.format, test.args...)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.count, count, test.format)
	}
	_, _, err := formatted("%d %d", int32(1))
	assert.ErrorContains(t, err, "too few")
	_, _, err = formatted("%d", 1.5)
	assert.Error(t, err, "the control: sizes are looked at")
}
