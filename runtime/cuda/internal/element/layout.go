package element

import (
	"fmt"
	"reflect"
	"strings"
	"structs"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A PointerType reports whether t is a type of package cuda that becomes an address, and nothing more than that.
type PointerType func(t reflect.Type) (is, alone bool)

// InC returns the size and the alignment that values of type t have in C++. It is an error if
// t is not plain data, has other widths on other platforms, or if a field lies elsewhere in Go.
func InC(t reflect.Type, pointer PointerType) (size, align uint64, err error) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128: // aligned as cuComplex and thrust::complex are
		return uint64(t.Size()), uint64(t.Size()), nil
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 0, 0, fmt.Errorf("%v has the width of the platform: use int32, int64 or another fixed width", t)
	case reflect.Array:
		size, align, err = InC(t.Elem(), pointer)
		if err == nil && t.Len() == 0 {
			err = fmt.Errorf("%v has no size", t)
		}
		return size * uint64(t.Len()), align, err
	case reflect.Struct:
		return structInC(t, pointer)
	case reflect.Pointer, reflect.UnsafePointer, reflect.Slice:
		return 0, 0, fmt.Errorf("%v is Go memory, which a kernel must not use: use cuda.Slice or cuda.Ptr", t)
	}
	return 0, 0, fmt.Errorf("%v does not exist in C++: use numbers, bools, and arrays and structs of them", t)
}

func structInC(t reflect.Type, pointer PointerType) (size, align uint64, err error) {
	if is, alone := pointer(t); is {
		if !alone {
			return 0, 0, fmt.Errorf("%v has more than an address: use cuda.Ptr inside of structs, arrays and elements, and name its owner", t)
		}
		return 8, 8, nil
	}
	if IsVector(t) {
		return uint64(t.Size()), min(uint64(t.Size()), 16), nil
	}
	align = 1
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[structs.HostLayout]() {
			continue
		}
		fieldSize, fieldAlign, err := InC(f.Type, pointer)
		if err != nil {
			return 0, 0, fmt.Errorf("%w, in field %s of %v", err, f.Name, t)
		}
		size = (size + fieldAlign - 1) / fieldAlign * fieldAlign
		if size != uint64(f.Offset) {
			return 0, 0, fmt.Errorf("field %s of %v is at byte %d, in C++ at %d: add fields of padding", f.Name, t, f.Offset, size)
		}
		size += fieldSize
		align = max(align, fieldAlign)
	}
	size = (size + align - 1) / align * align
	if size != uint64(t.Size()) || size == 0 {
		return 0, 0, fmt.Errorf("%v has %d bytes, in C++ %d: add fields of padding", t, t.Size(), max(size, 1))
	}
	return size, align, nil
}

// VecPath is the import path of package vec.
var VecPath = reflect.TypeFor[vec.Float4]().PkgPath()

// IsVector reports whether t is one of CUDA's vector types with 2 or 4 elements, which are
// aligned to their size, 16 bytes at most.
func IsVector(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.PkgPath() != VecPath || t.NumField() != 2 && t.NumField() != 4 {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Name != "XYZW"[i:i+1] || t.Field(i).Type != t.Field(0).Type {
			return false
		}
	}
	return true
}

// Description describes plain data of type t, without names: float32, [3]int8, {0:float32,8:int64;16}.
func Description(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[vec.Float16]():
		return "float16"
	case reflect.TypeFor[vec.BFloat16]():
		return "bfloat16"
	}
	switch t.Kind() {
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), Description(t.Elem()))
	case reflect.Struct:
		var fields []string
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			fields = append(fields, fmt.Sprintf("%d:%s", f.Offset, Description(f.Type)))
		}
		return fmt.Sprintf("{%s;%d}", strings.Join(fields, ","), t.Size())
	}
	return t.Kind().String()
}
