package directive

import "strings"

// translate replaces what is C++ and not Go in source, sizeof(…) and qualified names, by Go
// names of the same length, so that positions stay. foreign has the C++, by the offset of
// the name that stands for it.
func translate(source string) (translated string, foreign map[int]string) {
	out := []byte(source)
	foreign = make(map[int]string)
	for i := 0; i < len(source); {
		end := i + 1
		switch {
		case letter(source[i]):
			end = qualified(source, i)
			if strings.TrimSpace(source[i:end]) == "sizeof" {
				end = group(source, end)
			}
			if text := source[i:end]; !plain(text) {
				foreign[i] = text
			}
		case strings.HasPrefix(source[i:], "::") && i+2 < len(source) && letter(source[i+2]):
			end = qualified(source, i+2)
			foreign[i] = source[i:end]
		case digit(source[i]):
			for end < len(source) && (letter(source[end]) || digit(source[end])) {
				end++
			}
		}
		if _, ok := foreign[i]; ok {
			copy(out[i:end], "X"+strings.Repeat("_", end-i-1))
		}
		i = end
	}
	return string(out), foreign
}

// qualified returns where the name that begins at i ends: ns::N.
func qualified(source string, i int) int {
	for {
		for i < len(source) && (letter(source[i]) || digit(source[i])) {
			i++
		}
		if !strings.HasPrefix(source[i:], "::") || i+2 >= len(source) || !letter(source[i+2]) {
			return i
		}
		i += 2
	}
}

// group returns where the parentheses end that begin at i, behind blanks, or i.
func group(source string, i int) int {
	begin := i
	for i < len(source) && (source[i] == ' ' || source[i] == '\t') {
		i++
	}
	depth := 0
	for ; i < len(source); i++ {
		switch source[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if source[i] == ')' {
				return i + 1
			}
			return begin
		}
	}
	return begin
}

// plain reports whether text is a name of letters and digits.
func plain(text string) bool {
	for i := range len(text) {
		if !letter(text[i]) && !digit(text[i]) {
			return false
		}
	}
	return true
}

func letter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
