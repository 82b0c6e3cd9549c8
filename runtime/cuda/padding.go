package cuda

import (
	"reflect"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// elements tells a simulated device which bytes of the elements at addr mean nothing, so that no check
// asks for their values.
func (d *Device) elements(addr driver.DevicePtr, t reflect.Type) {
	if d.sim == nil || addr == 0 {
		return
	}
	padding := make([]bool, t.Size())
	for i := range padding {
		padding[i] = true
	}
	mean(padding, t)
	d.sim.Elements(addr, padding)
}

// mean clears padding where t has values: everywhere but between and behind fields, and in fields
// without a name.
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
