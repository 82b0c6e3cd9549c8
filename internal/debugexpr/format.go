package debugexpr

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// shown is how many elements of an array Format shows.
const shown = 8

// Format returns v as text: numbers, names of enumerators, the first elements of arrays and the members of classes. What cannot be read is
// shown as the reason in angle brackets.
func (c *Context) Format(v Value) string { return c.format(v, 0) }

func (c *Context) format(v Value, depth int) string {
	t := v.Type.Bare()
	switch {
	case depth > 4:
		return "{…}"
	case t.Kind == ptxdebug.Array:
		var parts []string
		for i := range min(t.Len, shown) {
			elem, err := Element(v, i)
			if err != nil {
				return "<" + err.Error() + ">"
			}
			parts = append(parts, c.format(elem, depth+1))
		}
		if t.Len > shown {
			parts = append(parts, "…")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case isShortFloat(t):
		n, err := c.shortFloat(v)
		if err != nil {
			return "<" + err.Error() + ">"
		}
		return strconv.FormatFloat(n.f, 'g', -1, 32)
	case t.Kind == ptxdebug.Class:
		var parts []string
		for i, f := range t.Fields {
			text := ""
			if field, err := c.Field(v, i); err != nil {
				text = "<" + err.Error() + ">"
			} else {
				text = c.format(field, depth+1)
			}
			if f.Name != "" {
				text = f.Name + " = " + text
			}
			parts = append(parts, text)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	v, err := c.Fetch(v)
	if err != nil {
		return "<" + err.Error() + ">"
	}
	text := formatScalar(t, v)
	switch {
	case !c.unwritten(v, t.Size):
		return text
	case depth > 0:
		return "?"
	}
	return text + ", as memory is that nothing was written to"
}

// unwritten reports whether a value in memory looks as if nothing was written there. One byte says too little.
func (c *Context) unwritten(v Value, size int64) bool {
	return c.Unwritten != 0 && v.Place != nil && size >= 2 && size <= 8 && int64(len(v.Bytes)) == size && v.Bits() == c.Unwritten&(1<<(8*size)-1)
}

// formatScalar returns the text of a value that has no parts.
func formatScalar(t *ptxdebug.Type, v Value) string {
	if t.Size > 8 || int64(len(v.Bytes)) < t.Size || t.Size == 0 {
		return fmt.Sprintf("%#x", v.Bytes)
	}
	bits := v.Bits()
	switch t.Kind {
	case ptxdebug.Bool:
		return strconv.FormatBool(bits != 0)
	case ptxdebug.Char:
		if bits >= 0x20 && bits < 0x7f {
			return fmt.Sprintf("%d '%c'", int8(bits), byte(bits))
		}
	case ptxdebug.Pointer, ptxdebug.Reference:
		return fmt.Sprintf("%#x", bits)
	case ptxdebug.Float:
		switch t.Size {
		case 4:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
		case 8:
			return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
		}
		return fmt.Sprintf("%#x", bits)
	case ptxdebug.Unknown, ptxdebug.Void:
		return fmt.Sprintf("%#x", bits)
	}
	n, err := numberOf(t, bits)
	if err != nil {
		return fmt.Sprintf("%#x", bits)
	}
	value := n.text()
	if t.Kind == ptxdebug.Enum && t.Size == 8 && int64(n.bits) < 0 { // nvcc does not tell -1 from the largest number
		value = fmt.Sprintf("%#x", n.bits)
	}
	for _, e := range t.Values {
		if e.Value == int64(n.bits) {
			return fmt.Sprintf("%s (%s)", e.Name, value)
		}
	}
	return value
}

// text returns an integer as text.
func (n number) text() string {
	if n.isSigned() {
		return strconv.FormatInt(int64(n.bits), 10)
	}
	return strconv.FormatUint(n.bits, 10)
}

// Parts is how many parts v has: elements, or members. Others have none; what a pointer points to is one.
func Parts(v Value) int64 {
	switch t := v.Type.Bare(); t.Kind {
	case ptxdebug.Array:
		return t.Len
	case ptxdebug.Class:
		return int64(len(t.Fields))
	case ptxdebug.Pointer:
		if t.Elem.Bare().Size > 0 {
			return 1
		}
	}
	return 0
}

// Part returns a part of v and its name, which is empty for an unnamed member.
func (c *Context) Part(v Value, n int64) (string, Value, error) {
	switch t := v.Type.Bare(); t.Kind {
	case ptxdebug.Array:
		elem, err := Element(v, n)
		return fmt.Sprintf("[%d]", n), elem, err
	case ptxdebug.Class:
		field, err := c.Field(v, int(n))
		return t.Fields[n].Name, field, err
	}
	p, err := c.number(v)
	if err != nil {
		return "*", v, err
	}
	to, err := c.pointed(p, 0)
	return "*", to, err
}
