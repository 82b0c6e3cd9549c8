package debugexpr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// Eval evaluates e. An error says which part of it has no value, and why. Of an array or a class in memory it returns the place.
func (c *Context) Eval(e *Expr) (Value, error) {
	v, err := c.locate(e)
	if err != nil {
		return v, err
	}
	if kind := v.Type.Bare().Kind; kind == ptxdebug.Array || kind == ptxdebug.Class {
		return v, nil
	}
	return c.Fetch(v)
}

// locate evaluates e, and reads no more memory than it takes to know where the value lies.
func (c *Context) locate(e *Expr) (Value, error) {
	switch e.op {
	case "name":
		v, err := c.Lookup(e.text)
		if err == nil && v.Type.Bare().Kind == ptxdebug.Reference {
			if v, err = c.Fetch(v); err == nil {
				v = c.referenced(v)
			}
		}
		return v, err
	case "number":
		return literal(e.text)
	case "value":
		return *e.value, nil
	case "unary":
		return c.unary(e)
	case "binary":
		return c.binary(e)
	case "index":
		return c.index(e)
	case "member", "arrow":
		return c.member(e)
	case "cast":
		v, err := c.locate(e.args[0])
		if err != nil {
			return v, err
		}
		n, err := c.number(v)
		if err != nil {
			return v, err
		}
		return n.as(e.t)
	}
	return Value{}, fmt.Errorf("there is no expression %q", e.op)
}

// Holds evaluates a condition.
func (c *Context) Holds(e *Expr) (bool, error) {
	v, err := c.locate(e)
	if err != nil {
		return false, err
	}
	n, err := c.number(v)
	return n.t != nil && n.isTrue(), err
}

// literal returns the value of a number in C++.
func literal(text string) (Value, error) {
	lower := strings.ToLower(text)
	digits := strings.TrimRight(lower, "ul")
	if n, err := strconv.ParseUint(digits, 0, 64); err == nil {
		suffix := lower[len(digits):]
		t := intType
		switch unsigned, long := strings.Contains(suffix, "u"), strings.Contains(suffix, "l"); {
		case unsigned && (long || n > math.MaxUint32) || n > math.MaxInt64:
			t = ulongType
		case unsigned, n > math.MaxInt32 && n <= math.MaxUint32 && strings.HasPrefix(digits, "0x") && !long:
			t = uintType
		case long || n > math.MaxInt32:
			t = longType
		}
		return Word(t, n), nil
	}
	digits, isFloat := strings.CutSuffix(lower, "f")
	f, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || strings.ContainsAny(digits, "xpin_"):
		return Value{}, fmt.Errorf("%s is no number", text)
	case isFloat:
		return number{floatType, 0, f}.value(), nil
	}
	return number{doubleType, 0, f}.value(), nil
}

// as returns n converted to a type.
func (n number) as(t *ptxdebug.Type) (Value, error) {
	if t.Kind == ptxdebug.Float {
		return number{t, 0, n.float()}.value(), nil
	}
	bits := n.bits
	if n.isFloat() {
		switch {
		case math.IsNaN(n.f):
			bits = 0
		case n.f < 0:
			bits = uint64(int64(n.f))
		default:
			bits = uint64(n.f)
		}
	}
	if t.Kind == ptxdebug.Bool && n.isTrue() {
		bits = 1
	}
	return Word(t, bits), nil
}

func (c *Context) unary(e *Expr) (Value, error) {
	v, err := c.locate(e.args[0])
	if err != nil {
		return v, err
	}
	if e.text == "&" {
		if v.Place == nil {
			return v, fmt.Errorf("%s has no address: it is not in memory", e.args[0])
		}
		return Word(&ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8, Elem: v.Type}, c.generic(v.Place)), nil
	}
	n, err := c.number(v)
	if err != nil {
		return v, err
	}
	switch e.text {
	case "*":
		return c.pointed(n, 0)
	case "!":
		return truth(!n.isTrue()), nil
	case "+":
		return n.value(), nil
	case "-":
		n.f, n.bits = -n.f, -n.bits
	case "~":
		if n.isFloat() || n.t.Kind == ptxdebug.Pointer {
			return v, fmt.Errorf("~ of a value of type %s", n.t)
		}
		n.bits = ^n.bits
	}
	return n.wrapped().value(), nil
}

