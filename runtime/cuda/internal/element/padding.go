package element

import "reflect"

// Padding returns which bytes of a value of type t mean nothing: those between and behind fields, and
// fields without a name.
func Padding(t reflect.Type) []bool {
	padding := make([]bool, t.Size())
	for i := range padding {
		padding[i] = true
	}
	mean(padding, t)
	return padding
}

// mean clears padding where t has values.
func mean(padding []bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for field := range t.Fields() {
			if field.Name != "_" {
				mean(padding[field.Offset:], field.Type)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			mean(padding[uintptr(i)*t.Elem().Size():], t.Elem())
		}
	default:
		clear(padding[:t.Size()])
	}
}
