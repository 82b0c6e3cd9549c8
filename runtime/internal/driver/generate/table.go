package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A table holds the entry points in the order of the interfaces Driver and Typed.
type table struct {
	rows    []row
	basic   map[string]string // the types of the package with a basic type underneath
	results []result
}

// A result is a constant of type Result and what its comment says.
type result struct{ constant, name, description string }

// A row is one method of Driver and what its comment says.
type row struct {
	name         string // as EventQuery
	params       []variable
	results      []variable // without the Result
	noEntryPoint bool       // nor a Result
	noMethod     bool       // a row of Typed

	since                                        int // 1000*major + 10*minor
	suffix                                       string
	required, context, global, elsewhere, byHand bool
	watched                                      bool

	call []argument // of the method of libcuda.Driver, unless byHand
}

// A variable is a parameter or a result. Results without a name have "".
type variable struct {
	name, typ string // typ as package driver writes it
}

// An argument is what C is given: a parameter, the address of a result, or 0.
type argument struct {
	param, result int // or -1
}

// readTable reads the interface Driver of the package in dir.
func readTable(dir string) (*table, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	t := &table{basic: map[string]string{}}
	var driver, typed *ast.InterfaceType
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(dir, entry.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if err := t.readResults(fset, file); err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); ok {
				t.basic[spec.Name.Name] = of.Name
			}
			if of, ok := spec.Type.(*ast.InterfaceType); ok {
				switch spec.Name.Name {
				case "Driver":
					driver = of
				case "Typed":
					typed = of
				}
			}
			return false
		})
	}
	if driver == nil {
		return nil, fmt.Errorf("%s: there is no interface Driver", dir)
	}
	var problems scanner.ErrorList
	for _, table := range []*ast.InterfaceType{driver, typed} {
		if table == nil {
			continue
		}
		for _, method := range table.Methods.List {
			r, err := t.newRow(method)
			r.noMethod = table == typed
			if err == nil && r.noMethod && (!r.byHand || len(r.params)+len(r.results) > 0) {
				err = fmt.Errorf("%s: a row of Typed has no parameters, and is by hand", r.name)
			}
			if err != nil {
				problems.Add(fset.Position(method.Pos()), err.Error())
			}
			t.rows = append(t.rows, r)
		}
	}
	problems.Sort()
	return t, problems.Err()
}

// readResults reads the constants of type Result. The comment behind each has its name in C and says what it means.
func (t *table) readResults(fset *token.FileSet, file *ast.File) error {
	for _, decl := range file.Decls {
		constants, ok := decl.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			value := spec.(*ast.ValueSpec)
			if value.Type == nil || types.ExprString(value.Type) != "Result" {
				continue
			}
			name, description, found := strings.Cut(strings.TrimSpace(value.Comment.Text()), ": ")
			if !found || len(value.Names) > 1 {
				return fmt.Errorf("%s: %s: a result stands alone, with a comment as // CUDA_SUCCESS: success", fset.Position(value.Pos()), value.Names[0].Name)
			}
			t.results = append(t.results, result{value.Names[0].Name, name, description})
		}
	}
	return nil
}

// newRow reads a method and its comment.
func (t *table) newRow(method *ast.Field) (r row, err error) {
	signature, ok := method.Type.(*ast.FuncType)
	if !ok {
		return r, fmt.Errorf("an interface is embedded in Driver: name its methods")
	}
	r.name = method.Names[0].Name
	r.params, r.results = variables(signature.Params), variables(signature.Results)
	if err := t.checkNames(r); err != nil {
		return r, fmt.Errorf("%s: %w", r.name, err)
	}
	comment := strings.TrimSpace(method.Comment.Text())
	if comment == "no entry point" {
		r.noEntryPoint = true
		return r, nil
	}
	if n := len(r.results); n == 0 || r.results[n-1].typ != "Result" {
		return r, fmt.Errorf("%s: the last result is not a Result", r.name)
	}
	r.results = r.results[:len(r.results)-1]
	order, err := r.readComment(comment)
	if err != nil {
		return r, fmt.Errorf("%s: %w", r.name, err)
	}
	if r.byHand {
		return r, nil
	}
	if r.call, err = r.arguments(order); err == nil {
		err = t.checkCall(r)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", r.name, err)
	}
	return r, nil
}