// truth returns a bool.
func truth(is bool) Value {
	if is {
		return Word(boolType, 1)
	}
	return Word(boolType, 0)
}

// wrapped returns n with as many bits as its type has, extended.
func (n number) wrapped() number {
	switch {
	case n.isFloat() && n.t.Size == 4:
		n.f = float64(float32(n.f))
	case n.t == intType:
		n.bits = uint64(int64(int32(n.bits)))
	case n.t == uintType:
		n.bits = uint64(uint32(n.bits))
	}
	return n
}

// pointed returns the element by index that a pointer points to.
func (c *Context) pointed(n number, index int64) (Value, error) {
	if n.t.Kind != ptxdebug.Pointer {
		return Value{}, fmt.Errorf("a value of type %s is no pointer", n.t)
	}
	elem := n.t.Elem
	if size := elem.Bare().Size; size == 0 {
		return Value{}, fmt.Errorf("what a %s points to has no size: cast it, as in *(int *)p", n.t)
	}
	return Value{Type: elem, Place: &Place{"generic", n.bits + uint64(index*elem.Bare().Size)}}, nil
}

func (c *Context) index(e *Expr) (Value, error) {
	v, err := c.locate(e.args[0])
	if err != nil {
		return v, err
	}
	at, err := c.locate(e.args[1])
	if err != nil {
		return v, err
	}
	index, err := c.number(at)
	if err != nil {
		return v, err
	}
	if index.isFloat() || index.t.Kind == ptxdebug.Pointer {
		return v, fmt.Errorf("the index %s is no integer", e.args[1])
	}
	if v.Type.Bare().Kind == ptxdebug.Array {
		return Element(v, int64(index.bits))
	}
	n, err := c.number(v)
	if err != nil {
		return v, err
	}
	return c.pointed(n, int64(index.bits))
}

// Element returns an element of an array.
func Element(v Value, index int64) (Value, error) {
	t := v.Type.Bare()
	size := t.Elem.Bare().Size
	if index < 0 || t.Len > 0 && index >= t.Len {
		return Value{}, fmt.Errorf("index %d is out of bounds: the array has %d elements", index, t.Len)
	}
	return part(v, t.Elem, index*size)
}

// part returns what lies in v at an offset.
func part(v Value, t *ptxdebug.Type, offset int64) (Value, error) {
	p := Value{Type: t}
	if v.Place != nil {
		p.Place = &Place{v.Place.Space, v.Place.Address + uint64(offset)}
	}
	if v.Bytes != nil {
		end := offset + t.Bare().Size
		if offset < 0 || end > int64(len(v.Bytes)) || end < offset {
			return p, fmt.Errorf("a value of type %s ends before a part of it", v.Type)
		}
		p.Bytes = v.Bytes[offset:end]
	}
	return p, nil
}

func (c *Context) member(e *Expr) (Value, error) {
	v, err := c.locate(e.args[0])
	if err != nil {
		return v, err
	}
	if e.op == "arrow" {
		n, err := c.number(v)
		if err != nil {
			return v, err
		}
		if v, err = c.pointed(n, 0); err != nil {
			return v, err
		}
	}
	found := paths(v.Type, e.text)
	switch {
	case len(found) == 0:
		return v, fmt.Errorf("a value of type %s has no member %s", v.Type, e.text)
	case len(found) > 1:
		return v, fmt.Errorf("a value of type %s has several members %s: name the base class, too", v.Type, e.text)
	}
	for _, n := range found[0] {
		if v, err = c.Field(v, n); err != nil {
			return v, err
		}
	}
	return v, nil
}

