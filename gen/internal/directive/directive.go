// Package directive takes //cudagen: directives, gives their meaning, and knows neither C++ syntax nor
// layouts: which kernels are exported, how they are launched, which parameters are slices.
//
// It checks verbs, parameter names and expressions, and turns expressions into Go. Package cu parses
// the comments, and package read passes the parameters. Start with Read.
package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// A Kernel describes the kernel to which directives apply.
type Kernel struct {
	Name         string // in C++, for messages
	Params       []Param
	LaunchBounds []int64          // constant __launch_bounds__, or nil
	ClusterDims  []int64          // constant __cluster_dims__, up to three numbers; or nil
	BlockSize    []int64          // constant __block_size__: exactly the threads of a block, up to three numbers; or nil
	Constants    map[string]int64 // integer constants of the file

	// Named holds what names and sizeof(…) in the directives mean to the kernel.
	Named map[string]cu.Constant

	// Loose has the text of macros that operators beside them tear apart in C++: 4+4.
	Loose map[string]string
}

// A Param describes a parameter to directives.
type Param struct {
	Name    string   // in C++; empty for an unnamed one
	GoName  string   // of the Go argument
	Integer *Integer // nil unless it is an integer
	Pointer bool     // whether it can become a slice
	Bytes   error    // why its elements, of which C++ knows the size, are bytes in Go; nil if they are not
	Handle  string   // Texture, Surface, or empty
}

// An Integer is the range of an integer type.
type Integer struct {
	Min     int64
	Max     uint64
	MaxName string // of Max in package math: MaxInt32; empty for types of 64 bits
	Bool    bool   // of 0 and 1, and a bool in Go
}

// A Spec is the meaning of the directives of one kernel.
type Spec struct {
	Export   bool                 // there is a kernel directive
	Selects  bool                 // there is one without a name: kernels without a kernel directive are left out
	Ignore   bool                 // there is an ignore directive
	GoName   string               // from the kernel directive, or empty
	Plain    map[int]bool         // pointers that are plain addresses, not slices
	Nullable map[int]bool         // slices that may be the zero Slice
	Texels   map[int]model.GoType // the elements of textures and surfaces
	Infers   []model.Infer
	Checks   []model.Check
	Launch   *model.Launch // nil when the launch configuration is left to the caller
	NoLaunch string        // the directives that are missing then

	Constants []string // that expressions use: names in Kernel.Constants, or of Kernel.Named

	Data map[string]string // for templates; nil without data directives
}

// verbs maps each verb on a kernel to what reads it.
var verbs map[string]func(*reader, cu.Directive)

func init() { // A literal would be an initialization cycle: verb errors list the verbs.
	verbs = map[string]func(*reader, cu.Directive){
		"kernel":      (*reader).kernel,
		"ignore":      (*reader).ignore,
		"block":       (*reader).block,
		"threads":     (*reader).grid,
		"grid":        (*reader).grid,
		"shared":      (*reader).shared,
		"cluster":     (*reader).cluster,
		"cooperative": (*reader).cooperative,
		"len":         (*reader).len,
		"infer":       (*reader).infer,
		"ptr":         (*reader).ptr,
		"nullable":    (*reader).nullable,
		"texture":     (*reader).texture,
		"surface":     (*reader).surface,
		"data":        (*reader).data,
	}
}

// OfFile reports whether the directive verb applies to the whole file, at any position.
func OfFile(verb string) bool { return slices.Contains(ofFile, verb) }

var ofFile = []string{"export", "type"}

