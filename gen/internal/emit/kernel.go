package emit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/goname"
)

// ReservedNames are the local names of generated methods; no argument may have them.
var ReservedNames = []string{"k", "s", "cfg", "want", "params", "call", "args", "err", "cuda", "vec", "math", "structs", "unsafe", "embed"}

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

// kernel prints a kernel's type, its methods and its parameter block. The type does not embed
// cuda.Kernel, and its methods have pointer receivers: otherwise the compiler makes 20 more
// functions for each kernel, which hardly anybody calls, and that is 40 % of its time.
func (e *emitter) kernel(k *model.Kernel) {
	e.comment("%s is %s (%s:%d):", kernelType(*k), k.CName, k.Pos.File, k.Pos.Line)
	e.out.Comment("//")
	e.out.Comment("//\t" + k.Signature)
	if k.Note != "" {
		e.out.Comment("//")
		e.comment("The name %s: %s.", k.GoName, k.Note)
	}
	e.doc(k.Doc)
	e.moreDoc(k.Blocks, model.KernelDoc)
	e.out.Type().Id(kernelType(*k)).Struct(jen.Id("Kernel").Op("*").Add(cuda("Kernel")).Comment("its name, attributes and occupancy"))
	e.out.Line()
	if k.Launch != nil {
		e.launch(k)
	}
	e.launchWith(k)
	if named(k) {
		e.launchArgs(k)
	}
	e.prepared(k)
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
		e.comment("%s are the launch attributes of %s (%s:%d).", attributes(*k), k.CName, k.Pos.File, k.Pos.Line)
		e.out.Var().Id(attributes(*k)).Op("=").Add(cuda("LaunchAttributes")).Values(fields...)
		e.out.Line()
	}
	e.comment("Launch enqueues the kernel on s, with blocks of %s %s%s.", counted(times(l.Block[:]), "thread"), coverage(l), manner(l))
	e.conditions(k)
	e.method(k, "Launch", nil).BlockFunc(func(g *jen.Group) {
		e.infers(g, k)
		e.guards(g, k, slices.Concat(configuration(l), lengths(k)), make(map[int]bool))
		g.Id("cfg").Op(":=").Op("&").Add(config(k))
		e.computed(g, k)
		e.checks(g, k)
		e.enqueue(g, k, local, jen.Id("cfg"), jen.True())
	})
	e.out.Line()
}

// fewArguments is how many arguments a call may have and be read without their names.
const fewArguments = 6

// named reports whether k can be launched with its arguments in a struct.
func named(k *model.Kernel) bool { return k.Arguments() > fewArguments || len(k.Unchecked()) > 0 }

// launchArgs prints the methods that take the arguments in a struct.
func (e *emitter) launchArgs(k *model.Kernel) {
	owners := len(k.Unchecked()) > 0
	if k.Launch != nil {
		e.comment("LaunchArgs is Launch with named arguments.")
		e.argsMethod(k, "LaunchArgs", nil).BlockFunc(func(g *jen.Group) {
			args := e.openArgs(g, k)
			e.infers(g, k)
			e.guards(g, k, slices.Concat(configuration(k.Launch), lengths(k)), make(map[int]bool))
			g.Id("cfg").Op(":=").Op("&").Add(config(k))
			if owners {
				g.Id("cfg").Dot("Owners").Op("=").Id("args").Dot("Owners")
			}
			e.computed(g, k)
			e.checks(g, k)
			e.enqueue(g, k, args, jen.Id("cfg"), jen.True())
		})
		e.out.Line()
	}
	e.comment("LaunchArgsWith is LaunchWith with named arguments.")
	e.argsMethod(k, "LaunchArgsWith", jen.Id("cfg").Add(cuda("LaunchConfig"))).BlockFunc(func(g *jen.Group) {
		args := e.openArgs(g, k)
		e.infers(g, k)
		done := make(map[int]bool)
		e.guards(g, k, lengths(k), done)
		e.demands(g, k, done)
		if owners {
			g.Id("cfg").Dot("Owners").Op("=").Add(generated("Owners")).Call(jen.Id("cfg").Dot("Owners"), jen.Id("args").Dot(OwnersField))
		}
		e.checks(g, k)
		e.enqueue(g, k, args, jen.Op("&").Id("cfg"), jen.False())
	})
	e.out.Line()
}

// argsMethod prints the head of a method of k that takes the arguments in a struct.
func (e *emitter) argsMethod(k *model.Kernel, name string, extra jen.Code) *jen.Statement {
	params := []jen.Code{jen.Id("s").Op("*").Add(cuda("Stream"))}
	if extra != nil {
		params = append(params, extra)
	}
	params = append(params, jen.Id("args").Op("*").Id(argsType(*k)))
	return e.out.Func().Params(jen.Id("k").Op("*").Id(kernelType(*k))).Id(name).Params(params...).Error()
}

