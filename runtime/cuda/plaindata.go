package cuda

import (
	"fmt"
	"reflect"
	"sync"
)

// plain caches the verdict on each element type: nil or an error.
var plain sync.Map // reflect.Type → error

// plainData returns an error unless T means the same bytes on a device: a type
// without Go pointers and not of size 0.
func plainData[T any]() error {
	t := reflect.TypeFor[T]()
	if verdict, ok := plain.Load(t); ok {
		err, _ := verdict.(error)
		return err
	}
	err := checkPlain(t)
	if err == nil && t.Size() == 0 {
		err = fmt.Errorf("cuda: %v has no size: it cannot be the element of a buffer", t)
	}
	plain.Store(t, err)
	return err
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
	return fmt.Errorf("cuda: %v is not plain data: use numbers, bools, and arrays and structs of them", t)
}
