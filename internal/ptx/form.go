package ptx

import "strings"

// A form is an instruction with its modifiers, as isaTable has it: "add|sub.rn|rz?.ftz?.f32"
// is add or sub with one of .rn and .rz, or neither, then .ftz or not, then .f32.
type form []formPart

// A formPart is one place in a form: the instruction, or one for a modifier.
type formPart struct {
	alternatives []string
	optional     bool
}

func parseForm(text string) form {
	var f form
	for part := range strings.SplitSeq(text, ".") {
		names, optional := strings.CutSuffix(part, "?")
		f = append(f, formPart{strings.Split(names, "|"), optional})
	}
	return f
}

// matches reports whether words, an instruction and its modifiers, are of the form.
func (f form) matches(words []string) bool {
	if len(f) == 0 {
		return len(words) == 0
	}
	if len(words) > 0 {
		for _, name := range f[0].alternatives {
			if name == words[0] && f[1:].matches(words[1:]) {
				return true
			}
		}
	}
	return f[0].optional && f[1:].matches(words)
}
