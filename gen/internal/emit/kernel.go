package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/goname"
)

// ReservedNames are the local names of generated methods; no argument may have them.
var ReservedNames = []string{"k", "s", "cfg", "want", "params", "call", "args", "computed", "owners", "err", "cuda", "vec", "math", "structs", "unsafe", "embed"}

func kernelType(k model.Kernel) string { return cmp.Or(k.TypeName, KernelTypes(k.GoName)[0]) }
func argsType(k model.Kernel) string   { return cmp.Or(k.ArgsName, k.GoName+"Args") }
func callType(k model.Kernel) string   { return cmp.Or(k.CallName, k.GoName+"Call") }
func paramsType(k model.Kernel) string {
	return cmp.Or(k.ParamsName, goname.Hidden(k.GoName)+"Params")
}
func attributes(k model.Kernel) string {
	return strings.TrimSuffix(paramsType(k), "Params") + "Attributes"
}

// PackageNames returns the names that a kernel with the Go name given takes in the package
// besides that of its type: of its arguments, its call, its parameter block and its launch
// attributes.
func PackageNames(kernel string) []string {
	k := model.Kernel{GoName: kernel}
	return []string{argsType(k), callType(k), paramsType(k), attributes(k)}
}

// KernelTypes returns the names that the type of a kernel with the Go name given may have,
// the best one first: SaxpyKernel for Saxpy, but RowsKernel for RowsKernel. The others are for when
// something else wants that name.
func KernelTypes(kernel string) []string {
	names := []string{kernel + "Kernel", kernel + "_Kernel"}
	if strings.HasSuffix(kernel, "Kernel") {
		return append([]string{kernel}, names...)
	}
	return names
}

// withShort returns text, which has the C++ name of k, without its template arguments if those are longer than a
// line. The comment of the kernel's type has them.
func withShort(k *model.Kernel, text string) string {
	const longest = 100
	if i := strings.IndexByte(k.CName, '<'); i >= 0 && len(k.CName)-i > longest {
		return strings.Replace(text, k.CName[i:], "<…>", 1)
	}
	return text
}

// kernel prints a kernel's type, its methods and its parameter block. The type does not embed
// cuda.Kernel, and its methods have pointer receivers: otherwise the compiler makes 20 more
// functions for each kernel, which hardly anybody calls, and that is 40 % of its time.
func (e *emitter) kernel(k *model.Kernel) {
	e.comment("%s is %s (%s:%d): %s", kernelType(*k), k.CName, k.Pos.File, k.Pos.Line, withShort(k, k.Signature))
	if k.Note != "" {
		e.out.Comment("//")
		e.comment("The name %s: %s.", k.GoName, k.Note)
	}
	e.doc(k.Doc)
	e.moreDoc(k.Blocks, model.KernelDoc)
	e.out.Type().Id(kernelType(*k)).Op("struct{").Id("Kernel").Op("*").Add(cuda("Kernel")).Op("}")
	e.out.Line()
	if k.Launch != nil {
		e.launch(k)
	}
	e.launchWith(k)
	if named(k) {
		e.launchArgs(k)
	}
	e.prepare(k)
	e.argsStruct(k)
	e.body(k)
	e.params(k)
	e.extra(k.Blocks, model.KernelExtra)
}

// launch prints the method that takes the launch configuration from the directives.
func (e *emitter) launch(k *model.Kernel) {
	l := k.Launch
	if hasAttributes(l) {
		var fields []jen.Code
		if l.Cluster != [3]int64{} && !l.ClusterFixed {
			fields = append(fields, jen.Id("Cluster").Op(":").Add(dim3(func(i int) jen.Code { return jen.Op(fmt.Sprint(l.Cluster[i])) })))
		}
		if l.Cooperative {
			fields = append(fields, jen.Id("Cooperative").Op(":").True())
		}
		e.comment("%s are the launch attributes of %s (%s:%d).", attributes(*k), withShort(k, k.CName), k.Pos.File, k.Pos.Line)
		e.out.Var().Id(attributes(*k)).Op("=").Add(cuda("LaunchAttributes")).Values(fields...)
		e.out.Line()
	}
	text := fmt.Sprintf("Launch enqueues the kernel on s, with blocks of %s %s%s.", counted(times(l.Block[:]), "thread"), coverage(l), manner(l))
	e.comment("%s", strings.Join(append([]string{text}, conditions(k)...), " "))
	e.method(k, "Launch", append([]jen.Code{stream()}, arguments(k)...)).Error().Block(launchReturn(k, jen.Id("k"), jen.Nil(), false))
	e.out.Line()
}