// paths returns the ways to the members of a class that have a name, as numbers of members: its own and those of unnamed members, or else those of
// base classes. outer are the classes around t.
//
// C++, Member name lookup; Anonymous unions.
func paths(t *ptxdebug.Type, name string, outer ...*ptxdebug.Type) (found [][]int) {
	t = t.Bare()
	if slices.Contains(outer, t) { // the debug information is damaged
		return nil
	}
	outer = append(slices.Clip(outer), t)
	in := func(n int) {
		for _, path := range paths(t.Fields[n].Type, name, outer...) {
			found = append(found, append([]int{n}, path...))
		}
	}
	for n, f := range t.Fields {
		switch {
		case f.Name == name:
			found = append(found, []int{n})
		case f.Name == "":
			in(n)
		}
	}
	if len(found) > 0 {
		return found
	}
	for n, f := range t.Fields {
		if f.Base {
			in(n)
		}
	}
	return found
}

// Field returns a member of a class, by its number. A bit-field is a value of its own.
func (c *Context) Field(v Value, n int) (Value, error) {
	f := v.Type.Bare().Fields[n]
	p, err := part(v, f.Type, f.Offset)
	if err != nil || f.Bits == 0 {
		return p, err
	}
	if p, err = c.Fetch(p); err != nil {
		return p, err
	}
	shift := 64 - uint(f.Bits)
	bits := p.Bits() >> f.Shift << shift
	if f.Type.IsSigned() {
		bits = uint64(int64(bits) >> shift)
	} else {
		bits >>= shift
	}
	return Word(f.Type, bits), nil
}

func (c *Context) binary(e *Expr) (Value, error) {
	left, leftArray, err := c.operand(e.args[0])
	if err != nil {
		return Value{}, err
	}
	if e.text == "&&" && !left.isTrue() || e.text == "||" && left.isTrue() {
		return truth(e.text == "||"), nil
	}
	right, rightArray, err := c.operand(e.args[1])
	if err != nil {
		return Value{}, err
	}
	switch e.text {
	case "&&", "||":
		return truth(right.isTrue()), nil
	case "==", "!=", "<", ">", "<=", ">=":
		if err := compared(e, left, leftArray, right, rightArray); err != nil {
			return Value{}, err
		}
		return truth(compare(e.text, left, right)), nil
	}
	if left.t.Kind == ptxdebug.Pointer || right.t.Kind == ptxdebug.Pointer {
		return pointerArithmetic(e.text, left, right)
	}
	n, err := arithmetic(e.text, left, right)
	return n.value(), err
}

// operand evaluates an operand. array is its type if that is an array, whose address is the number, else nil.
func (c *Context) operand(e *Expr) (n number, array *ptxdebug.Type, err error) {
	v, err := c.locate(e)
	if err != nil {
		return n, nil, err
	}
	if v.Type.Bare().Kind == ptxdebug.Array {
		array = v.Type
	}
	n, err = c.number(v)
	return n, array, err
}

// compared returns an error for operands of which a comparison says nothing: an array with a number or another array, and a pointer with
// a floating-point number. A pointer may be compared with an integer, as an address.
func compared(e *Expr, left number, leftArray *ptxdebug.Type, right number, rightArray *ptxdebug.Type) error {
	array, of, other := leftArray, e.args[0], right
	if array == nil {
		array, of, other = rightArray, e.args[1], left
	}
	switch {
	case array != nil && (other.t.Kind != ptxdebug.Pointer || leftArray != nil && rightArray != nil):
		return fmt.Errorf("%s is an array, of type %s: compare one of its elements", of, array)
	case left.t.Kind == ptxdebug.Pointer && right.isFloat() || left.isFloat() && right.t.Kind == ptxdebug.Pointer:
		return fmt.Errorf("%s of values of types %s and %s", e.text, left.t, right.t)
	}
	return nil
}

// common returns the type of an operation on two numbers.
//
// C++, Usual arithmetic conversions.
func common(a, b number) *ptxdebug.Type {
	for _, t := range []*ptxdebug.Type{doubleType, floatType, ulongType, longType, uintType} {
		if a.t == t || b.t == t {
			return t
		}
	}
	return intType
}

