package read

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/source"
)

// selectKernels selects the kernels to generate for: of the candidates those with a kernel
// directive, or all without an ignore directive when none has a kernel directive that gives no name.
//
// With o.KeepGoing, the kernels that cannot be wrapped are left out, as long as others remain.
func selectKernels(s *selection.Selection, o Options) error {
	list, idle := candidates(s.File, o.All)
	s.Notes = notes(s.File, idle)
	if o.All && o.Images {
		list, s.Open = openTemplates(s.File, list)
		for _, k := range s.Open {
			examine(k, o)
		}
	}
	chosen, bad, errs := chooseKernels(s.File, list, len(s.Open) > 0)
	s.Bad = bad
	var refused diag.List
	for _, k := range chosen {
		examine(k, o)
		switch {
		case len(k.Problems) == 0:
			s.Kernels = append(s.Kernels, k)
		case unclear(k):
			s.Unclear = append(s.Unclear, k)
		default:
			s.Bad = append(s.Bad, k)
		}
	}
	others := len(s.Kernels)+len(s.Unclear) > 0
	for _, k := range s.Bad {
		if others && !o.KeepGoing {
			k.Problems = source.Hint(k.Problems, "-keep-going leaves the kernel out")
		}
		refused = append(refused, k.Problems...)
	}
	refused = refused.Sorted()
	if o.KeepGoing && others {
		s.Refused = refused
	} else {
		errs = append(errs, refused...)
	}
	return errs.Sorted().Err()
}

// chooseKernels returns those of list that the directives choose, and the bad ones, whose directives do not say
// whether they do. errs says what is wrong with the choice as a whole; with more there may be others.
func chooseKernels(file *cu.File, list []*cu.Kernel, more bool) (chosen, bad []*selection.Kernel, errs diag.List) {
	start := token.Position{Filename: file.Name, Line: 1, Column: 1}
	errs = strays(file, list)
	var all []*selection.Kernel
	marked := false
	for _, k := range list {
		s := readDirectives(file, k)
		if k.Instance != nil && k.Instance.GoName != "" {
			s.Spec.GoName = k.Instance.GoName
		}
		marked = marked || s.Spec.Selects
		all = append(all, s)
	}
	withheld(all)
	if len(all) == 0 && !more {
		errs.Add(start, noKernel(file))
	}
	for _, s := range all {
		refuse := func(m diag.Message) {
			s.Problems = diag.List{diag.NewError(s.Directives[0].Pos, m.About(s.Name))}
			bad = append(bad, s)
		}
		switch {
		case s.Spec.Export && s.Spec.Ignore:
			refuse(diag.Contradiction.Errorf("is both exported and ignored: %w", diag.Do("keep one of the two directives")))
		case s.Spec.Ignore:
		case !marked || s.Spec.Export:
			chosen = append(chosen, s)
		case len(s.Directives) > 0:
			refuse(diag.Contradiction.Errorf("has directives, but other kernels have //cudagen:kernel and this one does not: %w", diag.Do("add it, or //cudagen:ignore")))
		}
	}
	if len(all) > 0 && len(chosen)+len(bad) == 0 && !marked && !more {
		errs.Add(start, diag.NoKernel.New("every kernel in this file is ignored"))
	}
	return chosen, bad, errs
}

// withheld adds to the problems of kernels that the Go name above their template is none of theirs, because several
// are made of it.
func withheld(all []*selection.Kernel) {
	type given struct {
		at   token.Position
		name string
	}
	made := make(map[given][]*selection.Kernel)
	for _, s := range all {
		for _, d := range s.Directives {
			if d.Withheld == "" || s.Spec.Ignore || s.Spec.GoName != "" {
				continue
			}
			g := given{d.Pos, d.Withheld}
			made[g] = append(made[g], s)
		}
	}
	for g, kernels := range made {
		if slices.ContainsFunc(all, func(s *selection.Kernel) bool { return s.Spec.GoName == g.name }) {
			continue // a directive instantiate makes that one
		}
		var names []string
		for _, s := range kernels[:min(len(kernels), 3)] {
			names = append(names, s.QualifiedName())
		}
		m := diag.GoName.Errorf("the Go name %s is that of one kernel, and this template has several, such as %s: %w", g.name, strings.Join(names, " and "), diag.Do("write //cudagen:kernel GoName above each explicit instantiation instead, or //cudagen:instantiate with its arguments and a GoName above the template"))
		for _, s := range kernels {
			s.Problems.Add(g.at, m.About(s.Instance.Template.Name))
		}
	}
}

