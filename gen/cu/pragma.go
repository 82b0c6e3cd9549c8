package cu

import (
	"strings"
)

// destringized handles _Pragma("…").
func (p *preprocessor) destringized(text *lexeme) {
	if text.kind != tokString {
		p.errorf(text, "_Pragma has no string")
		return
	}
	inner := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.Trim(strings.TrimLeft(text.text, "LuU8"), `"`))
	l := textLexer(inner)
	var list []lexeme
	for t := l.scan(); t.kind != tokEOF; t = l.scan() {
		t.at = text.at
		list = append(list, t)
	}
	p.pragma(text, list)
}

// pragma handles #pragma. Only pack, once, push_macro and pop_macro change what
// declarations mean.
func (p *preprocessor) pragma(hash *lexeme, arguments []lexeme) {
	if len(arguments) == 0 {
		return
	}
	switch arguments[0].text {
	case "once":
		if p.current != nil {
			p.current.once = true
		}
	case "push_macro", "pop_macro":
		if len(arguments) > 2 && arguments[2].kind == tokString {
			p.saveMacro(arguments[0].text == "push_macro", strings.Trim(arguments[2].text, `"`))
		}
	case "pack":
		p.pack(hash, p.expandList(arguments[1:]))
	}
}

// saveMacro handles #pragma push_macro and pop_macro: GCC manual, Push/Pop Macro
// Pragmas.
func (p *preprocessor) saveMacro(push bool, name string) {
	if push {
		p.pushed[name] = append(p.pushed[name], p.macros[name])
		return
	}
	n := len(p.pushed[name])
	if n == 0 {
		return
	}
	if m := p.pushed[name][n-1]; m != nil {
		p.macros[name] = m
	} else {
		delete(p.macros, name)
	}
	p.pushed[name] = p.pushed[name][:n-1]
}

// pack handles #pragma pack(…): GCC manual, Structure-Layout Pragmas.
func (p *preprocessor) pack(hash *lexeme, arguments []lexeme) {
	current := pack{}
	if n := len(p.packs); n > 0 {
		current = p.packs[n-1]
	}
	label, set := "", len(arguments) == 2
	push, pop := false, false
	align := int64(0)
	for i := 1; i < len(arguments)-1; i++ {
		l := &arguments[i]
		switch {
		case l.is("push"):
			push = true
		case l.is("pop"):
			pop = true
		case l.kind == tokNumber:
			v, err := parseNumber(l.text)
			if err != nil || v.bits < 0 || v.bits > 16 || v.bits&(v.bits-1) != 0 {
				p.errorf(l, "#pragma pack of %s is not understood: it is no power of two up to 16", l.text)
				return
			}
			align, set = v.bits, true
		case l.kind == tokIdent:
			label = l.text
			if !push && !pop {
				p.errorf(l, "#pragma pack of %s is not understood: its value is not known (define it with -D)", l.text)
			}
		case !l.is(","):
			p.errorf(l, "#pragma pack: unexpected %s", l.describe())
			return
		}
	}
	switch {
	case push:
		p.packed = append(p.packed, pack{align: current.align, label: label})
	case pop:
		for n := len(p.packed); n > 0; n-- {
			top := p.packed[n-1]
			p.packed = p.packed[:n-1]
			current.align = top.align
			if label == "" || top.label == label {
				break
			}
		}
	}
	if set {
		current.align = align
	}
	current.index = p.emitted.len()
	p.packs = append(p.packs, current)
}