func compare(op string, a, b number) bool {
	t := ulongType
	if a.t.Kind != ptxdebug.Pointer && b.t.Kind != ptxdebug.Pointer {
		t = common(a, b)
	}
	var less, equal bool
	switch t.Kind {
	case ptxdebug.Float:
		x, y := a.floatAs(t), b.floatAs(t)
		less, equal = x < y, x == y
		if x != x || y != y {
			return op == "!="
		}
	case ptxdebug.Signed:
		less, equal = int64(a.bits) < int64(b.bits), a.bits == b.bits
	default:
		a.t, b.t = t, t
		x, y := a.wrapped().bits, b.wrapped().bits
		less, equal = x < y, x == y
	}
	switch op {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return less
	case "<=":
		return less || equal
	case ">":
		return !less && !equal
	}
	return !less
}

// pointerArithmetic computes with addresses.
func pointerArithmetic(op string, a, b number) (Value, error) {
	wrong := fmt.Errorf("%s of values of types %s and %s", op, a.t, b.t)
	if op == "+" && b.t.Kind == ptxdebug.Pointer {
		a, b = b, a
	}
	if a.t.Kind != ptxdebug.Pointer || b.isFloat() {
		return Value{}, wrong
	}
	size := max(a.t.Elem.Bare().Size, 1)
	switch {
	case op == "-" && b.t.Kind == ptxdebug.Pointer:
		return Word(longType, uint64(int64(a.bits-b.bits)/size)), nil
	case b.t.Kind == ptxdebug.Pointer:
		return Value{}, wrong
	case op == "+":
		return Word(a.t, a.bits+b.bits*uint64(size)), nil
	case op == "-":
		return Word(a.t, a.bits-b.bits*uint64(size)), nil
	}
	return Value{}, wrong
}

func arithmetic(op string, a, b number) (n number, err error) {
	n.t = common(a, b)
	if op == "<<" || op == ">>" {
		n.t = a.t
	}
	if a.isFloat() || b.isFloat() {
		x, y := a.floatAs(n.t), b.floatAs(n.t)
		switch op {
		case "+":
			n.f = x + y
		case "-":
			n.f = x - y
		case "*":
			n.f = x * y
		case "/":
			n.f = x / y
		default:
			return n, fmt.Errorf("%s of values of types %s and %s", op, a.t, b.t)
		}
		return n.wrapped(), nil
	}
	a.t, b.t = n.t, n.t
	x, y := a.wrapped().bits, b.wrapped().bits
	switch op {
	case "+":
		n.bits = x + y
	case "-":
		n.bits = x - y
	case "*":
		n.bits = x * y
	case "/", "%":
		if y == 0 {
			return n, fmt.Errorf("division by zero")
		}
		n.bits = quotient(op, x, y, n.isSigned())
	case "&":
		n.bits = x & y
	case "|":
		n.bits = x | y
	case "^":
		n.bits = x ^ y
	case "<<":
		n.bits = x << (y & uint64(8*n.t.Size-1))
	case ">>":
		if y &= uint64(8*n.t.Size - 1); n.isSigned() {
			n.bits = uint64(int64(x) >> y)
		} else {
			n.bits = x >> y
		}
	}
	return n.wrapped(), nil
}

func quotient(op string, x, y uint64, signed bool) uint64 {
	switch {
	case signed && op == "/" && int64(y) == -1:
		return -x
	case signed && op == "/":
		return uint64(int64(x) / int64(y))
	case signed && int64(y) == -1:
		return 0
	case signed:
		return uint64(int64(x) % int64(y))
	case op == "/":
		return x / y
	}
	return x % y
}

// String returns the expression with parentheses around operators.
func (e *Expr) String() string {
	switch e.op {
	case "unary":
		return e.text + e.args[0].String()
	case "binary":
		return "(" + e.args[0].String() + " " + e.text + " " + e.args[1].String() + ")"
	case "index":
		return e.args[0].String() + "[" + e.args[1].String() + "]"
	case "member":
		return e.args[0].String() + "." + e.text
	case "arrow":
		return e.args[0].String() + "->" + e.text
	case "cast":
		return "(" + e.t.String() + ")" + e.args[0].String()
	}
	return e.text
}