// openArgs begins a method that takes the arguments in a struct, and returns where they are.
// Those that expressions read become variables of the names that they have in Launch; to
// make variables of all of them would have them copied twice.
func (e *emitter) openArgs(g *jen.Group, k *model.Kernel) func(model.Param) *jen.Statement {
	g.If(jen.Id("args").Op("==").Nil()).Block(jen.Id("args").Op("=").Op("&").Id(argsType(*k)).Values())
	read := make(map[string]bool)
	for _, x := range expressions(k) {
		for _, name := range identifier.FindAllString(x.Go, -1) {
			read[name] = true
		}
	}
	for _, check := range k.Checks {
		read[k.Params[check.Param].GoName] = true
	}
	e.unpack(g, k, func(p model.Param) bool { return read[p.GoName] })
	return func(p model.Param) *jen.Statement {
		if p.Inferred || read[p.GoName] {
			return local(p)
		}
		return jen.Id("args").Dot(p.Field)
	}
}

var identifier = regexp.MustCompile(`[\pL_][\pL_\pN]*`)

// expressions are those that Launch of k computes.
func expressions(k *model.Kernel) (list []model.Expr) {
	for _, infer := range k.Infers {
		list = append(list, infer.Value)
	}
	for _, check := range k.Checks {
		list = append(list, check.Len)
	}
	if l := k.Launch; l != nil {
		list = append(list, l.Shared, l.SharedWith)
		list = append(list, l.Grid[:]...)
		list = append(list, l.GridWith[:]...)
		list = append(list, l.Block[:]...)
	}
	return list
}

// local is the variable of an argument.
func local(p model.Param) *jen.Statement { return jen.Id(p.GoName) }

