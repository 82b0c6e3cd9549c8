package templates

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// A printer is what the functions of one execution share.
type printer struct {
	file  *model.File
	pkg   string            // name of the Go package
	tags  string            // build constraint
	other bool              // the Go package is not that of the kernels
	names map[string]string // of imports, and their paths
	blank []string          // paths of imports without a name
}

func newPrinter(f *model.File) *printer {
	return &printer{file: f, pkg: f.Package, tags: f.Tags, names: make(map[string]string)}
}

const (
	module      = "github.com/cudagen/cudagen"
	runtimePath = module + "/runtime/cuda"
)

// standardImports are the imports of the standard Go file.
var standardImports = map[string]string{
	"embed": "embed", "math": "math", "structs": "structs", "unsafe": "unsafe",
	runtimePath: "cuda", model.VecPath: "vec", module + "/runtime/nvrtc": "nvrtc",
}

// functions are those that templates have besides text/template's own.
func (p *printer) functions() template.FuncMap {
	return template.FuncMap{
		"import": p.importPath,
		"importBlank": func(path string) (string, error) {
			p.blank = append(p.blank, path)
			return "", checkPath(path)
		},
		"cuda":       func() (string, error) { return p.importPath(runtimePath) },
		"type":       p.goType,
		"local":      p.local,
		"data":       data,
		"exported":   func(s string) string { return first(s, unicode.ToUpper) },
		"unexported": func(s string) string { return first(s, unicode.ToLower) },
		"lower":      strings.ToLower,
		"upper":      strings.ToUpper,
		"join":       func(separator string, list []string) string { return strings.Join(list, separator) },
		"replace":    func(old, with, s string) string { return strings.ReplaceAll(s, old, with) },
		"trim":       strings.TrimSpace,
		"quote":      strconv.Quote,
		"comment":    comment,
		"add":        func(a, b any) (int64, error) { return calculate(a, b, func(a, b int64) int64 { return a + b }) },
		"sub":        func(a, b any) (int64, error) { return calculate(a, b, func(a, b int64) int64 { return a - b }) },
		"vector":     vectorOf,
		"unused":     unused,
		"json":       asJSON,
		"dims":       dims,
		"cdecl":      cDeclaration,
		"cnumber":    cNumber,
		"cmembers":   cMembers,
		"fail":       func(message string) (string, error) { return "", diag.BadTemplate.New(message) },
	}
}

// versionElement matches the end of an import path that is not the package's name.
var versionElement = regexp.MustCompile(`^v[0-9]+$`)

// importPath notes that Go code needs the package at path, and returns the name that it has there.
func (p *printer) importPath(importPath string) (string, error) {
	if err := checkPath(importPath); err != nil {
		return "", err
	}
	if importPath == p.file.ImportPath && !p.other {
		return "", diag.BadTemplate.Errorf("%s is the package that the template writes: %w", importPath, diag.Do("use its names as they are, or write another package with {{define \"package\"}}"))
	}
	for name, known := range p.names {
		if known == importPath {
			return name, nil
		}
	}
	elements := strings.Split(importPath, "/")
	base := elements[len(elements)-1]
	if versionElement.MatchString(base) && len(elements) > 1 {
		base = elements[len(elements)-2]
	}
	base, _, _ = strings.Cut(base, ".")
	base = strings.TrimPrefix(base, "go-")
	base = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, base)
	if !token.IsIdentifier(base) {
		base = "pkg_" + base
	}
	name := base
	for n := 2; p.names[name] != "" || importPath == p.file.ImportPath && name == p.pkg; n++ {
		name = base + strconv.Itoa(n)
	}
	if p.names == nil {
		p.names = make(map[string]string)
	}
	p.names[name] = importPath
	return name, nil
}

// checkPath reports what cannot be an import path.
func checkPath(importPath string) error {
	if importPath == "" || strings.ContainsAny(importPath, " \t\"`\\\n") || path.Clean(importPath) != importPath || path.IsAbs(importPath) {
		return diag.BadTemplate.Errorf("%q is not an import path", importPath)
	}
	return nil
}

// list returns the imports, sorted by their paths.
func (p *printer) list() (imports []model.Import) {
	for name, path := range p.names {
		imports = append(imports, model.Import{Name: name, Path: path})
	}
	for _, path := range p.blank {
		if !slices.Contains(imports, model.Import{Name: "_", Path: path}) {
			imports = append(imports, model.Import{Name: "_", Path: path})
		}
	}
	slices.SortFunc(imports, func(x, y model.Import) int { return cmp.Compare(x.Path, y.Path) })
	return imports
}

// importBlock returns the imports of which file uses the names: the standard library's first.
func (p *printer) importBlock(file *ast.File) string {
	used := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	var groups [2][]string
	for _, i := range p.list() {
		if i.Name != "_" && !used[i.Name] {
			continue
		}
		// Only of the standard library and of cudagen it is known that the package has the
		// name that its path ends with.
		spec, group := strconv.Quote(i.Path), 0
		first, _, _ := strings.Cut(i.Path, "/")
		if strings.Contains(first, ".") {
			group = 1
		}
		if i.Name != path.Base(i.Path) || group == 1 && !strings.HasPrefix(i.Path, module+"/") {
			spec = i.Name + " " + spec
		}
		groups[group] = append(groups[group], spec)
	}
	switch len(groups[0]) + len(groups[1]) {
	case 0:
		return ""
	case 1:
		return "import " + strings.Join(append(groups[0], groups[1]...), "") + "\n"
	}
	text := strings.Join(groups[0], "\n")
	if len(groups[0]) > 0 && len(groups[1]) > 0 {
		text += "\n\n"
	}
	return "import (\n" + text + strings.Join(groups[1], "\n") + "\n)\n"
}

