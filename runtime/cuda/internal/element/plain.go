// Package element takes the Go type of elements and says what they are on a device: whether they are
// plain data, where they have bools and padding, how C++ lays them out, and their format as texels and
// in tensors. It knows no device, no buffer and no error of package cuda: what is wrong with a type is text.
package element

import (
	"fmt"
	"reflect"
	"sync"
)

// plain caches the verdict on each element type: what is wrong with it, or "".
var plain sync.Map // reflect.Type → string

// NotPlain says why values of t do not mean the same bytes on a device, or "": plain data has no Go
// pointers, and has a size.
func NotPlain(t reflect.Type) string {
	if verdict, ok := plain.Load(t); ok {
		return verdict.(string)
	}
	detail := ""
	if err := checkPlain(t); err != nil {
		detail = err.Error()
	} else if t.Size() == 0 {
		detail = fmt.Sprintf("%v has no size: it cannot be the element of a buffer", t)
	}
	plain.Store(t, detail)
	return detail
}

func checkPlain(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		return nil
	case reflect.Array:
		return checkPlain(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if err := checkPlain(field.Type); err != nil {
				return fmt.Errorf("%w, in field %s of %v", err, field.Name, t)
			}
		}
		return nil
	}
	return fmt.Errorf("%v is not plain data: use numbers, bools, and arrays and structs of them", t)
}
