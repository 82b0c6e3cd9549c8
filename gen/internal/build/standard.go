package build

import (
	"cmp"
	"regexp"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// classParameter matches what compilers say of a template parameter of a class type before C++20: nvcc and NVRTC, and clang.
var classParameter = regexp.MustCompile(`nontype template parameter may not have class type|non-type template parameter cannot have type .* before C\+\+20`)

// since20 matches standards that have template parameters of class types.
var since20 = regexp.MustCompile(`\+\+2\w$`)

// hintStandard adds to the errors of list that only an old standard causes which one to give.
func (u *unit) hintStandard(list diag.List) {
	given := compile.ViewOf(u.options.CompilerFlags, "", "").Std
	if since20.MatchString(cmp.Or(given, u.options.Source.Std)) {
		return
	}
	remedy := diag.Do("give -std c++20")
	for _, e := range list {
		if classParameter.MatchString(e.Text) && e.Remedy.IsZero() {
			e.Add(diag.Message{Text: ": template arguments of class types are C++20: " + remedy.Error(), Remedy: remedy})
		}
	}
}
