package directive

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
)

// translate replaces what is C++ and not Go in source, sizeof(…) and qualified names, by Go
// names of the same length, so that positions stay. foreign has the C++, by the offset of
// the name that stands for it.
func translate(source string) (translated string, foreign map[int]string) {
	out := []byte(source)
	foreign = cu.ExpressionNames(source)
	for i, text := range foreign {
		if !strings.ContainsAny(text, ":(") {
			delete(foreign, i)
			continue
		}
		copy(out[i:], "X"+strings.Repeat("_", len(text)-1))
	}
	return string(out), foreign
}
