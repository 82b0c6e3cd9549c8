package compile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An includeReport makes a compiler report the files that it has read: its arguments make the
// compiler write to a temporary folder.
type includeReport struct {
	args func(temp string) []string
	// names returns the names of the files; none when nothing was written.
	names func(temp string) ([]string, error)
}

// makeRules has the compiler write a rule for make. gcc and clang do that while they
// compile, but nvcc preprocesses the source once more for it.
var makeRules = includeReport{
	args: func(temp string) []string { return []string{"-MD", "-MF", filepath.Join(temp, "out.d")} },
	names: func(temp string) ([]string, error) {
		rules, err := os.ReadFile(filepath.Join(temp, "out.d"))
		return prerequisites(string(rules)), err
	},
}

// lineMarkers has nvcc keep the preprocessed source of the device pass, which names each
// file where it begins. Host compilers other than gcc and clang do not tell a file that
// begins from a #line of the source: then there are no names.
//
// NVIDIA CUDA Compiler Driver NVCC, --keep.
var lineMarkers = includeReport{
	args: func(temp string) []string { return []string{"-keep", "-keep-dir", temp} },
	names: func(temp string) ([]string, error) {
		kept, err := filepath.Glob(filepath.Join(temp, "*.cpp1.ii"))
		if err != nil || len(kept) == 0 {
			return nil, err
		}
		preprocessed, err := os.ReadFile(kept[0])
		return begun(preprocessed), err
	},
}

// included returns the files, other than the unit itself, what cudagen has put into temp,
// and what has no file, that names are: absolute, sorted, each once.
func (u *unit) included(names []string, temp string) []string {
	source := filepath.Join(u.dir, u.name)
	if filepath.IsAbs(u.name) {
		source = u.name
	}
	var files []string
	for _, name := range names {
		name = u.absolute(name)
		if name != "" && name != source && !strings.HasPrefix(name, temp+string(filepath.Separator)) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// begun returns the names of the files that begin in preprocessed source: of its lines that
// are `# 1 "name" 1`, perhaps with more flags.
//
// GNU CPP, Preprocessor Output: flag 1 is the start of a new file.
func begun(preprocessed []byte) []string {
	var names []string
	for line := range bytes.Lines(preprocessed) {
		marker, ok := bytes.CutPrefix(line, []byte("# 1 "))
		if !ok {
			continue
		}
		name, ok := markedFile(marker)
		flags := marker[bytes.LastIndexByte(marker, '"')+1:]
		if ok && slices.Contains(strings.Fields(string(flags)), "1") {
			names = append(names, name)
		}
	}
	return names
}

// prerequisites returns the names behind the first colon of a rule for make, where
// blanks and # are escaped by a backslash, a $ by another, and lines are continued.
//
// GNU make, Rule Syntax.
func prerequisites(rule string) []string {
	rule = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(rule)
	_, list, _ := strings.Cut(rule, ": ")
	list, _, _ = strings.Cut(list, "\n")
	var names []string
	var name strings.Builder
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ' ' || list[i] == '\t' || list[i] == '\r':
			if name.Len() > 0 {
				names = append(names, name.String())
				name.Reset()
			}
		case i+1 < len(list) && (list[i] == '\\' && strings.IndexByte(" #\\", list[i+1]) >= 0 || list[i] == '$' && list[i+1] == '$'):
			i++
			name.WriteByte(list[i])
		default:
			name.WriteByte(list[i])
		}
	}
	return names
}
