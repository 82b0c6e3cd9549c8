package compare

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
)

// Questions are what the extra compilation asks about. C++ cannot say everything at the end of a
// source: what a compiler refuses is asked in another way, or left out.
type Questions struct {
	kernels   []kernelQuestion
	types     []typeQuestion
	constants []constantQuestion
}

// A kernelQuestion asks for the parameters of a kernel.
type kernelQuestion struct {
	origin  *cu.Kernel
	query   witness.KernelQuery
	typed   *witness.KernelQuery // the same with the types of the parameters, to try next: of a name that host functions have, too
	refused string               // why the compiler does not answer; empty when it may
}

// A typeQuestion asks for a class or enumeration.
type typeQuestion struct {
	subject Subject
	way     int    // index into subject.Ways, of the one that is tried
	parts   bool   // offsets and values are asked for, too
	refused string // why the compiler does not answer, or did not in another way
}

// A constantQuestion asks for the value of a constant.
type constantQuestion struct {
	name    string // qualified
	refused string
}

// about returns the questions about types in the ways that are best.
func about(subjects []Subject) *Questions {
	q := new(Questions)
	for _, s := range subjects {
		q.types = append(q.types, typeQuestion{subject: s, parts: s.Type != nil})
	}
	return q
}

// subjects returns the classes and enumerations that are asked for.
func (q *Questions) subjects() []Subject {
	list := make([]Subject, len(q.types))
	for i, t := range q.types {
		list[i] = t.subject
	}
	return list
}

// An Inquiry is what is asked in one compilation, and which question each query is from.
type Inquiry struct {
	witness.Queries
	kernels, types, constants []int // indices into questions
}

// Inquiry returns the queries for what is not refused.
func (q *Questions) Inquiry() *Inquiry {
	in := new(Inquiry)
	for i, k := range q.kernels {
		if k.refused == "" {
			in.kernels, in.Kernels = append(in.kernels, i), append(in.Kernels, k.query)
		}
	}
	asked := make(map[int]int) // index in Types, by question
	for i := range q.types {
		query, ok := q.types[i].query(asked, len(in.Types))
		if !ok {
			continue
		}
		if q.types[i].parts {
			query.Fields, query.Enumerators = q.types[i].subject.Parts()
		}
		asked[i] = len(in.Types)
		in.types, in.Types = append(in.types, i), append(in.Types, query)
	}
	for i, c := range q.constants {
		if c.refused == "" {
			in.constants, in.Constants = append(in.constants, i), append(in.Constants, c.name)
		}
	}
	return in
}

// query returns the query for the type of t, in the first way that there is, which becomes the one with an index. asked has the index of
// each question before it in Queries.Types.
func (t *typeQuestion) query(asked map[int]int, index int) (query witness.TypeQuery, ok bool) {
	for ; t.way < len(t.subject.Ways); t.way++ {
		way := t.subject.Ways[t.way]
		if way.Says != "" {
			return witness.TypeQuery{Says: way.Says}, true
		}
		i, ok := asked[way.Parent]
		switch {
		case !ok:
		case way.Base != "":
			query.Says, query.Before = witness.BaseType(i, index, way.Base, way.Sole, way.Scoped)
			return query, true
		default:
			return witness.TypeQuery{Says: witness.MemberType(i, way.Field)}, true
		}
	}
	return query, false
}

// leadsTo matches, in what a compiler adds to an error, that a query led to it.
var leadsTo = regexp.MustCompile(`at line (\d+) of \S*` + witness.QueryFile)

// Refused reports whether errs, of a compilation with in, are all about queries.
func (in *Inquiry) Refused(errs diag.List) bool {
	failed, all := in.failed(errs)
	return len(failed) > 0 && all
}

// RefusedKernel reports whether one of errs is about a kernel.
func (in *Inquiry) RefusedKernel(errs diag.List) bool {
	failed, _ := in.failed(errs)
	for id := range failed {
		if id.Kind == witness.KernelKind {
			return true
		}
	}
	return false
}

