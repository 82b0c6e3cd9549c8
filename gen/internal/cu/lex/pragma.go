package lex

import (
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// destringized handles _Pragma("…").
func (p *Preprocessor) destringized(text *Token) {
	if text.Kind != String {
		p.errorf(text, diag.Macro, "_Pragma has no string")
		return
	}
	inner := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.Trim(strings.TrimLeft(text.Text, "LuU8"), `"`))
	l := textLexer(inner)
	var list []Token
	for t := l.Scan(); t.Kind != EOF; t = l.Scan() {
		t.At = text.At
		list = append(list, t)
	}
	p.pragma(text, list)
}

// pragma handles #pragma. Only pack, once, redefine_extname, push_macro and pop_macro change what
// declarations mean.
func (p *Preprocessor) pragma(hash *Token, arguments []Token) {
	if len(arguments) == 0 {
		return
	}
	switch arguments[0].Text {
	case "once":
		if p.current != nil {
			p.current.once = true
		}
	case "push_macro", "pop_macro":
		if len(arguments) > 2 && arguments[2].Kind == String {
			p.saveMacro(arguments[0].Text == "push_macro", strings.Trim(arguments[2].Text, `"`), arguments[0].At)
		}
	case "redefine_extname":
		if len(arguments) > 2 {
			if p.Renamed == nil {
				p.Renamed = make(map[string]string)
			}
			p.Renamed[arguments[1].Text] = arguments[2].Text
		}
	case "pack":
		p.pack(hash, p.ExpandList(arguments[1:]))
	case "cudagen":
		p.errorf(&arguments[0], diag.StrayDirective, "#pragma cudagen looks like a directive but is not one: %w", diag.Do("write //cudagen:verb, in a comment"))
	}
}

// saveMacro handles #pragma push_macro and pop_macro: GCC manual, Push/Pop Macro
// Pragmas.
func (p *Preprocessor) saveMacro(push bool, name string, at Place) {
	if push {
		p.pushed[name] = append(p.pushed[name], p.Macros[name])
		return
	}
	n := len(p.pushed[name])
	if n == 0 {
		return
	}
	if m := p.pushed[name][n-1]; m != nil {
		if m != p.Macros[name] { // it is defined again here
			again := *m
			again.At = at
			m, p.Undone[name] = &again, true
		}
		p.Macros[name] = m
	} else {
		delete(p.Macros, name)
	}
	p.pushed[name] = p.pushed[name][:n-1]
}

// pack handles #pragma pack(…): GCC manual, Structure-Layout Pragmas.
func (p *Preprocessor) pack(hash *Token, arguments []Token) {
	current := Pack{}
	if n := len(p.Packs); n > 0 {
		current = p.Packs[n-1]
	}
	label, set := "", len(arguments) == 2
	push, pop := false, false
	align := int64(0)
	for i := 1; i < len(arguments)-1; i++ {
		l := &arguments[i]
		switch {
		case l.Is("push"):
			push = true
		case l.Is("pop"):
			pop = true
		case l.Kind == Number:
			n, err := ReadInteger(l.Text)
			if err != nil || n.Value > 16 || n.Value&(n.Value-1) != 0 {
				p.errorf(l, diag.Macro, "#pragma pack of %s is not understood: it is not a power of two up to 16", l.Text)
				return
			}
			align, set = int64(n.Value), true
		case l.Kind == Ident:
			label = l.Text
			if !push && !pop {
				p.errorf(l, diag.Macro, "#pragma pack of %s is not understood: its value is not known (%w)", l.Text, diag.Do("define it with -D"))
			}
		case !l.Is(","):
			p.errorf(l, diag.Macro, "#pragma pack: unexpected %s", l.Describe())
			return
		}
	}
	switch {
	case push:
		p.packed = append(p.packed, Pack{Align: current.Align, label: label})
	case pop:
		for n := len(p.packed); n > 0; n-- {
			top := p.packed[n-1]
			p.packed = p.packed[:n-1]
			current.Align = top.Align
			if label == "" || top.label == label {
				break
			}
		}
	}
	if set {
		current.Align = align
	}
	current.Index = p.emitted.len()
	p.Packs = append(p.Packs, current)
}