// Read interprets the directives of k. The errors have positions and are sorted; with
// errors, the Spec is incomplete.
func Read(k *Kernel, directives []cu.Directive) (*Spec, diag.List) {
	r := &reader{Kernel: k, spec: &Spec{Plain: make(map[int]bool), Nullable: make(map[int]bool), Texels: make(map[int]model.GoType)}, seen: make(map[string]cu.Directive), inferred: make(map[int]value)}
	ordered := slices.Clone(directives)
	slices.SortStableFunc(ordered, func(a, b cu.Directive) int { return readingOrder(a.Verb) - readingOrder(b.Verb) })
	for _, d := range ordered {
		read, known := verbs[d.Verb]
		if !known {
			r.errs.Add(d.Pos, UnknownVerb(d.Verb))
			continue
		}
		if first, again := r.seen[d.Verb]; again && !slices.Contains(repeated, d.Verb) {
			r.errorf(d.Pos, diag.Contradiction, "%s is given twice, first in line %d", d.Verb, first.Pos.Line)
			continue
		}
		r.seen[d.Verb] = d
		read(r, d)
	}
	r.checkNullables()
	r.launch()
	return r.spec, r.errs.Sorted()
}

// repeated are the verbs that a kernel may have more than once.
var repeated = []string{"kernel", "len", "infer", "ptr", "nullable", "texture", "surface", "data"}

// readingOrder puts what expressions may refer to first: the block and which pointers have
// lengths, then what is inferred.
func readingOrder(verb string) int {
	switch verb {
	case "block", "ptr":
		return 0
	case "infer":
		return 1
	}
	return 2
}

// UnknownVerb returns the error for an unknown verb, with the nearest known verb; it is zero for a
// known verb.
func UnknownVerb(verb string) diag.Message {
	if verbs[verb] != nil || OfFile(verb) {
		return diag.Message{}
	}
	if verb == "instantiate" {
		return diag.StrayDirective.Errorf("instantiate is not attached to a template: %w", diag.Do("put it directly above one"))
	}
	known := slices.AppendSeq([]string{"instantiate"}, maps.Keys(verbs))
	known = append(known, ofFile...)
	slices.Sort(known)
	const prefix = "//cudagen:"
	m := diag.UnknownDirective.Errorf("unknown directive %q%w", verb, Nearest(verb, known))
	if edit := m.Remedy.Edit; edit.New != "" {
		m.Remedy = m.Remedy.By(prefix+edit.Old, prefix+edit.New) // it is reported at the comment
	}
	return m
}

// Nearest returns a hint at the name most like got.
func Nearest(got string, names []string) diag.Message {
	if len(names) == 0 {
		return diag.Message{}
	}
	best := slices.MinFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(got, a) - levenshtein.ComputeDistance(got, b)
	})
	if levenshtein.ComputeDistance(got, best) <= len(got)/2 {
		return diag.Do("did you mean %s?", best).By(got, best).Hint()
	}
	return diag.Message{Text: " (there are " + strings.Join(names, ", ") + ")"}
}

// A reader reads the directives of one kernel.
type reader struct {
	*Kernel
	spec *Spec
	errs diag.List
	seen map[string]cu.Directive // by verb

	inferred    map[int]value // by parameter
	blockDims   []model.Expr
	gridDims    []model.Expr
	gridWith    []model.Expr // in terms of a configuration of the caller's
	sharedBytes model.Expr
	sharedWith  model.Expr
	clusterDims []int64
	nullables   []namedPointer
}

func (r *reader) errorf(pos token.Position, code diag.Code, format string, args ...any) {
	r.errs.Add(pos, code.Errorf(format, args...).About(r.Name))
}

func (r *reader) kernel(d cu.Directive) {
	selects := d.Args == "" && d.Withheld == ""
	if r.spec.Export && (selects && r.spec.Selects || d.Args != "" && r.spec.GoName != "") {
		r.errorf(d.Pos, diag.Contradiction, "kernel is given twice: one line may choose the kernel, and another one give its Go name")
		return
	}
	r.spec.Export = true
	r.spec.Selects = r.spec.Selects || selects
	if d.Args != "" && !goname.IsExported(d.Args) {
		name := goname.Exported(r.Name)
		r.errorf(d.ArgsPos, diag.GoName, "%s is not an exported Go name: %w", d.Args, diag.Do("write //cudagen:kernel %s", name).By(d.Args, name))
		return
	}
	r.spec.GoName = cmp.Or(d.Args, r.spec.GoName)
}

