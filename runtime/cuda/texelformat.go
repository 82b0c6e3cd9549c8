package cuda

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A texelFormat is what the elements of an array or a texture are made of.
type texelFormat struct {
	format   driver.ArrayFormat
	channels int
}

// texelFormats caches the format of each element type: the zero texelFormat of those that have none.
var texelFormats sync.Map // reflect.Type → texelFormat

// formatOf returns the format of T as the element of an array: one, two or four numbers of one
// type, as Float4, [2]uint16 or float32. Other types are an error of op on d, which may be nil.
func formatOf[T any](op string, d *Device) (texelFormat, error) {
	t := reflect.TypeFor[T]()
	known, ok := texelFormats.Load(t)
	if !ok {
		f, suits := texelFormatOf(t)
		if !suits {
			f = texelFormat{}
		}
		known, _ = texelFormats.LoadOrStore(t, f)
	}
	f := known.(texelFormat)
	if f.channels == 0 {
		e := &Error{Op: op, Detail: fmt.Sprintf("%v cannot be an element of an array or texture: use one, two or four numbers of one type with 8, 16 or 32 bits, such as vec.Float4, vec.UChar4 or float32", t), Err: ErrInvalidValue}
		if d != nil {
			e.Device, e.Driver = d.String(), d.driverVersion()
		}
		return f, e
	}
	return f, nil
}

func texelFormatOf(t reflect.Type) (texelFormat, bool) {
	channels, of := 1, t
	switch t.Kind() {
	case reflect.Struct:
		channels = t.NumField()
		if channels == 0 {
			return texelFormat{}, false
		}
		of = t.Field(0).Type
		for field := range t.Fields() {
			if field.Type != of {
				return texelFormat{}, false
			}
		}
	case reflect.Array:
		channels, of = t.Len(), t.Elem()
	}
	if channels != 1 && channels != 2 && channels != 4 {
		return texelFormat{}, false
	}
	if of == reflect.TypeFor[vec.Float16]() {
		return texelFormat{driver.FormatFloat16, channels}, true
	}
	if of == reflect.TypeFor[vec.BFloat16]() {
		return texelFormat{}, false
	}
	formats := map[reflect.Kind]driver.ArrayFormat{
		reflect.Uint8: driver.FormatUint8, reflect.Uint16: driver.FormatUint16, reflect.Uint32: driver.FormatUint32,
		reflect.Int8: driver.FormatInt8, reflect.Int16: driver.FormatInt16, reflect.Int32: driver.FormatInt32, reflect.Float32: driver.FormatFloat32,
	}
	format, ok := formats[of.Kind()]
	return texelFormat{format, channels}, ok
}

// bytes returns the size of an element.
func (f texelFormat) bytes() uint64 { return uint64(f.format.Bytes() * f.channels) }

// isFloat reports whether elements are floating-point numbers.
func (f texelFormat) isFloat() bool {
	return f.format == driver.FormatFloat16 || f.format == driver.FormatFloat32
}

// narrow reports whether elements are integers that a texture can return as numbers up to 1.
func (f texelFormat) narrow() bool { return !f.isFloat() && f.format.Bytes() < 4 }

// String returns the format as errors name it: 4 × uint8.
func (f texelFormat) String() string {
	names := map[driver.ArrayFormat]string{
		driver.FormatUint8: "uint8", driver.FormatUint16: "uint16", driver.FormatUint32: "uint32", driver.FormatInt8: "int8", driver.FormatInt16: "int16",
		driver.FormatInt32: "int32", driver.FormatFloat16: "Float16", driver.FormatFloat32: "float32",
	}
	return fmt.Sprintf("%d × %s", f.channels, names[f.format])
}
