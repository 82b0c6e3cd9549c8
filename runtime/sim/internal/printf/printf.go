// Package printf formats as printf in a kernel does. It knows the C formats, and no kernel: the
// caller hands over arguments and strings.
package printf

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
)

// Format formats as the device's printf does: format is a C format, and next returns the next
// argument, of 4 or 8 bytes. text returns the string at an address, of at most limit bytes unless limit is
// negative. count is the number of arguments.
//
// CUDA C++ Programming Guide, Formatted Output.
func Format(format string, next func(size int) (uint64, error), text func(addr uint64, limit int) (string, error)) (out string, count int, err error) {
	var b strings.Builder
	argument := func(size int) (v uint64) {
		if err == nil {
			v, err = next(size)
			count++
		}
		return v
	}
	for err == nil {
		literal, rest, found := strings.Cut(format, "%")
		b.WriteString(literal)
		if !found {
			break
		}
		c, after, ok := parseConversion(rest, argument)
		format = after
		switch {
		case !ok: // it is printed as it stands
			b.WriteByte('%')
			format = rest
		case c.verb == '%':
			b.WriteByte('%')
		case c.verb == 's':
			addr := argument(8)
			if err != nil {
				break
			}
			s := "(null)"
			if addr != 0 {
				s, err = text(addr, c.precision)
			}
			b.WriteString(c.pad(s))
		default:
			b.WriteString(c.number(argument(c.size())))
		}
	}
	return b.String(), count, err
}

// A conversion is one of a C format: %[flags][width][.precision][length]verb.
type conversion struct {
	flags     string
	width     int
	precision int // -1 when there is none
	length    string
	verb      byte
}

// parseConversion parses what follows a %.
func parseConversion(s string, argument func(size int) uint64) (c conversion, rest string, ok bool) {
	rest = strings.TrimLeft(s, "-+ #0")
	c.flags = s[:len(s)-len(rest)]
	if c.width, rest = count10(rest, argument); c.width < 0 {
		c.flags, c.width = c.flags+"-", -c.width
	}
	c.precision = -1
	if after, dot := strings.CutPrefix(rest, "."); dot {
		c.precision, rest = count10(after, argument)
	}
	verb := strings.TrimLeft(rest, "hljzt")
	c.length = rest[:len(rest)-len(verb)]
	if verb == "" || !strings.ContainsRune("%csdiuoxXpeEfFgGaA", rune(verb[0])) {
		return c, rest, false
	}
	c.verb = verb[0]
	return c, verb[1:], true
}

// maxCount bounds widths and precisions.
const maxCount = 1 << 12

// count10 parses a decimal number, which may be missing, or * for an argument.
func count10(s string, argument func(size int) uint64) (n int, rest string) {
	if after, star := strings.CutPrefix(s, "*"); star {
		return max(-maxCount, min(maxCount, int(int32(argument(4))))), after
	}
	for s != "" && '0' <= s[0] && s[0] <= '9' {
		n = min(maxCount, 10*n+int(s[0]-'0'))
		s = s[1:]
	}
	return n, s
}

// size returns the bytes of the argument.
func (c conversion) size() int {
	switch {
	case strings.IndexByte("peEfFgGaA", c.verb) >= 0, strings.Contains(c.length, "ll"), strings.ContainsAny(c.length, "jzt"):
		return 8
	case c.length == "l" && c.verb != 'c' && runtime.GOOS != "windows": // long of the host's compiler
		return 8
	}
	return 4
}

// pad brings s to the width.
func (c conversion) pad(s string) string {
	spaces := strings.Repeat(" ", max(0, c.width-len(s)))
	if strings.Contains(c.flags, "-") {
		return s + spaces
	}
	return spaces + s
}

