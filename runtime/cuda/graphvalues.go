package cuda

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// maxValue bounds the text of an argument in a picture, in bytes.
const maxValue = 60

// argumentsOf returns the arguments of p, whose call is c, as text. Their types are those of the
// generated parameter block; a call without one, as a captured launch is, shows bytes.
func argumentsOf(p Prepared, c *Call) []string {
	typed := blockFields(p, c)
	values := make([]string, 0, len(c.kernel.params.all))
	for _, param := range c.kernel.params.all {
		block := blockOf(c)[param.Offset:][:param.Size]
		text, ok := "", false
		if field, has := typed[param.Offset]; has && !param.Owned && field.Type().Size() == uintptr(param.Size) {
			text, ok = textOf(field)
		}
		switch {
		case ok:
		case param.Owned && param.Size == 8:
			text = fmt.Sprintf("%#x", binary.NativeEndian.Uint64(block))
		case param.Size <= 16:
			text = fmt.Sprintf("bytes % x", block)
		default:
			text = fmt.Sprintf("%d bytes", param.Size)
		}
		values = append(values, text)
	}
	return values
}

// blockFields returns the fields of the generated parameter block, by offset: the field of p's
// type that lies where c's parameters are.
func blockFields(p Prepared, c *Call) map[uint32]reflect.Value {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	v = v.Elem()
	for i := range v.NumField() {
		block := v.Field(i)
		if block.Kind() != reflect.Struct || unsafe.Pointer(block.UnsafeAddr()) != c.params || block.Type() == reflect.TypeFor[Call]() {
			continue
		}
		fields := make(map[uint32]reflect.Value)
		for j := range block.NumField() {
			if f := block.Type().Field(j); f.Name != "_" {
				fields[uint32(f.Offset)] = block.Field(j)
			}
		}
		return fields
	}
	return nil
}

// textOf returns the text of a number, or of what consists of few numbers; ok is false for what
// has no short one.
func textOf(v reflect.Value) (text string, ok bool) {
	if addr, pointer := addressIn(v); pointer {
		return fmt.Sprintf("%#x", addr), true
	}
	text = fmt.Sprintf("%+v", v)
	return text, len(text) <= maxValue
}

// addressIn returns the address in a Ptr.
func addressIn(v reflect.Value) (addr uint64, pointer bool) {
	if v.Kind() != reflect.Struct || v.NumField() != 1 || v.Type().Field(0).Name != "addr" {
		return 0, false
	}
	return v.Field(0).Uint(), true
}
