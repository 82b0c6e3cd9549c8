package drivertest

import (
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Echo is a Driver that notes which method was called with what. It returns the same
// values from every method, numbers that differ and are not zero, and ErrorAssert.
type Echo struct {
	Called string
	Args   []any
}

func (ec *Echo) note(method string, args ...any) driver.Result {
	ec.Called, ec.Args = method, args
	return driver.ErrorAssert
}

// said is what Echo returns the address of.
var said byte

// Arguments returns arguments for method that differ from each other.
func Arguments(method reflect.Value) []reflect.Value {
	args := Zeros(method)
	for i := range args {
		v := reflect.New(args[i].Type()).Elem()
		set(v, i+1)
		args[i] = v
	}
	return args
}

// set gives v a value that n decides.
func set(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(n))
	case reflect.Float32:
		v.SetFloat(float64(n))
	case reflect.String:
		v.SetString("name")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	case reflect.Array:
		for i := range v.Len() {
			set(v.Index(i), 10*n+i)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			set(v.Field(i), 10*n+i)
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new(byte)))
	default:
		panic("no value for a " + v.Type().String())
	}
}

// Zeros returns arguments for method, all of them zero.
func Zeros(method reflect.Value) []reflect.Value {
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		args = append(args, reflect.Zero(method.Type().In(i)))
	}
	return args
}