// number formats the argument v.
func (c conversion) number(v uint64) string {
	switch c.verb {
	case 'c':
		return c.pad(string([]byte{byte(v)}))
	case 'p':
		if v == 0 {
			return c.pad("(nil)")
		}
		return c.pad(fmt.Sprintf("%#x", v))
	case 'd', 'i':
		if c.size() == 4 {
			v = uint64(int64(int32(v)))
		}
		switch c.length {
		case "h":
			v = uint64(int64(int16(v)))
		case "hh":
			v = uint64(int64(int8(v)))
		}
		digits, sign := strconv.FormatUint(v, 10), c.sign(false)
		if int64(v) < 0 {
			digits, sign = strconv.FormatUint(-v, 10), "-"
		}
		return c.integer(sign, digits)
	case 'u', 'o', 'x', 'X':
		switch c.length {
		case "h":
			v = uint64(uint16(v))
		case "hh":
			v = uint64(uint8(v))
		}
		return c.unsigned(v)
	}
	return c.float(math.Float64frombits(v))
}

// sign is the sign in front of a number.
func (c conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.Contains(c.flags, "+"):
		return "+"
	case strings.Contains(c.flags, " "):
		return " "
	}
	return ""
}

func (c conversion) unsigned(v uint64) string {
	alternative := strings.Contains(c.flags, "#") && v != 0
	switch c.verb {
	case 'o':
		digits := strconv.FormatUint(v, 8)
		if alternative {
			digits = "0" + digits // which counts as one of the precision
		} else if strings.Contains(c.flags, "#") && c.precision == 0 {
			c.precision = 1
		}
		return c.integer("", digits)
	case 'x', 'X':
		digits, prefix := strconv.FormatUint(v, 16), ""
		if alternative {
			prefix = "0x"
		}
		if c.verb == 'X' {
			digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
		}
		return c.integer(prefix, digits)
	}
	return c.integer("", strconv.FormatUint(v, 10))
}

// integer puts digits, with what stands before them, into the width. The precision is the
// least number of digits.
func (c conversion) integer(prefix, digits string) string {
	if c.precision == 0 && digits == "0" {
		digits = ""
	}
	digits = strings.Repeat("0", max(0, c.precision-len(digits))) + digits
	if c.precision < 0 {
		return c.zeros(prefix, digits)
	}
	return c.pad(prefix + digits)
}

// zeros pads with zeros behind the prefix if the flags say so.
func (c conversion) zeros(prefix, digits string) string {
	if strings.Contains(c.flags, "0") && !strings.Contains(c.flags, "-") {
		digits = strings.Repeat("0", max(0, c.width-len(prefix)-len(digits))) + digits
	}
	return c.pad(prefix + digits)
}

func (c conversion) float(v float64) string {
	sign := c.sign(math.Signbit(v))
	upper := c.verb < 'a'
	var digits string
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		digits = "inf"
		if math.IsNaN(v) {
			digits = "nan"
		}
		if upper {
			digits = strings.ToUpper(digits)
		}
		return c.pad(sign + digits)
	case c.verb == 'a' || c.verb == 'A':
		sign += "0x"
		digits = hexFloat(math.Abs(v), c.precision)
		if strings.Contains(c.flags, "#") && !strings.Contains(digits, ".") {
			digits = strings.Replace(digits, "p", ".p", 1)
		}
	default:
		precision := c.precision
		if precision < 0 {
			precision = 6
		}
		format := "%." + strconv.Itoa(precision) + string(rune(c.verb|0x20))
		if strings.Contains(c.flags, "#") {
			format = "%#" + format[1:]
		}
		digits = fmt.Sprintf(format, math.Abs(v))
	}
	if upper {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return c.zeros(sign, digits)
}

// hexFloat is %a of v without 0x: Go writes at least two digits of the exponent, C one.
func hexFloat(v float64, precision int) string {
	digits := strings.TrimPrefix(strconv.FormatFloat(v, 'x', precision, 64), "0x")
	mantissa, exponent, _ := strings.Cut(digits, "p")
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sp%+d", mantissa, n)
}