// unpack makes variables of fields of args, with the names that they have in Launch, so that
// the same expressions serve.
func (e *emitter) unpack(g *jen.Group, k *model.Kernel, wanted func(model.Param) bool) {
	var names, values []jen.Code
	for _, p := range k.Params {
		if !p.Inferred && wanted(p) {
			names = append(names, jen.Id(p.GoName))
			values = append(values, jen.Id("args").Dot(p.Field))
		}
	}
	if len(names) > 0 {
		g.List(names...).Op(":=").List(values...)
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
	return cuda("LaunchConfig").Values(multiline(fields...)...)
}

// launchWith prints the method that takes the launch configuration from its caller.
func (e *emitter) launchWith(k *model.Kernel) {
	e.comment("LaunchWith enqueues the kernel on s with the launch configuration cfg.")
	if k.NoLaunch != "" {
		e.out.Comment("//")
		e.comment("There is no Launch, which computes cfg: for that, write %s above the kernel.", k.NoLaunch)
	}
	e.demandsDoc(k)
	e.conditions(k)
	e.method(k, "LaunchWith", jen.Id("cfg").Add(cuda("LaunchConfig"))).BlockFunc(func(g *jen.Group) {
		e.infers(g, k)
		done := make(map[int]bool)
		e.guards(g, k, lengths(k), done)
		e.demands(g, k, done)
		e.checks(g, k)
		e.enqueue(g, k, local, jen.Op("&").Id("cfg"), jen.False())
	})
	e.out.Line()
}

// infers prints what is taken from the lengths of slices. Both methods have it and the
// checks, and neither calls the other: passing the arguments on costs as much as the rest.
func (e *emitter) infers(g *jen.Group, k *model.Kernel) {
	for _, infer := range k.Infers {
		name := k.Params[infer.Param].GoName
		g.Id(name).Op(":=").Op(infer.Value.Go)
		if infer.Value.Signed {
			g.If(jen.Id(name).Op("<").Lit(0)).Block(badSize(size{"infer " + k.Params[infer.Param].CName + "=" + infer.Value.Source, infer.Value}, jen.Id(name)))
		}
		if infer.Max != "" {
			limit := jen.Qual("math", infer.Max)
			g.If(jen.Id(name).Op(">").Add(limit)).Block(
				jen.Return(generated("Overflow").Call(jen.Id("k").Dot("Kernel"), jen.Lit(k.Params[infer.Param].CName), jen.Id(name), limit)),
			)
		}
	}
}

// checks prints the comparisons of lengths, which may read the launch configuration.
func (e *emitter) checks(g *jen.Group, k *model.Kernel) {
	sizes := lengths(k)
	for i, check := range k.Checks {
		p := k.Params[check.Param]
		want := jen.Id("want").Op(":=").Op(check.Len.Go)
		short := jen.Id(p.GoName).Dot("Len").Call().Op("<").Id("want")
		if p.Nullable {
			short = jen.Op("!").Id(p.GoName).Dot("IsZero").Call().Op("&&").Add(short)
		}
		refuse := jen.Return(generated("ShortSlice").Call(jen.Id("k").Dot("Kernel"), jen.Lit(p.CName), jen.Id(p.GoName).Dot("Len").Call(), jen.Id("want")))
		if check.Len.Signed {
			g.If(want, jen.Id("want").Op("<").Lit(0)).Block(badSize(sizes[i], jen.Id("want"))).Else().If(short).Block(refuse)
			continue
		}
		g.If(want, short).Block(refuse)
	}
}

// enqueue fills the parameter block and launches with cfg, a pointer; computed tells whether
// the directives gave it. The block is the address of a composite literal, which the compiler
// fills where it is; a variable whose address is taken would be filled elsewhere and copied.
// The runtime looks at the slices' buffers: here, the code for it would be as much as all of
// the rest.
func (e *emitter) enqueue(g *jen.Group, k *model.Kernel, arg func(model.Param) *jen.Statement, cfg, computed jen.Code) {
	g.Id("params").Op(":=").Op("&").Add(block(k, arg))
	launch := []jen.Code{jen.Id("k").Dot("Kernel"), jen.Id("s"), cfg, computed, jen.Qual("unsafe", "Pointer").Call(jen.Id("params"))}
	for _, p := range k.Params {
		if p.Owned() {
			launch = append(launch, arg(p).Dot("Owner").Call())
		}
	}
	g.Return(generated("Launch").Call(launch...))
}

// block is the parameter block, filled with the arguments.
func block(k *model.Kernel, arg func(model.Param) *jen.Statement) *jen.Statement {
	var fields []jen.Code
	for _, p := range k.Params {
		fields = append(fields, jen.Id(p.Field).Op(":").Add(argument(p, arg(p))))
	}
	if len(fields) == 0 {
		return jen.Id(paramsType(*k)).Values()
	}
	return jen.Id(paramsType(*k)).Values(multiline(fields...)...)
}

// params prints the parameter block.
func (e *emitter) params(k *model.Kernel) {
	e.comment("%s is the parameter block of %s (%s:%d): %d bytes.", paramsType(*k), k.CName, k.Pos.File, k.Pos.Line, k.Bytes)
	members := make([]member, len(k.Params))
	align := int64(1)
	for i, p := range k.Params {
		members[i] = member{name: p.Field, typ: p.Type, offset: p.Offset, comment: fmt.Sprintf("offset %d", p.Offset)}
		if p.Note != "" {
			members[i].comment += fmt.Sprintf(" (%s in C++: %s)", p.CName, p.Note)
		}
		align = max(align, p.Type.Align)
	}
	size := (k.Bytes + align - 1) / align * align
	e.layout(paramsType(*k), members, size, fmt.Sprintf("the block ends at %d; Go rounds up to %d", k.Bytes, size))
}

// argument is the value of p's field in the parameter block, of the argument arg.
func argument(p model.Param, arg *jen.Statement) *jen.Statement {
	switch {
	case p.Slice:
		return arg.Dot("Ptr").Call()
	case p.Holder != "" && p.Type.Kind == model.Local:
		return goType(p.Type).Values(jen.Dict{jen.Id("Opaque"): arg.Dot("Param").Call()})
	case p.Holder != "":
		return arg.Dot("Param").Call()
	case p.Inferred:
		return goType(p.Type).Call(arg)
	}
	return arg
}

// method prints the head of a method of k: the stream, extra, and the arguments.
func (e *emitter) method(k *model.Kernel, name string, extra jen.Code) *jen.Statement {
	params := []jen.Code{jen.Id("s").Op("*").Add(cuda("Stream"))}
	if extra != nil {
		params = append(params, extra)
	}
	for _, p := range k.Params {
		if !p.Inferred {
			params = append(params, jen.Id(p.GoName).Add(argumentType(p)))
		}
	}
	return e.out.Func().Params(jen.Id("k").Op("*").Id(kernelType(*k))).Id(name).Params(params...).Error()
}

// argumentType is the Go type of an argument.
func argumentType(p model.Param) *jen.Statement {
	if p.Slice {
		return cuda("Slice").Types(goType(*p.Type.Elem))
	}
	if p.Holder != "" {
		return goType(model.GoType{Kind: model.Runtime, Name: p.Holder, Elem: p.HolderElem})
	}
	return goType(p.Type)
}

// conditions prints what the arguments must fulfil.
func (e *emitter) conditions(k *model.Kernel) {
	var text []string
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
	if len(text) > 0 {
		e.out.Comment("//")
		e.comment("%s", strings.Join(text, " "))
	}
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

func dim3(dim func(i int) jen.Code) *jen.Statement {
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