// launchWith prints the method that takes the launch configuration from its caller.
func (e *emitter) launchWith(k *model.Kernel) {
	if k.Launch != nil {
		e.comment("LaunchWith is Launch with cfg%s", demandsDoc(k))
	} else {
		e.comment("LaunchWith enqueues the kernel on s with the launch configuration cfg.")
		if k.NoLaunch != "" {
			e.out.Comment("//")
			e.comment("There is no Launch, which computes cfg: for that, write %s above the kernel.", k.NoLaunch)
		}
		if text := conditions(k); len(text) > 0 {
			e.out.Comment("//")
			e.comment("%s", strings.Join(text, " "))
		}
	}
	e.method(k, "LaunchWith", append([]jen.Code{stream(), launchConfig()}, arguments(k)...)).Error().Block(launchReturn(k, jen.Id("k"), jen.Op("&").Id("cfg"), false))
	e.out.Line()
}

// fewArguments is how many arguments a call may have and be read without their names.
const fewArguments = 6

// named reports whether k can be launched with its arguments in a struct.
func named(k *model.Kernel) bool { return k.Arguments() > fewArguments || len(k.Unchecked()) > 0 }

// launchArgs prints the methods that take the arguments in a struct.
func (e *emitter) launchArgs(k *model.Kernel) {
	method := func(name, what string, cfg jen.Code, params ...jen.Code) {
		e.comment("%s is %s with named arguments.", name, what)
		args := jen.Id("args").Op("*").Id(argsType(*k))
		e.method(k, name, append(append([]jen.Code{stream()}, params...), args)).Error().Block(
			jen.If(jen.Id("args").Op("==").Nil()).Block(jen.Id("args").Op("=").New(jen.Id(argsType(*k)))),
			launchReturn(k, jen.Id("k"), cfg, true),
		)
		e.out.Line()
	}
	if k.Launch != nil {
		method("LaunchArgs", "Launch", jen.Nil())
	}
	method("LaunchArgsWith", "LaunchWith", jen.Op("&").Id("cfg"), launchConfig())
}

// method prints the head of a method of k.
func (e *emitter) method(k *model.Kernel, name string, params []jen.Code) *jen.Statement {
	return e.out.Func().Params(jen.Id("k").Op("*").Id(kernelType(*k))).Id(name).Params(params...)
}

func stream() jen.Code       { return jen.Id("s").Op("*").Add(cuda("Stream")) }
func launchConfig() jen.Code { return jen.Id("cfg").Add(cuda("LaunchConfig")) }

// arguments are the parameters of a method for the arguments of k. Neighbours of one type share it.
func arguments(k *model.Kernel) (list []jen.Code) {
	for _, group := range sharing(k) {
		list = append(list, jen.List(each(group, local)...).Add(goType(argumentType(group[0]))))
	}
	return list
}

// local is the variable of an argument.
func local(p model.Param) jen.Code { return jen.Id(p.GoName) }

// each is a list of code for params.
func each(params []model.Param, code func(model.Param) jen.Code) (list []jen.Code) {
	for _, p := range params {
		list = append(list, code(p))
	}
	return list
}

// isLarge reports whether the methods of a kernel hand an argument on by a pointer: the compiler copies it
// otherwise once more.
func isLarge(p model.Param) bool {
	const registers = 16 // bytes
	return p.Type.Size > registers && (p.Type.Kind == model.Local || p.Type.Kind == model.Foreign || p.Holder != "")
}

// sharing are the arguments of k in groups of neighbours that have the same type in Go and the same tag.
func sharing(k *model.Kernel) [][]model.Param {
	args := slices.DeleteFunc(slices.Clone(k.Params), func(p model.Param) bool { return p.Inferred })
	return groups(args, func(p, next model.Param) bool {
		return p.Nullable == next.Nullable && argumentType(p).String() == argumentType(next).String()
	})
}

// groups returns list in groups of neighbours that join.
func groups[T any](list []T, join func(before, next T) bool) (all [][]T) {
	for i, x := range list {
		if i == 0 || !join(list[i-1], x) {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], x)
	}
	return all
}