// unclear reports whether the types of parameters are all that is wrong with k.
func unclear(k *selection.Kernel) bool {
	return len(k.Errors) > 0 && !k.Template && k.Defined && (k.Instance == nil || k.Args != nil)
}

// maxParams returns how many bytes of parameters a kernel may have on all of archs.
func maxParams(archs []string) int64 {
	for _, arch := range archs {
		if number := source.Arch(arch); number != 0 && number < 70 {
			return layout.MaxParamsBefore70
		}
	}
	return layout.MaxParams
}

// examine lays out the parameters of k, and adds to its problems why it cannot be wrapped.
// Those of its directives are there.
func examine(k *selection.Kernel, o Options) {
	var errs diag.List
	for _, e := range k.Errors {
		errs.Add(e.Pos, wayOn(e.Message))
	}
	errs = append(errs, k.Problems...)
	if line, found := nearDirective(k.Doc); found {
		errs.Add(k.Pos, diag.StrayDirective.Errorf("the comment %q above it looks like a directive but is not one: %w", line, diag.Do("write //cudagen:verb, without blanks, on a line of its own")).About(k.Name))
	}
	switch {
	case k.Template:
		remedy := diag.Do("%s, or //cudagen:ignore", directive.Instantiations(k.Kernel))
		if !o.All && o.Images {
			remedy = diag.Do("%s, or give -all, which wraps what the compiler makes of it", remedy)
		}
		errs.Add(k.Pos, diag.Template.Errorf("is a template: %w", remedy).About(k.Name))
	case !k.Defined:
		errs.Add(k.Pos, diag.StrayDirective.Errorf("is declared here but not defined: %w", diag.Do("put the directives above the definition, or include the file that has it")).About(k.Name))
	case len(errs) == 0:
		block, err := layOut(k.Kernel)
		if most := maxParams(o.Archs); err == nil && block.Bytes > most {
			err = diag.ParameterBytes.Errorf("its parameters have %d bytes, and below compute capability 7.0 they may have %d: %w", block.Bytes, most, diag.Do("raise -arch")).About(k.Name)
		}
		if err != nil {
			errs.Add(k.Pos, diag.MessageOf(err).With(diag.Hint("hand it over by a pointer, or add //cudagen:ignore")).About(k.Name))
		}
		k.Block = block
	}
	k.Problems = errs
}

// layOut computes the offsets of the parameters of k.
func layOut(k *cu.Kernel) (block selection.Block, err error) {
	types := make([]ctype.Type, len(k.Params))
	for i, p := range k.Params {
		types[i] = p.Type
	}
	block.Places, block.Bytes, block.Align, err = layout.Params(types)
	if err != nil {
		return selection.Block{}, err
	}
	return block, nil
}

// wayOn returns a message of the front end with a remedy, unless it has one, for users who cannot change
// the source.
func wayOn(message diag.Message) diag.Message {
	if !message.Remedy.IsZero() {
		return message
	}
	remedy := diag.Do("leave the kernel out with //cudagen:ignore")
	return message.With(diag.Message{Text: " (or " + remedy.Error() + ")", Remedy: remedy})
}

// strays returns the errors of directives that stand above no declaration. Of directives on consecutive
// lines, or above the same code, it reports the first: the others have the same cause.
func strays(file *cu.File, kernels []*cu.Kernel) (errs diag.List) {
	var above token.Position // of the directive above
	var code token.Position  // below that
	for _, d := range file.Directives {
		if directive.OfFile(d.Verb) || d.Verb == "data" {
			continue
		}
		if unknown := directive.UnknownVerb(d.Verb); unknown.Text != "" {
			errs.Add(d.Pos, unknown.With(file.MissingHint()))
			continue
		}
		below := file.Below[d.Pos.Offset]
		if !above.IsValid() || d.Pos.Line != above.Line+1 && (below.Pos != code || !code.IsValid()) {
			errs.Add(d.Pos, stray(d, below, kernels).With(file.MissingHint()))
		}
		above, code = d.Pos, below.Pos
	}
	return errs
}

