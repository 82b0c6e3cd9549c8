package templates

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// cTypes are the C types of Go's, with <stdint.h> and <stdbool.h>.
var cTypes = map[string]string{
	"int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
	"uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "byte": "uint8_t",
	"float32": "float", "float64": "double", "bool": "bool",
}

// cDeclaration returns the declaration in C of a member called name that has the bytes of t, and
// at most its alignment. Types of package cuda and of other packages are bytes.
func cDeclaration(t model.GoType, name string) (string, error) {
	switch t.Kind {
	case model.Basic:
		if c := cTypes[t.Name]; c != "" {
			return c + " " + name, nil
		}
	case model.Local:
		return t.Name + " " + name, nil
	case model.Pointer:
		return "uint64_t " + name, nil
	case model.Array:
		if t.Elem != nil && t.Len > 0 {
			return cDeclaration(*t.Elem, name+"["+strconv.FormatInt(t.Len, 10)+"]")
		}
	}
	if t.Size <= 0 {
		return "", diag.BadTemplate.Errorf("%s has no size, so that C cannot have it", t)
	}
	return bytesOf(t.Size, name), nil
}

func bytesOf(size int64, name string) string {
	return fmt.Sprintf("unsigned char %s[%d]", name, size)
}

// A cMember is a member of a struct in C.
type cMember struct {
	Name, Declaration string
	Offset            int64
	Padding           bool
}

// cMembers returns the members of s in C, with padding wherever C++ has some.
func cMembers(s model.Struct) ([]cMember, error) {
	if s.Union {
		return []cMember{{Name: "data", Declaration: bytesOf(s.Size, "data")}}, nil
	}
	var members []cMember
	names := make(map[string]bool)
	end := int64(0)
	pad := func(to int64) {
		if to > end {
			name := cName("padding_"+strconv.FormatInt(end, 10), names)
			members = append(members, cMember{Name: name, Declaration: bytesOf(to-end, name), Offset: end, Padding: true})
		}
	}
	for _, f := range s.Fields {
		if f.Size == 0 {
			continue
		}
		pad(f.Offset)
		name := f.CName
		if name == "" {
			name = "member_" + strconv.FormatInt(f.Offset, 10)
		}
		name = cName(name, names)
		declaration := bytesOf(f.Size, name)
		if !f.Accessed && len(f.Bits) == 0 {
			var err error
			if declaration, err = cDeclaration(f.Type, name); err != nil {
				return nil, diag.BadTemplate.Errorf("%s.%s: %w", s.CName, name, err)
			}
		}
		members = append(members, cMember{Name: name, Declaration: declaration, Offset: f.Offset})
		end = f.Offset + f.Size
	}
	pad(s.Size)
	return members, nil
}

// cName returns a name that C takes and that is not in taken, to which it is added.
func cName(name string, taken map[string]bool) string {
	if name == "restrict" {
		name += "_" // a name in C++
	}
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// cNumber returns an integer constant of C with a value in decimal.
func cNumber(value string) (string, error) {
	if value == "true" || value == "false" {
		return value, nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		switch {
		case n == math.MinInt64:
			return "(-INT64_C(9223372036854775807) - 1)", nil
		case n > math.MaxInt32 || n < -math.MaxInt32:
			return "INT64_C(" + value + ")", nil
		case n < 0:
			return "(" + value + ")", nil
		}
		return value, nil
	}
	if _, err := strconv.ParseUint(value, 10, 64); err != nil {
		return "", diag.BadTemplate.Errorf("%s is not an integer", value)
	}
	return "UINT64_C(" + value + ")", nil
}