// launchReturn ends a method with a launch of kernel with cfg, a pointer, and with the arguments of the method, or
// those in args. The compiler inlines Launch and LaunchWith, so that arguments stay in registers.
func launchReturn(k *model.Kernel, kernel *jen.Statement, cfg jen.Code, inArgs bool) jen.Code {
	values, owners := []jen.Code{jen.Id("s"), cfg}, jen.Nil()
	if inArgs {
		owners = jen.Id("args").Dot(OwnersField)
	}
	if len(k.Unchecked()) > 0 {
		values = append(values, owners)
	}
	for _, p := range k.Params {
		if p.Inferred {
			continue
		}
		arg := jen.Id(p.GoName)
		if inArgs {
			arg = jen.Id("args").Dot(p.Field)
		}
		if isLarge(p) {
			arg = jen.Op("&").Add(arg)
		}
		values = append(values, arg)
	}
	return jen.Return(kernel.Dot("launch").Call(values...))
}

// body prints the method with which each launch and each prepared call checks and converts its arguments.
func (e *emitter) body(k *model.Kernel) {
	params := []jen.Code{stream(), jen.Id("cfg").Op("*").Add(cuda("LaunchConfig"))}
	if len(k.Unchecked()) > 0 {
		params = append(params, jen.Id("owners").Index().Add(cuda("Owner")))
	}
	for _, group := range sharing(k) {
		typ := goType(argumentType(group[0]))
		if isLarge(group[0]) {
			typ = jen.Op("*").Add(typ)
		}
		params = append(params, jen.List(each(group, local)...).Add(typ))
	}
	e.method(k, "launch", params).Error().BlockFunc(func(g *jen.Group) {
		done := make(map[int]bool)
		list := append(infers(g, k), guards(k, sizes(k), done)...)
		if k.Launch != nil {
			compute := append([]jen.Code{jen.Id("cfg").Op("=").Op("&").Add(config(k))}, tooLarge(k)...)
			chain(g, append(append(list, jen.If(jen.Id("computed")).Block(compute...)), demands(k, done)...))
			list = nil
		}
		chain(g, append(list, checks(k)...))
		if len(k.Unchecked()) > 0 {
			g.If(jen.Len(jen.Id("owners")).Op(">").Lit(0)).Block(jen.Id("cfg").Dot("Owners").Op("=").Add(generated("Owners")).Call(jen.Id("cfg").Dot("Owners"), jen.Id("owners")))
		}
		enqueue(g, k)
	})
	e.out.Line()
}

// chain prints if statements as one, each in the else branch of the one before.
func chain(g *jen.Group, list []*jen.Statement) {
	all := g.Null()
	for i, s := range list {
		if i > 0 {
			all.Else()
		}
		all.Add(s)
	}
}

func hasAttributes(l *model.Launch) bool {
	return l.Cooperative || l.Cluster != [3]int64{} && !l.ClusterFixed
}

// config is the launch configuration that the directives give.
func config(k *model.Kernel) *jen.Statement {
	l := k.Launch
	fields := []jen.Code{
		jen.Id("Grid").Op(":").Add(dim3(func(i int) jen.Code { return gridDim(l, i) })),
		jen.Id("Block").Op(":").Add(dim3(func(i int) jen.Code { return count(l.Block[i]) })),
	}
	if !l.Shared.IsZero() {
		fields = append(fields, jen.Id("SharedBytes").Op(":").Add(count(l.Shared)))
	}
	if hasAttributes(l) {
		fields = append(fields, jen.Id("Attributes").Op(":").Op("&").Id(attributes(*k)))
	}
	return cuda("LaunchConfig").Values(filling("cfg = &cuda.LaunchConfig{", 2, fields)...)
}

// infers prints what is taken from the lengths of slices, and whether the configuration is to be computed, and
// returns the comparisons of what was taken.
func infers(g *jen.Group, k *model.Kernel) (refusals []*jen.Statement) {
	var names, values []jen.Code
	for _, infer := range k.Infers {
		p := k.Params[infer.Param]
		names, values = append(names, local(p)), append(values, jen.Op(infer.Value.Go))
		if infer.Value.Signed {
			refusals = append(refusals, jen.If(jen.Id(p.GoName).Op("<").Lit(0)).Block(badSize(size{"infer " + p.CName + "=" + infer.Value.Source, infer.Value}, local(p))))
		}
		if infer.Max != "" {
			limit := jen.Qual("math", infer.Max)
			refusals = append(refusals, jen.If(jen.Id(p.GoName).Op(">").Add(limit)).Block(refuse("Overflow", jen.Lit(p.CName), local(p), limit)))
		}
	}
	if k.Launch != nil {
		names, values = append(names, jen.Id("computed")), append(values, jen.Id("cfg").Op("==").Nil())
	}
	if len(names) > 0 {
		g.List(names...).Op(":=").List(values...)
	}
	return refusals
}

