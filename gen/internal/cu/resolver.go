package cu

// A resolver says what names, types, template arguments and constant expressions mean in one scope of a
// unit: C++ standard, [basic.lookup], [dcl.type], [temp.arg].
type resolver struct {
	*unit
	scope *scope
}

// in returns what says what names mean in s.
func (u *unit) in(s *scope) resolver { return resolver{u, s} }