// goType returns t as Go code has it, and notes the imports that it needs.
func (p *printer) goType(t model.GoType) (string, error) {
	switch t.Kind {
	case model.Runtime:
		name, err := p.qualified(runtimePath, t.Name)
		if err != nil || t.Elem == nil {
			return name, err
		}
		elem, err := p.goType(*t.Elem)
		return name + "[" + elem + "]", err
	case model.Vec:
		return p.qualified(model.VecPath, t.Name)
	case model.Foreign:
		return p.qualified(t.Path, t.Name)
	case model.Local:
		return p.local(t.Name)
	case model.Pointer, model.Slice:
		if t.Elem == nil {
			return "", diag.BadTemplate.New("the type has no element")
		}
		elem, err := p.goType(*t.Elem)
		if err != nil {
			return "", err
		}
		name := map[model.GoKind]string{model.Pointer: "Ptr", model.Slice: "Slice"}[t.Kind]
		generic, err := p.qualified(runtimePath, name)
		return generic + "[" + elem + "]", err
	case model.Array:
		if t.Elem == nil {
			return "", diag.BadTemplate.New("the type has no element")
		}
		elem, err := p.goType(*t.Elem)
		return "[" + strconv.FormatInt(t.Len, 10) + "]" + elem, err
	case "":
		return "", diag.BadTemplate.New("there is no Go type here")
	}
	return t.Name, nil
}

// qualified returns a name of the package at path.
func (p *printer) qualified(path, name string) (string, error) {
	if path == p.file.ImportPath && !p.other {
		return name, nil
	}
	pkg, err := p.importPath(path)
	return pkg + "." + name, err
}

// local returns a name of the package of the kernels, as Go code in the template's package has it.
func (p *printer) local(name string) (string, error) {
	if !p.other {
		return name, nil
	}
	if p.file.ImportPath == "" {
		return "", diag.BadTemplate.Errorf("the import path of package %s is not known, because no go.mod was found: %w", p.file.Package, diag.Do("run go mod init"))
	}
	return p.qualified(p.file.ImportPath, name)
}

// data returns what the data directives of of say under key, or otherwise.
func data(of any, key string, otherwise ...string) (string, error) {
	var values map[string]string
	what := ""
	switch of := of.(type) {
	case *model.File:
		values, what = of.Data, of.Source
	case model.Kernel:
		values, what = of.Data, of.CName
	case *model.Kernel:
		values, what = of.Data, of.CName
	case model.Struct:
		values, what = of.Data, of.CName
	case *model.Struct:
		values, what = of.Data, of.CName
	case model.Enum:
		values, what = of.Data, of.CName
	case model.Variable:
		values, what = of.Data, of.CName
	default:
		return "", diag.BadTemplate.Errorf("data is of files, kernels, structs, enums and variables, and not of %T", of)
	}
	if value, there := values[key]; there {
		return value, nil
	}
	if len(otherwise) > 0 {
		return otherwise[0], nil
	}
	return "", diag.BadTemplate.Errorf("%s has no data %s: %w", what, key, diag.Do("write //cudagen:data %s=value", key))
}

// first returns s with its first letter changed.
func first(s string, change func(rune) rune) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(change(r)) + s[size:]
}

// comment returns lines, a string or several, each with a prefix.
func comment(prefix string, lines any) (string, error) {
	var list []string
	switch lines := lines.(type) {
	case string:
		list = strings.Split(strings.TrimRight(lines, "\n"), "\n")
	case []string:
		list = lines
	default:
		return "", diag.BadTemplate.Errorf("comment takes text or lines, not %T", lines)
	}
	for i, line := range list {
		list = slices.Clone(list)
		list[i] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(list, "\n"), nil
}

// calculate applies do to two integers.
func calculate(a, b any, do func(a, b int64) int64) (int64, error) {
	x, err := integer(a)
	if err != nil {
		return 0, err
	}
	y, err := integer(b)
	return do(x, y), err
}

func integer(v any) (int64, error) {
	switch v := v.(type) {
	case int:
		return int64(v), nil
	case int64:
		return v, nil
	case string:
		return strconv.ParseInt(v, 0, 64)
	}
	return 0, diag.BadTemplate.Errorf("%v is not an integer", v)
}

// dims returns dimensions as directives have them: 16 × 16, without those at the end that are 1.
func dims(list [3]model.Expr) string {
	last := len(list)
	for last > 1 && list[last-1].Const && list[last-1].Value == 1 {
		last--
	}
	texts := make([]string, last)
	for i, e := range list[:last] {
		texts[i] = e.Source
	}
	return strings.Join(texts, " × ")
}

func asJSON(v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return string(text), err
}

// Functions returns the names of the functions that templates have besides text/template's own.
func Functions() []string { return slices.Sorted(maps.Keys(new(printer).functions())) }
