package directive

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// Data reads data directives that belong to one thing: key=value, separated by blanks. A value
// with blanks is a Go string. The result is nil without directives; the errors are sorted.
func Data(list []cu.Directive) (map[string]string, diag.List) {
	var errs diag.List
	if len(list) == 0 {
		return nil, nil
	}
	data := make(map[string]string)
	for _, d := range list {
		if d.Args == "" {
			errs.Add(d.Pos, diag.TemplateData.New("data wants key=value, found nothing"))
		}
		for rest := d.Args; rest != ""; {
			offset := len(d.Args) - len(rest)
			key, value, length, problem := pair(rest)
			_, twice := data[key]
			switch {
			case problem.Text != "":
				errs.Add(at(d.ArgsPos, offset), problem.Before("data: "))
				length = len(rest)
			case twice:
				errs.Add(at(d.ArgsPos, offset), diag.TemplateData.Errorf("data: %s is given twice", key))
			default:
				data[key] = value
			}
			rest = strings.TrimLeft(rest[length:], " \t")
		}
	}
	return data, errs.Sorted()
}

// pair reads the key=value that text begins with, and how long it is.
func pair(text string) (key, value string, length int, problem diag.Message) {
	key, rest, assigned := strings.Cut(text, "=")
	if !assigned || !isKey(key) {
		word, _, _ := strings.Cut(text, " ")
		return "", "", 0, diag.TemplateData.Errorf("%s is not key=value (a key has letters, digits, and . - _ between them; there is no blank beside the equals sign)", word)
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil && !strings.HasPrefix(rest, "'") {
		value, err = strconv.Unquote(quoted)
		after := rest[len(quoted):]
		if err == nil && (after == "" || after[0] == ' ' || after[0] == '\t') {
			return key, value, len(key) + 1 + len(quoted), problem
		}
	}
	value = rest
	if end := strings.IndexAny(rest, " \t"); end >= 0 {
		value = rest[:end]
	}
	switch {
	case value == "":
		return "", "", 0, diag.TemplateData.Errorf("%s= has no value: %w", key, diag.Do("write %s=\"\" for an empty one", key))
	case strings.ContainsAny(value, "\"`"):
		return "", "", 0, diag.TemplateData.Errorf("%s=%s: quotes go around a whole value, as in Go: %s=\"two words\"", key, value, key)
	}
	return key, value, len(key) + 1 + len(value), problem
}

// isKey reports whether s names data: letters and digits, and one of . - _ between them.
func isKey(s string) bool {
	between := true // a letter has to follow
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), r == '_' && i == 0:
			between = false
		case unicode.IsDigit(r) && i > 0:
			between = false
		case strings.ContainsRune("._-", r) && !between:
			between = r != '_'
		default:
			return false
		}
	}
	return !between
}

// data reads one data directive of a kernel.
func (r *reader) data(d cu.Directive) {
	r.spec.Data = r.join(r.spec.Data, d)
}

// join adds what d says to data.
func (r *reader) join(data map[string]string, d cu.Directive) map[string]string {
	added, errs := Data([]cu.Directive{d})
	for _, e := range errs {
		r.errs.Add(e.Pos, e.About(r.Name))
	}
	if data == nil {
		return added
	}
	for key, value := range added {
		if _, twice := data[key]; twice {
			r.errorf(d.ArgsPos, diag.TemplateData, "data: %s is given twice", key)
		}
		data[key] = value
	}
	return data
}

// OfData returns the data directives in list.
func OfData(list []cu.Directive) []cu.Directive {
	return slices.DeleteFunc(slices.Clone(list), func(d cu.Directive) bool { return d.Verb != "data" })
}