// stray says what is wrong with a directive that is not attached to a declaration. Code may stand
// below it. It names the nearest of the kernels in the same file.
func stray(d cu.Directive, below cu.Below, kernels []*cu.Kernel) diag.Message {
	switch {
	case below.Kernel && below.Open.Text == ">":
		return diag.StrayDirective.Errorf("directive %s is not attached to a declaration: it is inside of one: %w", d.Verb, diag.Do("put it above the template<…> that ends in line %d", below.Open.Pos.Line))
	case below.Kernel && below.Open.Text != "":
		return diag.StrayDirective.Errorf("directive %s is not attached to a declaration: it is inside of one that begins above it: %w", d.Verb, diag.Do("put a ; behind %s in line %d, or what else ends that", below.Open.Text, below.Open.Pos.Line))
	case below.Function.Text != "" && !below.Kernel && len(kernels) == 0:
		return diag.StrayDirective.Errorf("directive %s is not attached to a declaration: %s in line %d is not a kernel: %w", d.Verb, below.Function.Text, below.Function.Pos.Line, diag.Do("write __global__ in front of it"))
	}
	remedy := diag.Do("put it directly above a kernel")
	var nearest *cu.Kernel
	distance := func(k *cu.Kernel) int { return max(k.Pos.Line-d.Pos.Line, d.Pos.Line-k.Pos.Line) }
	for _, k := range kernels {
		if k.Pos.Filename == d.Pos.Filename && (nearest == nil || distance(k) < distance(nearest)) {
			nearest = k
		}
	}
	if nearest != nil {
		remedy = diag.Do("%s, such as %s in line %d", remedy, nearest.Name, nearest.Pos.Line)
	}
	message := diag.StrayDirective.Errorf("directive %s is not attached to a declaration: %w", d.Verb, remedy)
	if below.Function.Text != "" && !below.Kernel {
		message.Text += fmt.Sprintf(" (%s in line %d is not one)", below.Function.Text, below.Function.Pos.Line)
	}
	return message
}

// readDirectives names the arguments of k and reads its directives.
func readDirectives(file *cu.File, k *cu.Kernel) *selection.Kernel {
	s := &selection.Kernel{Kernel: k, Origin: k, Query: selection.QueryOf(file, k)}
	var clashes diag.List
	s.GoArgs, s.GoFields, clashes = argumentNames(k)
	in := &directive.Kernel{Name: k.Name, LaunchBounds: k.LaunchBounds, BlockSize: k.BlockSize, ClusterDims: k.ClusterDims, Loose: file.Loose}
	in.Constants, in.Named = visibleConstants(file, k)
	for i, p := range k.Params {
		param := directive.Param{Name: p.Name, GoName: s.GoArgs[i]}
		if p.Type != nil {
			if param.Pointer = pointsAtData(p.Type); param.Pointer {
				param.Bytes = layout.Formless(p.Type)
			}
			param.Integer = integer(p.Type)
			switch {
			case ctype.HasName(p.Type, "cudaTextureObject_t"):
				param.Handle = directive.Texture
			case ctype.HasName(p.Type, "cudaSurfaceObject_t"):
				param.Handle = directive.Surface
			}
		}
		in.Params = append(in.Params, param)
	}
	s.Spec, s.Problems = directive.Read(in, slices.DeleteFunc(slices.Clone(k.Directives), func(d cu.Directive) bool { return directive.OfFile(d.Verb) }))
	for _, d := range k.Directives {
		if d.Unclear.Text != "" {
			s.Problems.Add(d.Pos, d.Unclear.About(k.Name))
		}
	}
	s.Problems = append(s.Problems, clashes...)
	return s
}

// argumentNames returns the Go names of the parameters of k: as arguments, and as fields.
func argumentNames(k *cu.Kernel) (locals, fields []string, errs diag.List) {
	local := []goname.Claim{goname.Fixed(slices.Concat(emit.ReservedNames, emit.PackageNames(kernelGoName(k)))...)}
	field := []goname.Claim{goname.Fixed(emit.OwnersField)}
	for i, p := range k.Params {
		local, field = append(local, goname.Local(p.Name, i)), append(field, goname.Field(p.Name, i))
	}
	settle := func(claims []goname.Claim) (list []string) {
		names, clashes := goname.Settle(claims)
		for _, c := range clashes {
			p, other := k.Params[c.Claim-1], k.Params[max(c.Other-1, 0)]
			errs.Add(p.Pos, diag.GoName.Errorf("the parameters %s and %s have the same Go name: %w", p.Name, other.Name, diag.Do("rename one of them")).About(k.Name))
			names[c.Claim] = []string{c.Name}
		}
		for _, n := range names[1:] {
			list = append(list, n[0])
		}
		return list
	}
	locals, fields = settle(local), settle(field)
	return locals, fields, errs.Sorted()
}

// kernelGoName returns the Go name that k is given, or would be.
func kernelGoName(k *cu.Kernel) string {
	for _, d := range k.Directives {
		if d.Verb == "kernel" && goname.IsExported(d.Args) {
			return d.Args
		}
	}
	return goname.Exported(k.Name)
}