// failed returns the first of errs about each query, and whether all are about one.
func (in *Inquiry) failed(errs diag.List) (failed map[witness.QueryID]string, all bool) {
	failed, all = make(map[witness.QueryID]string), true
	for _, e := range errs {
		line := 0
		if filepath.Base(e.Pos.Filename) == witness.QueryFile {
			line = e.Pos.Line
		} else if m := leadsTo.FindStringSubmatch(e.Text); m != nil {
			line, _ = strconv.Atoi(m[1])
		}
		id, ok := in.At(line)
		if !ok {
			all = false
			continue
		}
		if failed[id] == "" {
			failed[id] = e.Message.Error()
		}
	}
	return failed, all
}

// Refuse notes what the compiler refuses of in, so that the next inquiry is another.
func (q *Questions) Refuse(in *Inquiry, errs diag.List) {
	failed, _ := in.failed(errs)
	for i, at := range in.kernels {
		k := &q.kernels[at]
		reason := failed[witness.QueryID{Kind: witness.KernelKind, Index: i}]
		if reason != "" && k.typed != nil {
			k.query, k.typed = *k.typed, nil
			continue
		}
		k.refused = reason
	}
	for i, c := range in.constants {
		q.constants[c].refused = failed[witness.QueryID{Kind: witness.ConstantKind, Index: i}]
	}
	q.refuseTypes(in, failed)
}

// refuseTypes has types said in another way where one failed. That of a member fails with that of
// its class, and may do when the class is said otherwise.
func (q *Questions) refuseTypes(in *Inquiry, failed map[witness.QueryID]string) {
	var unsaid []int // questions whose way failed
	for i, at := range in.types {
		t := &q.types[at]
		name, parts := failed[witness.QueryID{Kind: witness.TypeKind, Index: i}], failed[witness.QueryID{Kind: witness.TypePartsKind, Index: i}]
		way := t.subject.Ways[t.way]
		switch {
		case name != "":
			unsaid = append(unsaid, at)
			if way.Says == "" && slices.Contains(unsaid, way.Parent) {
				continue
			}
			t.refused = name
			t.way++
		case parts != "":
			t.refused, t.parts = parts, false
		}
	}
}

// RefuseAll leaves out all questions, for one reason.
func (q *Questions) RefuseAll(reason string) {
	for i := range q.kernels {
		q.kernels[i].refused = reason
	}
	for i := range q.types {
		q.types[i].way, q.types[i].refused = len(q.types[i].subject.Ways), reason
	}
	for i := range q.constants {
		q.constants[i].refused = reason
	}
}

// Replay does what was done to other questions of the same source while compilers refused some.
func (q *Questions) Replay(refusals []diag.List) *Inquiry {
	in := q.Inquiry()
	for _, errs := range refusals {
		q.Refuse(in, errs)
		in = q.Inquiry()
	}
	return in
}

// A Description is what a compiler states about a Subject, or why it does not.
type Description struct {
	Debug    *witness.Type       // its debug information; nil when there is none
	Answer   *witness.TypeAnswer // of the probe; nil when there is none
	Parts    bool                // the answer has the offsets and values of Subject.Parts, too
	NoAnswer string              // why there is no answer, when there was a question
}

// descriptions returns what the compiler states about types, by layout.Identity.
func (q *Questions) descriptions(in *Inquiry, debug *witness.Debug, answers *witness.Answers) map[any]Description {
	said := make(map[any]Description)
	for _, t := range q.types {
		if t.subject.Type == nil {
			continue
		}
		said[layout.Identity(t.subject.Type)] = Description{NoAnswer: t.refused}
	}
	for i, at := range in.types {
		t := &q.types[at]
		if t.subject.Type == nil {
			continue
		}
		a := Description{NoAnswer: t.refused}
		a.Debug, a.Parts = debug.Described(i), t.parts
		if answers != nil {
			a.Answer = &answers.Types[i]
		}
		said[layout.Identity(t.subject.Type)] = a
	}
	return said
}