var (
	versionPattern = regexp.MustCompile(`^CUDA (\d+)\.(\d)$`)
	suffixPattern  = regexp.MustCompile(`^_v\d+$`)
	orderPattern   = regexp.MustCompile(`, C\(([^()]*)\)`)
)

// readComment reads what stands behind the method, and returns the order of the arguments
// in C if it is written.
func (r *row) readComment(comment string) (order []string, err error) {
	if m := orderPattern.FindStringSubmatch(comment); m != nil {
		comment = strings.Replace(comment, m[0], "", 1)
		order = strings.Split(m[1], ", ")
	}
	version, facts, _ := strings.Cut(comment, ", ")
	m := versionPattern.FindStringSubmatch(version)
	if m == nil {
		return nil, fmt.Errorf(`the comment behind it begins with %q, not with the version that brought it, as "CUDA 12.4"`, version)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return nil, err
	}
	r.since = 1000*major + 10*int(m[2][0]-'0')
	if facts == "" {
		return order, nil
	}
	for fact := range strings.SplitSeq(facts, ", ") {
		switch fact {
		case "required":
			r.required = true
		case "context":
			r.context = true
		case "global":
			r.global = true
		case "elsewhere":
			r.elsewhere = true
		case "by hand":
			r.byHand = true
		case "watched":
			r.watched = true
		default:
			if !suffixPattern.MatchString(fact) {
				return nil, fmt.Errorf("unknown fact %q", fact)
			}
			r.suffix = fact
		}
	}
	if r.context && r.global {
		return nil, fmt.Errorf("context and global exclude each other")
	}
	if r.elsewhere && (r.context || r.global || r.byHand || !slices.Contains(r.params, variable{"s", "Stream"})) {
		return nil, fmt.Errorf("elsewhere is for generated methods with a Stream s that need no context")
	}
	if r.byHand && order != nil {
		return nil, fmt.Errorf("by hand and C(…) exclude each other")
	}
	return order, nil
}

// arguments returns what C is given, in the order written, or the results before the
// parameters.
func (r row) arguments(order []string) (call []argument, err error) {
	if order == nil {
		for i := range r.results {
			call = append(call, argument{-1, i})
		}
		for i := range r.params {
			call = append(call, argument{i, -1})
		}
		return call, nil
	}
	seen := map[string]bool{}
	for _, name := range order {
		a := argument{
			param:  slices.IndexFunc(r.params, func(v variable) bool { return v.name == name }),
			result: slices.IndexFunc(r.results, func(v variable) bool { return v.name == name }),
		}
		if name != "0" && (a.param < 0 && a.result < 0 || seen[name]) {
			return nil, fmt.Errorf("C(…): %q is not a parameter or result, or stands twice", name)
		}
		seen[name] = true
		call = append(call, a)
	}
	for _, v := range slices.Concat(r.params, r.results) {
		if !seen[v.name] {
			return nil, fmt.Errorf("C(…) lacks %s", cmp.Or(v.name, "a result, which has no name"))
		}
	}
	return call, nil
}

// variables returns the parameters or results of list, one for each name.
func variables(list *ast.FieldList) (vars []variable) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		typ := types.ExprString(field.Type)
		for _, name := range field.Names {
			vars = append(vars, variable{name.Name, typ})
		}
		if field.Names == nil {
			vars = append(vars, variable{"", typ})
		}
	}
	return vars
}

// reserved are the names that generated methods use themselves: receivers, packages and
// local variables.
var reserved = []string{"d", "f", "in", "ic", "ec", "out", "driver", "unsafe", "math"}

func (t *table) checkNames(r row) error {
	for i, v := range r.params {
		if v.name == "" || v.name == "_" {
			return fmt.Errorf("parameter %d has no name", i)
		}
	}
	for _, v := range slices.Concat(r.params, r.results) {
		if slices.Contains(reserved, v.name) {
			return fmt.Errorf("generated code uses the name %s itself: take another one", v.name)
		}
	}
	for _, v := range r.params {
		if v.name == "r" {
			return fmt.Errorf("generated code calls the Result r: take another name")
		}
	}
	return nil
}

// resultNames returns names for all results, the Result included.
func (r row) resultNames() (names []string) {
	for i, v := range r.results {
		name := v.name
		if name == "" || name == "_" {
			name = "out"
			if len(r.results) > 1 {
				name += strconv.Itoa(i)
			}
		}
		names = append(names, name)
	}
	if !r.noEntryPoint {
		names = append(names, "r")
	}
	return names
}