func (r *reader) ignore(d cu.Directive) {
	if d.Args != "" {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "ignore takes no arguments, found %s", d.Args)
		return
	}
	r.spec.Ignore = true
}

func (r *reader) block(d cu.Directive) {
	r.blockDims = r.dims(d, exprScope{})
	threads := int64(1)
	for _, dim := range r.blockDims {
		if !dim.Const {
			r.errorf(d.ArgsPos, diag.LaunchConfig, "the block must be constant, %s is not: %w", dim.Source, diag.Do("remove the directive and use LaunchWith"))
			return
		}
		if dim.Value < 1 || dim.Value > maxBlockThreads {
			r.errorf(d.ArgsPos, diag.LaunchConfig, "a block has from 1 to %d threads, not %d", maxBlockThreads, dim.Value)
			return
		}
		threads *= dim.Value
	}
	if threads > maxBlockThreads {
		r.errorf(d.ArgsPos, diag.LaunchConfig, "a block has at most %d threads, this one has %d", maxBlockThreads, threads)
	}
	if size := r.fixedBlock(); size != nil && !slices.Equal(size, r.blockSize()) {
		r.errorf(d.ArgsPos, diag.LaunchConfig, "a block of %s breaks the kernel's __block_size__(%s)", d.Args, list(r.BlockSize))
	}
	if len(r.LaunchBounds) > 0 && threads > r.LaunchBounds[0] {
		r.errorf(d.ArgsPos, diag.LaunchConfig, "a block of %d threads breaks the kernel's __launch_bounds__(%d)", threads, r.LaunchBounds[0])
	}
}

// maxBlockThreads is the limit of every device so far. CUDA C++ Programming Guide,
// Compute Capabilities, Technical Specifications.
const maxBlockThreads = 1024

func (r *reader) grid(d cu.Directive) {
	if other := map[string]string{"grid": "threads", "threads": "grid"}[d.Verb]; r.seen[other].Verb != "" {
		r.errorf(d.Pos, diag.Contradiction, "%s and grid both set the size of the grid: %w", "threads", diag.Do("keep one of %s and %s", other, d.Verb))
		return
	}
	r.gridDims = r.dims(d, exprScope{block: r.blockSize()})
	r.gridWith = r.dimsWith(d, r.gridDims)
	for _, dim := range r.gridDims {
		if dim.Most < 1 {
			r.errorf(d.ArgsPos, diag.ExpressionValue, "%s %s is %s: a launch needs at least 1 in every dimension", d.Verb, dim.Source, atMost(dim))
		}
	}
}

func (r *reader) shared(d cu.Directive) {
	dims := r.dims(d, exprScope{block: r.blockSize()})
	if len(dims) > 1 {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "shared takes one expression, found %d", len(dims))
		return
	}
	if len(dims) == 1 {
		r.sharedBytes, r.sharedWith = dims[0], r.dimsWith(d, dims)[0]
		if dims[0].Most < 0 {
			r.errorf(d.ArgsPos, diag.ExpressionValue, "%s is %s bytes: shared memory must be at least 0 bytes", dims[0].Source, atMost(dims[0]))
		}
		if dims[0].Const && dims[0].Value > maxGridBlocks {
			r.errorf(d.ArgsPos, diag.ExpressionValue, "%s is %d bytes of shared memory, more than any device has", dims[0].Source, dims[0].Value)
		}
	}
}

// atMost writes the largest value of x for a message.
func atMost(x model.Expr) string {
	if x.Const {
		return fmt.Sprint(x.Value)
	}
	return fmt.Sprint("at most ", x.Most)
}