// refuse returns the error of the kernel that a method of Generated makes.
func refuse(method string, args ...jen.Code) jen.Code {
	return jen.Return(generated(method).Call(append([]jen.Code{jen.Id("k").Dot("Kernel")}, args...)...))
}

// checks are the comparisons of lengths, which may read the launch configuration. Neighbours that need the same
// length share it.
func checks(k *model.Kernel) (list []*jen.Statement) {
	for i, size := range lengths(k) {
		p := k.Params[k.Checks[i].Param]
		short := jen.Id(p.GoName).Dot("Len").Call().Op("<").Id("want")
		if p.Nullable {
			short = jen.Op("!").Id(p.GoName).Dot("IsZero").Call().Op("&&").Add(short)
		}
		then := refuse("ShortSlice", jen.Lit(p.CName), jen.Id(p.GoName).Dot("Len").Call(), jen.Id("want"))
		if i > 0 && size.Go == k.Checks[i-1].Len.Go {
			list = append(list, jen.If(short).Block(then))
		} else {
			list = append(list, unless(size, short, then))
		}
	}
	return list
}

// enqueue fills the parameter block and launches. The block is the address of a composite literal, which the
// compiler fills where it is; a variable whose address is taken would be filled elsewhere and copied. The runtime
// looks at the slices' buffers: here, the code for it would be as much as all of the rest.
func enqueue(g *jen.Group, k *model.Kernel) {
	computed := jen.False()
	if k.Launch != nil {
		computed = jen.Id("computed")
	}
	launch := []jen.Code{jen.Id("k").Dot("Kernel"), jen.Id("s"), jen.Id("cfg"), computed, jen.Qual("unsafe", "Pointer").Call(jen.Id("params"))}
	var fields []jen.Code
	for _, p := range k.Params {
		fields = append(fields, jen.Id(p.Field).Op(":").Add(argument(p)))
		if p.Owned() {
			launch = append(launch, jen.Id(p.GoName).Dot("Owner").Call())
		}
	}
	g.Id("params").Op(":=").Op("&").Id(paramsType(*k)).Values(filling("params := &"+paramsType(*k)+"{", 1, fields)...)
	g.Return(generated("Launch").Call(launch...))
}

// params prints the parameter block.
func (e *emitter) params(k *model.Kernel) {
	e.comment("%s is the parameter block of %s (%s:%d): %d bytes.", paramsType(*k), withShort(k, k.CName), k.Pos.File, k.Pos.Line, k.Bytes)
	members := make([]member, len(k.Params))
	align := int64(1)
	for i, p := range k.Params {
		members[i] = member{name: p.Field, typ: p.Type, offset: p.Offset}
		if p.Note != "" {
			members[i].comment = fmt.Sprintf("(%s in C++: %s)", p.CName, p.Note)
		}
		align = max(align, p.Type.Align)
	}
	size := (k.Bytes + align - 1) / align * align
	e.layout(paramsType(*k), members, size, fmt.Sprintf("the block ends at %d; Go rounds up to %d", k.Bytes, size))
}

// argument is the value of p's field in the parameter block.
func argument(p model.Param) *jen.Statement {
	arg := jen.Id(p.GoName)
	switch {
	case p.Slice:
		return arg.Dot("Ptr").Call()
	case p.Holder != "" && p.Type.Kind == model.Local:
		return goType(p.Type).Values(jen.Dict{jen.Id("Opaque"): arg.Dot("Param").Call()})
	case p.Holder != "":
		return arg.Dot("Param").Call()
	case p.Inferred:
		return goType(p.Type).Call(arg)
	case isLarge(p):
		return jen.Op("*").Add(arg)
	}
	return arg
}

// argumentType is the Go type of an argument.
func argumentType(p model.Param) model.GoType {
	if p.Slice {
		return model.GoType{Kind: model.Runtime, Name: "Slice", Elem: p.Type.Elem}
	}
	if p.Holder != "" {
		return model.GoType{Kind: model.Runtime, Name: p.Holder, Elem: p.HolderElem}
	}
	return p.Type
}

