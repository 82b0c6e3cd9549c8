package selection

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Instantiates reports whether directives ask for instances that the source does not instantiate itself and that can
// be left out.
func (s *Selection) Instantiates() bool {
	return slices.ContainsFunc(s.Kernels, func(k *Kernel) bool { return k.Instance != nil && !k.Instance.Explicit })
}

// Instantiations returns C++, valid behind the source, that makes the instances which
// directives ask for and which the source does not instantiate itself. Each line has its
// directive's position.
func (s *Selection) Instantiations() string {
	var b strings.Builder
	made := make(map[string]bool)
	for _, k := range s.All() {
		if k.Instance == nil || k.Instance.Explicit {
			continue
		}
		instantiation := k.Instantiation(overloaded(s.File, k.Kernel))
		if made[instantiation] {
			continue // another directive means the same types
		}
		made[instantiation] = true
		b.WriteString(s.LineDirective(k.Instance.At) + instantiation + "\n")
	}
	return b.String()
}

// LineDirective returns the C++ that gives the next line a position.
func (s *Selection) LineDirective(pos token.Position) string {
	file := pos.Filename
	if relative, inside := s.Place.Inside(file); inside {
		file = relative
	}
	return fmt.Sprintf("#line %d %s\n", pos.Line, cString(filepath.ToSlash(file)))
}

// cString returns text as a string literal of C.
func cString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
