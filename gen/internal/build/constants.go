package build

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// assertions returns C++, valid behind the source, that does not compile where the constants
// that Go gets, or calculates with, have other values than cudagen has read. It is empty
// unless macros that compilers have otherwise decide what the source says.
func (u *unit) assertions() string {
	if len(u.sel.File.Environment) == 0 {
		return ""
	}
	constants := u.sel.UsedConstants()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		value := u.sel.File.Constants[name]
		number := strconv.FormatInt(value, 10) + "LL"
		if value == math.MinInt64 {
			number = fmt.Sprintf("%dLL - 1", value+1)
		}
		b.WriteString(u.sel.LineDirective(constants[name]))
		fmt.Fprintf(&b, "static_assert((long long)(%[1]s) == %[2]s, \"%[1]s is %[3]d by the source, which cudagen reads with another %[4]s: do not let it depend on that\");\n",
			name, number, value, u.sel.File.Environment[0].Macro)
	}
	return b.String()
}