// nearDirective returns the line of a comment that looks like a directive but is not one: because of
// a blank or a slash too many, or of something else than a colon before the verb of a directive.
func nearDirective(doc []string) (line string, found bool) {
	for _, line := range doc {
		m := likeDirective.FindStringSubmatch(line)
		if m != nil && (m[1] == ":" || directive.UnknownVerb(m[2]).Text == "" && len(strings.Fields(m[3])) <= 1) {
			return line, true
		}
	}
	return "", false
}

// likeDirective matches a comment that may be meant as a directive: what stands behind the word
// cudagen, the verb, and the rest. A sentence may begin with that word, too.
var likeDirective = regexp.MustCompile(`(?i)^[ \t/*!]*cudagen[ \t]*([:=_-]?)[ \t]*(\w*)(.*)$`)

// visibleConstants returns the constants that an unqualified name means inside of k, and those
// that k names with the reasons why others have no value: a macro that is defined again behind k.
func visibleConstants(file *cu.File, k *cu.Kernel) (visible map[string]int64, named map[string]cu.Constant) {
	visible, named = make(map[string]int64), make(map[string]cu.Constant)
	maps.Copy(named, k.Constants)
	for name := range file.Constants {
		if strings.Contains(name, "(") {
			continue // sizeof(…)
		}
		last := name[strings.LastIndex(name, ":")+1:]
		qualified, ok := file.ConstantName(k.Namespace, last)
		if again, redefined := file.Redefined[qualified]; redefined && (again.Filename != k.Pos.Filename || again.Offset > k.Pos.Offset) {
			if _, known := named[last]; !known {
				named[last] = cu.Constant{Reason: diag.Macro.Errorf("it is defined several times, at last at %s:%d, and may have another value here: %w", filepath.Base(again.Filename), again.Line, diag.Do("write the value, or a constexpr of another name"))}
			}
			continue
		}
		if ok {
			visible[last] = file.Constants[qualified]
		}
	}
	return visible, named
}

// integers are the integer types that directives can calculate with, by C++ type.
var integers = map[ctype.Kind]directive.Integer{
	ctype.Bool:             {Min: 0, Max: 1, Bool: true},
	ctype.Char8:            {Min: 0, Max: 1<<8 - 1, MaxName: "MaxUint8"},
	ctype.Char16:           {Min: 0, Max: 1<<16 - 1, MaxName: "MaxUint16"},
	ctype.Char32:           {Min: 0, Max: 1<<32 - 1, MaxName: "MaxUint32"},
	ctype.WChar:            {Min: -1 << 31, Max: 1<<31 - 1, MaxName: "MaxInt32"},
	ctype.Char:             {Min: -1 << 7, Max: 1<<7 - 1, MaxName: "MaxInt8"},
	ctype.SignedChar:       {Min: -1 << 7, Max: 1<<7 - 1, MaxName: "MaxInt8"},
	ctype.UnsignedChar:     {Min: 0, Max: 1<<8 - 1, MaxName: "MaxUint8"},
	ctype.Short:            {Min: -1 << 15, Max: 1<<15 - 1, MaxName: "MaxInt16"},
	ctype.UnsignedShort:    {Min: 0, Max: 1<<16 - 1, MaxName: "MaxUint16"},
	ctype.Int:              {Min: -1 << 31, Max: 1<<31 - 1, MaxName: "MaxInt32"},
	ctype.UnsignedInt:      {Min: 0, Max: 1<<32 - 1, MaxName: "MaxUint32"},
	ctype.Long:             {Min: -1 << 63, Max: 1<<63 - 1},
	ctype.UnsignedLong:     {Min: 0, Max: 1<<64 - 1},
	ctype.LongLong:         {Min: -1 << 63, Max: 1<<63 - 1},
	ctype.UnsignedLongLong: {Min: 0, Max: 1<<64 - 1},
}

// pointsAtData reports whether t is a pointer or a reference, but not to a function.
func pointsAtData(t ctype.Type) bool {
	elem := ctype.Pointee(t)
	if elem == nil {
		return false
	}
	_, function := ctype.Unqualified(elem).(*ctype.Function)
	return !function
}

// integer returns the range of t, or of the type below an enumeration, or nil.
func integer(t ctype.Type) *directive.Integer {
	t = ctype.Unqualified(t)
	if enum, ok := t.(*ctype.Enum); ok && enum.Underlying != nil {
		t = enum.Underlying
	}
	basic, ok := t.(*ctype.Basic)
	if !ok {
		return nil
	}
	i, ok := integers[basic.Kind]
	if !ok {
		return nil
	}
	return &i
}
