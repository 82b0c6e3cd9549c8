package element

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Texel is what the elements of an array or a texture are made of.
type Texel struct {
	Format   driver.ArrayFormat
	Channels int
}

// texels caches the format of each element type.
var texels sync.Map // reflect.Type → Texel

// TexelOf returns the format of t as the element of an array: one, two or four numbers of one type, as
// Float4, [2]uint16 or float32. Other types have the zero Texel.
func TexelOf(t reflect.Type) Texel {
	known, ok := texels.Load(t)
	if !ok {
		known, _ = texels.LoadOrStore(t, findTexel(t))
	}
	return known.(Texel)
}

func findTexel(t reflect.Type) Texel {
	channels, of := 1, t
	switch t.Kind() {
	case reflect.Struct:
		channels = t.NumField()
		if channels == 0 {
			return Texel{}
		}
		of = t.Field(0).Type
		for field := range t.Fields() {
			if field.Type != of {
				return Texel{}
			}
		}
	case reflect.Array:
		channels, of = t.Len(), t.Elem()
	}
	if channels != 1 && channels != 2 && channels != 4 {
		return Texel{}
	}
	if of == reflect.TypeFor[vec.Float16]() {
		return Texel{driver.FormatFloat16, channels}
	}
	if of == reflect.TypeFor[vec.BFloat16]() {
		return Texel{}
	}
	formats := map[reflect.Kind]driver.ArrayFormat{
		reflect.Uint8: driver.FormatUint8, reflect.Uint16: driver.FormatUint16, reflect.Uint32: driver.FormatUint32,
		reflect.Int8: driver.FormatInt8, reflect.Int16: driver.FormatInt16, reflect.Int32: driver.FormatInt32, reflect.Float32: driver.FormatFloat32,
	}
	if format, ok := formats[of.Kind()]; ok {
		return Texel{format, channels}
	}
	return Texel{}
}

// Bytes returns the size of an element.
func (f Texel) Bytes() uint64 { return uint64(f.Format.Bytes() * f.Channels) }

// IsFloat reports whether elements are floating-point numbers.
func (f Texel) IsFloat() bool {
	return f.Format == driver.FormatFloat16 || f.Format == driver.FormatFloat32
}

// IsNarrow reports whether elements are integers that a texture can return as numbers up to 1.
func (f Texel) IsNarrow() bool { return !f.IsFloat() && f.Format.Bytes() < 4 }

// String returns the format as errors name it: 4 × uint8.
func (f Texel) String() string {
	names := map[driver.ArrayFormat]string{
		driver.FormatUint8: "uint8", driver.FormatUint16: "uint16", driver.FormatUint32: "uint32", driver.FormatInt8: "int8", driver.FormatInt16: "int16",
		driver.FormatInt32: "int32", driver.FormatFloat16: "Float16", driver.FormatFloat32: "float32",
	}
	return fmt.Sprintf("%d × %s", f.Channels, names[f.Format])
}