// maxGridBlocks is the limit of every device so far, in the first dimension. CUDA C++
// Programming Guide, Compute Capabilities, Technical Specifications.
const maxGridBlocks = 1<<31 - 1

// maxClusterBlocks is the limit of every device so far; 8 is what all with clusters take.
// CUDA C++ Programming Guide, Thread Block Clusters.
const maxClusterBlocks = 16

func (r *reader) cluster(d cu.Directive) {
	blocks := int64(1)
	for _, dim := range r.dims(d, exprScope{}) {
		if !dim.Const {
			r.errorf(d.ArgsPos, diag.LaunchConfig, "the cluster must be constant, %s is not: %w", dim.Source, diag.Do("remove the directive and use LaunchWith"))
			return
		}
		if dim.Value < 1 || dim.Value > maxClusterBlocks {
			r.errorf(d.ArgsPos, diag.LaunchConfig, "a cluster has from 1 to %d blocks, not %d", maxClusterBlocks, dim.Value)
			return
		}
		blocks *= dim.Value
		r.clusterDims = append(r.clusterDims, dim.Value)
	}
	if blocks > maxClusterBlocks {
		r.errorf(d.ArgsPos, diag.LaunchConfig, "a cluster has at most %d blocks, this one has %d", maxClusterBlocks, blocks)
	}
	if len(r.ClusterDims) > 0 && len(r.clusterDims) > 0 && three(r.ClusterDims) != three(r.clusterDims) {
		r.errorf(d.ArgsPos, diag.LaunchConfig, "a cluster of %s breaks the kernel's __cluster_dims__(%s)", d.Args, list(r.ClusterDims))
	}
}

func (r *reader) cooperative(d cu.Directive) {
	if d.Args != "" {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "cooperative takes no arguments, found %s", d.Args)
	}
}

// three returns dims in three dimensions; what is missing is 1.
func three(dims []int64) [3]int64 {
	all := [3]int64{1, 1, 1}
	copy(all[:], dims)
	return all
}