// conditions are what the arguments must fulfil, in sentences.
func conditions(k *model.Kernel) (text []string) {
	for _, infer := range k.Infers {
		text = append(text, fmt.Sprintf("%s is %s.", k.Params[infer.Param].CName, infer.Value.Source))
	}
	for _, check := range k.Checks {
		p := k.Params[check.Param]
		zero := ""
		if p.Nullable {
			zero = ", or is the zero Slice"
		}
		text = append(text, fmt.Sprintf("%s has at least %s%s.", p.GoName, counted(check.Len.Source, "element"), zero))
	}
	for i, p := range k.Params {
		if p.Nullable && !slices.ContainsFunc(k.Checks, func(c model.Check) bool { return c.Param == i }) {
			text = append(text, p.GoName+" may be the zero Slice, which is NULL.")
		}
	}
	if list := k.Unchecked(); len(list) > 0 {
		names := make([]string, len(list))
		for i, p := range list {
			names[i] = p.GoName
		}
		text = append(text, fmt.Sprintf("Nothing checks the addresses in %s: Owners, in %s and in cuda.LaunchConfig, name what they refer to.", strings.Join(names, ", "), argsType(*k)))
	}
	if hint := handleHint(k); hint != "" {
		text = append(text, hint)
	}
	return text
}

// handleHint says which directives would have a launch check the textures and surfaces of k.
func handleHint(k *model.Kernel) string {
	var lines []string
	for _, p := range k.Params {
		if verb := map[string]string{"cudaTextureObject_t": "texture", "cudaSurfaceObject_t": "surface"}[p.CType]; verb != "" && p.Holder == "" && p.CName != "" {
			lines = append(lines, fmt.Sprintf("//cudagen:%s %s=TYPE", verb, p.CName))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("Handles of textures and surfaces get types that launches check by %s above the kernel.", strings.Join(lines, ", "))
}

// times writes the dimensions that are not 1: 16 × 16.
func times(dims []model.Expr) string {
	last := len(dims)
	for last > 1 && dims[last-1].Const && dims[last-1].Value == 1 {
		last--
	}
	var text []string
	for _, dim := range dims[:last] {
		source := dim.Source
		if last > 1 && strings.ContainsAny(source, "+-/%<> ") {
			source = "(" + source + ")"
		}
		text = append(text, source)
	}
	return strings.Join(text, " × ")
}

func coverage(l *model.Launch) string {
	if l.Threads {
		return "over " + counted(times(l.Grid[:]), "thread")
	}
	return "in a grid of " + counted(times(l.Grid[:]), "block")
}

// counted writes so many things: 1 thread, n threads.
func counted(n, thing string) string {
	if n == "1" {
		return n + " " + thing
	}
	return n + " " + thing + "s"
}

// manner says what is special about a launch.
func manner(l *model.Launch) string {
	text := ""
	if l.Cooperative {
		text += ", cooperatively"
	}
	if l.Cluster != [3]int64{} {
		dims := make([]model.Expr, len(l.Cluster))
		for i, n := range l.Cluster {
			dims[i] = model.Expr{Source: fmt.Sprint(n), Const: true, Value: n}
		}
		text += ", in clusters of " + counted(times(dims), "block")
	}
	return text
}

// dim3 is the dimensions of a grid or block, of which those in one dimension are short.
func dim3(dim func(i int) jen.Code) *jen.Statement {
	if one := fmt.Sprintf("%#v", jen.Lit(1)); fmt.Sprintf("%#v", jen.Add(dim(1))) == one && fmt.Sprintf("%#v", jen.Add(dim(2))) == one {
		return cuda("Dim").Call(dim(0))
	}
	return cuda("Dim3").Values(
		jen.Id("X").Op(":").Add(dim(0)), jen.Id("Y").Op(":").Add(dim(1)), jen.Id("Z").Op(":").Add(dim(2)))
}

// gridDim is the number of blocks in dimension i.
func gridDim(l *model.Launch, i int) jen.Code {
	grid, block := l.Grid[i], l.Block[i]
	if l.Threads && l.Cluster[i] > 1 {
		return generated("ClusterBlocks").Call(jen.Op(grid.Go), jen.Op(block.Go), jen.Op(fmt.Sprint(l.Cluster[i])))
	}
	if !l.Threads || block.Const && block.Value == 1 {
		return count(grid)
	}
	return generated("Blocks").Call(jen.Op(grid.Go), jen.Op(block.Go))
}

// count converts x, an int, to a dimension or a size in uint32.
func count(x model.Expr) jen.Code {
	if x.Const && x.Value >= 0 && x.Value < 1<<32 {
		return jen.Op(x.Go)
	}
	return generated("Count").Call(jen.Op(x.Go))
}
