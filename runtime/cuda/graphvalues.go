package cuda

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// maxValue bounds the text of an argument in a picture, in bytes.
const maxValue = 60

// argumentsOf returns the arguments of c as text. Their types are those of the parameter block; a call
// without one, as a captured launch is, shows bytes.
func argumentsOf(c *Call) []string {
	typed := blockFields(c)
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

// blockFields returns the fields of the parameter block, by offset.
func blockFields(c *Call) map[uint32]reflect.Value {
	if c.block == nil {
		return nil
	}
	block := reflect.NewAt(reflect.TypeOf(c.block).Elem(), c.params).Elem()
	fields := make(map[uint32]reflect.Value)
	for i := range block.NumField() {
		if f := block.Type().Field(i); f.Name != "_" {
			fields[uint32(f.Offset)] = block.Field(i)
		}
	}
	return fields
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
