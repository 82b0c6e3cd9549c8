package cu

import "go/token"

// A macro is what #define says.
type macro struct {
	pos      token.Position // of the name
	function bool           // it has parameters
	body     []lexeme       // for one with parameters, these included
	unstable string         // why its body is not what every use means: "defined under a condition"
	hides    *string        // result of macros.declaration, nil before
}

// macros holds the macros of a file by name.
type macros map[string]*macro

// at returns the macro that l uses, nil when it uses none.
func (ms macros) at(l *lexeme) *macro {
	if l.kind != tokIdent {
		return nil
	}
	if m := ms[l.text]; m != nil && m.pos.Offset < l.pos.Offset {
		return m
	}
	return nil
}

// hidden returns what makes the macro that l uses stand for a kernel, or for what
// encloses declarations: a word of its expansion. It returns "" when nothing does, and
// when l is no macro.
func (ms macros) hidden(l *lexeme) string {
	if m := ms.at(l); m != nil {
		return ms.declaration(m, 0)
	}
	return ""
}

// declaration returns the first word in the expansion of m that begins or ends a
// declaration. Macros that are nested too deeply are taken for such a word.
func (ms macros) declaration(m *macro, depth int) string {
	const deepest = 16
	if m.hides != nil {
		return *m.hides
	}
	word := ""
	m.hides = &word // also for a macro that names itself
	var open brackets
	for i := range m.body {
		l := &m.body[i]
		open.count(l)
		switch {
		case l.is("__global__"), l.is("namespace"), open.braces < 0:
			word = l.text
		case l.is("extern") && i+1 < len(m.body) && m.body[i+1].kind == tokString:
			word = l.text
		case l.kind == tokIdent && ms[l.text] != nil:
			if depth == deepest {
				word = l.text
			} else {
				word = ms.declaration(ms[l.text], depth+1)
			}
		}
		if word != "" {
			return word
		}
	}
	if open.braces > 0 {
		word = "{"
	}
	return word
}

// declares reports whether a use of m is one or more whole declarations.
func (m *macro) declares() bool {
	n := len(m.body)
	return m.function && n > 0 && (m.body[n-1].is("}") || m.body[n-1].is(";"))
}

// onlySpecifiers reports whether m stands for nothing but specifiers of functions that
// do not change what a declaration declares, or for nothing at all.
func (m *macro) onlySpecifiers() bool {
	if m.function || m.unstable != "" {
		return false
	}
	for i := range m.body {
		if !functionSpecifiers[m.body[i].text] {
			return false
		}
	}
	return true
}