// list writes numbers as in source: 2, 1.
func list(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// blockSize returns the constant block in three dimensions, or nil before the
// kernel has one.
func (r *reader) blockSize() []int64 {
	if len(r.blockDims) == 0 {
		if size := r.fixedBlock(); size != nil && r.seen["block"].Verb == "" {
			return size
		}
		if len(r.LaunchBounds) > 0 && r.seen["block"].Verb == "" {
			return []int64{r.LaunchBounds[0], 1, 1}
		}
		return nil
	}
	size := []int64{1, 1, 1}
	for i, dim := range r.blockDims {
		size[i] = dim.Value
	}
	return size
}

// fixedBlock returns the block that __block_size__ demands in three dimensions, or nil.
func (r *reader) fixedBlock() []int64 {
	if len(r.BlockSize) == 0 || len(r.BlockSize) > 3 {
		return nil
	}
	size := []int64{1, 1, 1}
	copy(size, r.BlockSize)
	return size
}

// launch joins block, threads or grid, and shared.
func (r *reader) launch() {
	block := r.blockSize()
	_, hasBlock := r.seen["block"]
	threads, hasThreads := r.seen["threads"]
	_, hasGrid := r.seen["grid"]
	shared, hasShared := r.seen["shared"]
	cluster, hasCluster := r.seen["cluster"]
	cooperative, hasCooperative := r.seen["cooperative"]
	gridVerb := "threads"
	if hasGrid {
		gridVerb = "grid"
	}
	switch {
	case hasBlock && !hasThreads && !hasGrid:
		r.errorf(r.seen["block"].Pos, diag.LaunchConfig, "block needs threads or grid: %w", diag.Do("add //cudagen:threads with the total number of threads"))
	case (hasThreads || hasGrid) && block == nil:
		if !hasBlock {
			d := threads
			if hasGrid {
				d = r.seen["grid"]
			}
			r.errorf(d.Pos, diag.LaunchConfig, "%s needs a block: %w", d.Verb, diag.Do("add //cudagen:block, or __launch_bounds__ to the kernel"))
		}
	case hasShared && !hasThreads && !hasGrid:
		r.errorf(shared.Pos, diag.LaunchConfig, "shared needs block and threads or grid: without them there is only LaunchWith, which takes it from its caller")
	case hasCluster && !hasThreads && !hasGrid:
		r.errorf(cluster.Pos, diag.LaunchConfig, "cluster needs block and threads or grid: without them there is only LaunchWith, which takes it from its caller")
	case hasCooperative && !hasThreads && !hasGrid:
		r.errorf(cooperative.Pos, diag.LaunchConfig, "cooperative needs block and threads or grid: without them there is only LaunchWith, which takes it from its caller")
	case (hasThreads || hasGrid) && len(r.BlockSize) > 0 && len(r.ClusterDims) > 0:
		r.errorf(r.seen[gridVerb].Pos, diag.LaunchConfig, "the kernel's __block_size__ has a cluster, so its grid counts clusters: %w", diag.Do("remove %s and use LaunchWith", gridVerb))
	case hasThreads && len(r.gridDims) > 0 && len(r.gridDims) < usedDims(block):
		r.errorf(threads.ArgsPos, diag.LaunchConfig, "the block has %d dimensions, threads %d: %w", usedDims(block), len(r.gridDims), diag.Do("give every dimension"))
	}
	switch {
	case block == nil:
		r.spec.NoLaunch = "//cudagen:block and //cudagen:threads"
	case len(r.gridDims) == 0:
		r.spec.NoLaunch = "//cudagen:threads"
	}
	if len(r.gridDims) == 0 || block == nil || len(r.errs) > 0 {
		return
	}
	one := constant(1)
	l := &model.Launch{Threads: hasThreads, Shared: r.sharedBytes, SharedWith: r.sharedWith, Grid: [3]model.Expr{one, one, one}, GridWith: [3]model.Expr{one, one, one}}
	copy(l.Grid[:], r.gridDims)
	copy(l.GridWith[:], r.gridWith)
	for i := range l.Block {
		l.Block[i] = constant(block[i])
	}
	for i, dim := range l.Grid {
		blocks := dim.Value
		if l.Threads {
			blocks = (blocks-1)/max(1, block[i]) + 1
		}
		if dim.Const && blocks > maxGridBlocks {
			r.errorf(r.seen[gridVerb].ArgsPos, diag.LaunchConfig, "%s is %d, and needs more than %d blocks", dim.Source, dim.Value, maxGridBlocks)
		}
	}
	r.joinCluster(l)
	l.Cooperative = hasCooperative
	r.spec.Launch = l
}

// joinCluster gives l the cluster of the directive or of the kernel itself.
func (r *reader) joinCluster(l *model.Launch) {
	dims := r.clusterDims
	if len(r.ClusterDims) > 0 {
		dims, l.ClusterFixed = r.ClusterDims, true
	}
	if len(dims) == 0 {
		return
	}
	l.Cluster = three(dims)
	for i, dim := range l.Grid {
		if !l.Threads && dim.Const && dim.Value%l.Cluster[i] != 0 {
			r.errorf(r.seen["grid"].ArgsPos, diag.LaunchConfig, "the grid has %d blocks in dimension %d, must be a multiple of the cluster's %d", dim.Value, i, l.Cluster[i])
		}
	}
}

func usedDims(block []int64) int {
	n := len(block)
	for n > 0 && block[n-1] == 1 {
		n--
	}
	return n
}

func (r *reader) len(d cu.Directive) {
	for _, a := range r.assignments(d) {
		i, ok := r.param(a)
		if !ok {
			continue
		}
		if !r.Params[i].Pointer {
			r.errorf(a.namePos, diag.ParameterKind, "len needs a pointer, but parameter %s is not a pointer", a.name)
			continue
		}
		if r.spec.Plain[i] {
			r.errorf(a.namePos, diag.ParameterKind, "%s is a plain pointer by //cudagen:ptr, which has no length: %w", a.name, diag.Do("remove one of the two"))
			continue
		}
		if err := r.Params[i].Bytes; err != nil {
			r.errorf(a.namePos, diag.CodeOr(err, diag.NoLayout), "%w", inBytes(a.name, err))
			continue
		}
		if slices.ContainsFunc(r.spec.Checks, func(c model.Check) bool { return c.Param == i }) {
			r.errorf(a.namePos, diag.Contradiction, "len of %s is given twice", a.name)
			continue
		}
		value, ok := r.expression(a.expr, a.exprPos, exprScope{config: true})
		if !ok {
			continue
		}
		if value.hi.Sign() < 0 {
			r.errorf(a.exprPos, diag.ExpressionValue, "%s is %s: a length must be at least 0", a.expr, atMost(value.expr(a.expr)))
			continue
		}
		r.spec.Checks = append(r.spec.Checks, model.Check{Param: i, Len: value.expr(a.expr)})
	}
}

// inBytes refuses a length of param, whose elements are bytes in Go because of err.
func inBytes(param string, err error) diag.Message {
	return diag.CodeOr(err, diag.NoLayout).Errorf("the elements of %s have no form in Go, where it is a slice of bytes, so that their number is not known: %s: %w", param, diag.MessageOf(err).Text,
		diag.Do("leave the length out, and check it where the kernel is launched"))
}

func (r *reader) infer(d cu.Directive) {
	for _, a := range r.assignments(d) {
		i, ok := r.param(a)
		if !ok {
			continue
		}
		if slices.ContainsFunc(r.spec.Infers, func(f model.Infer) bool { return f.Param == i }) {
			r.errorf(a.namePos, diag.Contradiction, "%s is inferred twice", a.name)
			continue
		}
		integer := r.Params[i].Integer
		if integer == nil || integer.Bool {
			r.errorf(a.namePos, diag.ParameterKind, "infer needs an integer, but parameter %s is not an integer", a.name)
			continue
		}
		value, ok := r.expression(a.expr, a.exprPos, exprScope{infer: true})
		if !ok {
			continue
		}
		fits := value.hi.Cmp(new(big.Int).SetUint64(integer.Max)) <= 0
		switch {
		case value.lo.Cmp(big.NewInt(integer.Min)) < 0:
			r.errorf(a.exprPos, diag.ExpressionValue, "%s can be less than %d, the minimum of %s", a.expr, integer.Min, a.name)
			continue
		case value.maybe && value.lo.Sign() < 0:
			r.errorf(a.exprPos, diag.ExpressionValue, "%s can overflow 64 bits, and be negative", a.expr)
			continue
		case value.lo.Cmp(new(big.Int).SetUint64(integer.Max)) > 0:
			r.errorf(a.exprPos, diag.ExpressionValue, "%s is at least %s, more than %d, the maximum of %s", a.expr, value.lo, integer.Max, a.name)
			continue
		}
		infer := model.Infer{Param: i, Value: value.expr(a.expr)}
		infer.Value.Signed = value.maybe
		if !fits {
			infer.Max = integer.MaxName
		}
		r.inferred[i] = value
		r.spec.Infers = append(r.spec.Infers, infer)
	}
}

func (r *reader) index(name string) int {
	return slices.IndexFunc(r.Params, func(p Param) bool { return p.Name == name })
}

// param returns the index of the parameter that a assigns to.
func (r *reader) param(a assignment) (int, bool) {
	i := r.index(a.name)
	if i < 0 {
		r.errorf(a.namePos, diag.ExpressionName, "there is no parameter %s%w", a.name, Nearest(a.name, r.names()))
	}
	return i, i >= 0
}

func (r *reader) names() []string {
	var names []string
	for _, p := range r.Params {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	return names
}
