package gen

import (
	"fmt"
	"go/token"
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
	if len(u.file.Environment) == 0 {
		return ""
	}
	constants := u.usedConstants()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		value := u.file.Constants[name]
		number := strconv.FormatInt(value, 10) + "LL"
		if value == math.MinInt64 {
			number = fmt.Sprintf("%dLL - 1", value+1)
		}
		b.WriteString(u.lineDirective(constants[name]))
		fmt.Fprintf(&b, "static_assert((long long)(%[1]s) == %[2]s, \"%[1]s is %[3]d by the source, which cudagen reads with another %[4]s: do not let it depend on that\");\n",
			name, number, value, u.file.Environment[0].Macro)
	}
	return b.String()
}

// usedConstants returns the qualified names of the constants that directives use or export,
// and for messages where.
func (u *unit) usedConstants() map[string]token.Position {
	used := make(map[string]token.Position)
	for _, k := range slices.Concat(u.kernels, u.unclear) {
		for _, name := range k.spec.Constants {
			if qualified, ok := u.file.ConstantName(k.Namespace, name); ok {
				used[qualified] = k.Pos
			}
		}
	}
	for _, d := range fileDirectives(u.file) {
		if d.Verb != "export" || d.Pos.Filename != u.file.Name {
			continue
		}
		text, _ := textBelow(d, u.source)
		if qualified, ok := constantIn(u.file, text); ok {
			used[qualified] = d.Pos
		}
	}
	return used
}
