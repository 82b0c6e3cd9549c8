package inspect_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

var (
	classCount         = flag.Int("classes", 1000, "how many random classes are compared with compilers")
	refusedByCompilers = flag.Bool("classes.invalid", false, "print the random classes that compilers refuse")
	classReport        = flag.String("classes.report", "", "append made small failures to this `file`")
	withNVRTC          = flag.Bool("classes.nvrtc", false, "compare random classes with NVRTC, too")
	withClang          = flag.Bool("classes.clang", true, "compare with clang, too")
	smallWrong         = flag.Int("classes.small", 0, "how many wrong classes are made small")
	smallRefused       = flag.Int("classes.refused", 0, "how many refused classes of each kind are made small")
)

// unitSize is how many classes one run of a compiler gets.
const unitSize = 250

// A reading is what the front end understands of a sample.
type reading struct {
	size, align int64
	fields      map[string]place // by path; of a bit-field in bits
	direct      []string         // the names of its own fields, those of bases and of anonymous members; sorted
	refused     string           // why it is not understood
}

// read reads a sample as cudagen does, through the kernel that leads to it.
func read(s *sample) *reading { return readAll([]*sample{s})[s] }

// readAll reads one source with several samples.
func readAll(samples []*sample) map[*sample]*reading {
	var b strings.Builder
	b.WriteString(prelude)
	for _, s := range samples {
		b.WriteString(s.source() + s.kernel())
	}
	config := cu.Config{Std: "c++20", SizeOf: layout.Of, OffsetOf: layout.Offset}
	file, err := config.ParseFile("in.cu", []byte(b.String()))
	all := make(map[*sample]*reading)
	for _, s := range samples {
		i := slices.IndexFunc(file.Kernels, func(k *cu.Kernel) bool { return k.Name == fmt.Sprintf("kern%d", s.id) })
		if i < 0 {
			all[s] = &reading{refused: fmt.Sprintf("the kernel is missing: %v", err)}
			continue
		}
		all[s] = readKernel(s, file.Kernels[i])
	}
	return all
}

func readKernel(s *sample, k *cu.Kernel) *reading {
	if len(k.Errors) > 0 {
		return &reading{refused: k.Errors[0].Error()}
	}
	if len(k.Params) != 1 {
		return &reading{refused: "the kernel has no parameter"}
	}
	pointer, ok := ctype.Unalias(k.Params[0].Type).(*ctype.Pointer)
	if !ok {
		return &reading{refused: fmt.Sprintf("the parameter is a %s", k.Params[0].Type)}
	}
	class, ok := ctype.Unqualified(pointer.Elem).(*ctype.Struct)
	if !ok {
		return &reading{refused: fmt.Sprintf("the parameter points to %s", pointer.Elem)}
	}
	laid, err := layout.Struct(class)
	if err != nil {
		return &reading{refused: err.Error()}
	}
	r := &reading{size: laid.Size, align: laid.Align, fields: make(map[string]place)}
	r.direct = anonymous(laid)
	for _, p := range s.probes {
		at, err := find(laid, p.path)
		if err == nil {
			r.fields[p.path] = at
		}
	}
	return r
}

// anonymous returns the names of the fields of a class and of its anonymous members.
func anonymous(c *layout.Class) []string {
	var names []string
	for _, m := range c.Members {
		if m.Name != "" {
			names = append(names, m.Name)
		} else if inner, ok := ctype.Unqualified(m.Type).(*ctype.Struct); ok {
			if laid, err := layout.Struct(inner); err == nil {
				names = append(names, anonymous(laid)...)
			}
		}
	}
	slices.Sort(names)
	return names
}

var errNoField = errors.New("no such field")

// find returns the place of the field at path in c.
func find(c *layout.Class, path string) (place, error) {
	path, rest, nested := strings.Cut(path, ".")
	name, index, _ := strings.Cut(path, "[")
	for _, m := range c.Members {
		inner, _ := ctype.Unqualified(m.Type).(*ctype.Struct)
		switch {
		case m.Name == "" && inner != nil:
			laid, err := layout.Struct(inner)
			if err != nil {
				return place{}, err
			}
			whole := path
			if nested {
				whole += "." + rest
			}
			if at, err := find(laid, whole); err == nil {
				return at.moved(&m, laid, whole), nil
			}
		case m.Name != name:
		case nested:
			return findNested(&m, index, rest)
		case m.BitField:
			return place{m.BitOffset, m.Bits, int64(code(m.Type))}, nil
		default:
			return sized(&m), nil
		}
	}
	return place{}, errNoField
}

// sized returns the place of a field. No expression tells the size of a reference.
func sized(m *layout.Member) place {
	if _, ok := ctype.Unqualified(m.Type).(*ctype.Reference); ok {
		return place{m.Offset, -1, int64(code(m.Type))}
	}
	return place{m.Offset, m.Size, int64(code(m.Type))}
}

// moved returns the place in the class around inner, which is m's.
func (at place) moved(m *layout.Member, inner *layout.Class, path string) place {
	if isBitField(inner, path) {
		return place{at.offset + 8*m.Offset, at.size, at.typ}
	}
	return place{at.offset + m.Offset, at.size, at.typ}
}

// isBitField reports whether the field at path in c is a bit-field.
func isBitField(c *layout.Class, path string) bool {
	path, rest, nested := strings.Cut(path, ".")
	name, _, _ := strings.Cut(path, "[")
	for _, m := range c.Members {
		inner, _ := element(m.Type).(*ctype.Struct)
		switch {
		case m.Name == name && !nested:
			return m.BitField
		case inner == nil || m.Name != "" && m.Name != name:
			continue
		}
		laid, err := layout.Struct(inner)
		if err != nil {
			return false
		}
		if m.Name == name {
			return isBitField(laid, rest)
		}
		whole := path
		if nested {
			whole += "." + rest
		}
		if isBitField(laid, whole) {
			return true
		}
	}
	return false
}

// element returns the type of the elements of t, or t when it is no array.
func element(t ctype.Type) ctype.Type {
	for {
		t = ctype.Unqualified(t)
		array, ok := t.(*ctype.Array)
		if !ok {
			return t
		}
		t = array.Elem
	}
}

// findNested returns the place of the field at rest in an element of the field m, with
// index as in "1][0]".
func findNested(m *layout.Member, index, rest string) (place, error) {
	t, offset := m.Type, m.Offset
	for part := range strings.SplitSeq(strings.ReplaceAll(index, "]", ""), "[") {
		if index == "" {
			break
		}
		array, ok := ctype.Unqualified(t).(*ctype.Array)
		if !ok {
			return place{}, errNoField
		}
		size, _, err := layout.Of(array.Elem)
		if err != nil {
			return place{}, err
		}
		offset += size * int64(part[0]-'0')
		t = array.Elem
	}
	inner, ok := ctype.Unqualified(t).(*ctype.Struct)
	if !ok {
		return place{}, errNoField
	}
	laid, err := layout.Struct(inner)
	if err != nil {
		return place{}, err
	}
	at, err := find(laid, rest)
	if err != nil {
		return place{}, err
	}
	if isBitField(laid, rest) {
		return place{at.offset + 8*offset, at.size, at.typ}, nil
	}
	return place{at.offset + offset, at.size, at.typ}, nil
}

// equal reports whether the samples of r and o were understood alike.
func (r *reading) equal(o *reading) bool {
	return r.size == o.size && r.align == o.align && maps.Equal(r.fields, o.fields) && slices.Equal(r.direct, o.direct) && (r.refused == "") == (o.refused == "")
}

// disagreement returns in what r and v differ, "" for nothing.
func disagreement(s *sample, r *reading, v *verdict) string {
	if r.size != v.size || r.align != v.align {
		return fmt.Sprintf("size and alignment are %d/%d, the compiler says %d/%d", r.size, r.align, v.size, v.align)
	}
	var direct []string
	for i, p := range s.probes {
		if p.direct() {
			direct = append(direct, p.path)
		}
		at, known := r.fields[p.path]
		switch {
		case !known:
			return fmt.Sprintf("field %s is missing", p.path)
		case p.kind == silentField:
		case p.kind != hiddenField && (at.offset != v.places[i].offset || at.size != v.places[i].size):
			return fmt.Sprintf("field %s is at %d with size %d, the compiler says %d and %d", p.path, at.offset, at.size, v.places[i].offset, v.places[i].size)
		case at.typ != v.places[i].typ:
			return fmt.Sprintf("field %s has the type of code %d, the compiler says %d", p.path, at.typ, v.places[i].typ)
		}
	}
	slices.Sort(direct)
	if !slices.Equal(direct, r.direct) {
		return fmt.Sprintf(otherFields+"%v, and should be %v", r.direct, direct)
	}
	return ""
}

// otherFields is how disagreement begins when all fields lie where they should, and there
// are more.
const otherFields = "its fields are "

// equal reports whether two compilers agree.
func (v *verdict) equal(w *verdict) bool {
	return v.size == w.size && v.align == w.align && slices.Equal(v.places, w.places)
}

// A failure is a sample that is refused or read wrongly.
type failure struct {
	sample *sample
	judge  judge
	text   string
	wrong  bool
}

// A tally counts what comparing gave.
type tally struct {
	sync.Mutex
	compared map[string]int // by compiler
	refused  map[string]int // of these
	wrong    map[string]int
	invalid  map[string]int // the compiler itself refuses the sample
	differ   int            // the compilers differ among themselves
	failures []failure
}

// compareAll compares samples with what compilers say of them. Where the compilers differ,
// the first one counts.
func compareAll(t testing.TB, samples []*sample, judges []judge, total *tally) {
	t.Helper()
	var all []map[*sample]*verdict
	for _, j := range judges {
		all = append(all, j.judgements(t, samples))
	}
	together := readAll(samples)
	total.Lock()
	defer total.Unlock()
	for _, s := range samples {
		r := read(s)
		alone := r.equal(together[s])
		var first *verdict
		failed := false
		for i, j := range judges {
			v := all[i][s]
			switch {
			case v == nil:
				total.invalid[j.name]++
				continue
			case first == nil:
				first = v
			case !first.equal(v):
				total.differ++
				if *refusedByCompilers {
					t.Logf("%s and %s differ on %d: %v %v\n%s%v", judges[0].name, j.name, s.id, *first, *v, s.source(), s.probes)
				}
				continue
			}
			total.compared[j.name]++
			f := failure{sample: s, judge: j}
			if !alone {
				f.text, f.wrong = "it is read in another way among other classes than alone", true
				total.wrong[j.name]++
			} else if r.refused != "" {
				f.text = r.refused
				total.refused[j.name]++
			} else if f.text = disagreement(s, r, v); f.text != "" {
				f.wrong = true
				total.wrong[j.name]++
			} else {
				continue
			}
			if !failed {
				failed = true
				total.failures = append(total.failures, f)
			}
		}
	}
}

func newTally() *tally {
	return &tally{compared: map[string]int{}, refused: map[string]int{}, wrong: map[string]int{}, invalid: map[string]int{}}
}

// kind returns the reason without names, numbers and the classes that it is passed on by,
// so that equal ones can be counted.
func (f *failure) kind() string {
	text := f.text
	for {
		shorter := passedOn.ReplaceAllString(text, "")
		if shorter == text {
			break
		}
		text = shorter
	}
	return strings.TrimRight(anyName.ReplaceAllString(text, "…"), " (…)")
}

var (
	passedOn = regexp.MustCompile(`^(layout of \S+( \S+)*? is not understood: |.*?, whose layout is not understood: |its anonymous member is not understood: |it has a member that |.*?, whose template is not understood: )`)
	anyName  = regexp.MustCompile(`in\.cu:\d+(:\d+)?|\b[a-zA-Z]+\d+\b(::\w+)*|\b\d+\b|"[^"]*"|<[^ ].*>`)
)

// Random classes with members of every kind lie where compilers have them, field by field.
//
//	go test ./gen/inspect -run TestClassesAgainst -v -classes 20000 -seed 7 -classes.small 3
//
// compares more of them, and makes three wrong ones small.
func TestClassesAgainstCompilers(t *testing.T) {
	testenv.Need(t, testenv.Long)
	judges := []judge{nvccJudge(t)}
	if *withClang {
		judges = append(judges, clangJudge(t))
	}
	if *withNVRTC {
		judges = append(judges, nvrtcJudge(t)) // it ignores most of GCC's attributes: many differ
	}
	total := newTally()
	t.Run("units", func(t *testing.T) {
		g := newSampler(*seed)
		for done := 0; done < *classCount; {
			var samples []*sample
			for ; len(samples) < unitSize && done < *classCount; done++ {
				samples = append(samples, g.next())
			}
			t.Run(fmt.Sprint(done), func(t *testing.T) {
				t.Parallel()
				compareAll(t, samples, judges, total)
			})
		}
	})
	kinds := make(map[string][]failure)
	for _, f := range total.failures {
		kind := f.kind()
		if f.wrong {
			kind = "WRONG: " + kind
		}
		kinds[kind] = append(kinds[kind], f)
	}
	order := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		wrong := func(kind string) int { return len(strings.TrimPrefix(kind, "WRONG: ")) - len(kind) }
		return cmp.Or(wrong(a)-wrong(b), len(kinds[b])-len(kinds[a]), cmp.Compare(a, b))
	})
	made := 0
	for _, kind := range order {
		t.Logf("%d × %s", len(kinds[kind]), kind)
		for i, f := range kinds[kind] {
			if !f.wrong && i >= *smallRefused || f.wrong && made >= *smallWrong {
				break
			}
			made++
			small, text := minimise(t, f, judges)
			text = fmt.Sprintf("%s: %s\n%s", map[bool]string{true: "wrong", false: "refused"}[f.wrong], text, small.source())
			t.Log(text)
			if *classReport != "" {
				file, err := os.OpenFile(*classReport, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
				require.NoError(t, err)
				fmt.Fprintf(file, "%d × %s\n%s\n", len(kinds[kind]), kind, text)
				require.NoError(t, file.Close())
			}
		}
	}
	for _, j := range judges {
		t.Logf("%s: %d classes compared, %d wrong, %d refused; %d are not valid", j.name, total.compared[j.name], total.wrong[j.name], total.refused[j.name], total.invalid[j.name])
		assert.LessOrEqual(t, total.wrong[j.name]*100, total.compared[j.name]*wrongPercent, j.name)
		assert.LessOrEqual(t, total.refused[j.name]*100, total.compared[j.name]*refusedPercent, j.name)
		assert.LessOrEqual(t, total.invalid[j.name]*100, *classCount*20, "samples that %s itself refuses", j.name)
	}
	t.Logf("compilers differ on %d", total.differ)
	if !*withNVRTC {
		assert.LessOrEqual(t, total.differ*100, *classCount*5, "compilers differ")
	}
}

// What the comparison is for is found: a field that has moved, is missing, has another
// size or type or is one too many, and a class of another size.
func TestWrongClassesAreFound(t *testing.T) {
	clang := clangJudge(t)
	g := newSampler(*seed)
	var samples []*sample
	for range 60 {
		samples = append(samples, g.next())
	}
	checked := 0
	for s, v := range clang.judgements(t, samples) {
		right := read(s)
		if len(s.probes) < 2 || s.probes[0].kind != plainField || right.refused != "" || disagreement(s, right, v) != "" {
			continue
		}
		checked++
		path := s.probes[0].path
		for name, spoil := range map[string]func(r *reading){
			"size":       func(r *reading) { r.size++ },
			"alignment":  func(r *reading) { r.align *= 2 },
			"offset":     func(r *reading) { r.change(path, func(p *place) { p.offset++ }) },
			"field size": func(r *reading) { r.change(path, func(p *place) { p.size++ }) },
			"type":       func(r *reading) { r.change(path, func(p *place) { p.typ++ }) },
			"missing":    func(r *reading) { delete(r.fields, path) },
			"one more":   func(r *reading) { r.direct = append(slices.Clone(r.direct), "zzz") },
		} {
			wrong := read(s)
			spoil(wrong)
			assert.NotEmpty(t, disagreement(s, wrong, v), "%s of %s in\n%s", name, path, s.source())
			assert.False(t, right.equal(wrong), name)
		}
	}
	assert.Greater(t, checked, 10)
}

func (r *reading) change(path string, change func(*place)) {
	at := r.fields[path]
	change(&at)
	r.fields[path] = at
}

// A class that is read wrongly is made small, with the field that shows it.
func TestWrongClassIsMadeSmall(t *testing.T) {
	clang := clangJudge(t)
	s := &sample{id: 1, query: "S1", probes: []probe{{"f1", plainField}, {"f2", plainField}, {"f3", plainField}}, lines: []string{
		"struct S1 : Em {", "char f1; static int m1() { return 3; }", "#ifdef __clang__", "float f2;", "#else", "double f2;", "#endif", "void m2(int x = 3);", "int (*f3)(int);", "};",
	}}
	total := newTally()
	compareAll(t, []*sample{s}, []judge{clang}, total)
	require.Len(t, total.failures, 1)
	small, text := minimise(t, total.failures[0], []judge{clang})
	assert.NotEmpty(t, text)
	assert.Contains(t, small.source(), "__clang__")
	assert.NotContains(t, small.source(), "m1")
	assert.NotContains(t, small.source(), "m2")
	assert.Less(t, len(small.source()), 100)
}

// The generator reaches every kind of member: a pattern for each is in several samples.
func TestSamplesReachEveryForm(t *testing.T) {
	forms := map[string]string{
		"a pointer to member":                 `::\*`,
		"a pointer to member function":        `\(\w+(::\w+)*::\*[^)]*\)\(`,
		"a qualified pointer to member":       `\) const &|\) (const|volatile)[;,]`,
		"a function pointer":                  `\(\*f\d+\)\(`,
		"a result that is a function pointer": `\(\*m\d+\(.*?\)\)\(`,
		"a result that is an array":           `\(&m\d+\w*\(.*?\)\)\[`,
		"a result that points to a member":    `\(Sm::\*m\d+\(`,
		"a width with a call":                 `: (sizeof|int|static_cast<\w+>|cf|alignof)\(`,
		"a width by a macro":                  `: WIDTH\(`,
		"a bit-field without a name":          `: 0[,;]`,
		"an initialised bit-field":            `f\d+ : \S+ = 1`,
		"a parenthesised field":               `\w \(f\d+\);`,
		"two pairs of parentheses":            `\(\(f\d+\)\)`,
		"a field beside a function":           `m\d+\(int\), \*f\d+`,
		"a template with struct as result":    `template <class U> struct Sm m\d+\(U q\) const \{`,
		"an alignment behind *":               `\* ?__attribute__\(\(aligned`,
		"an alignment behind the type":        `int alignas\(16\)`,
		"an alignment behind the name":        `f\d+ \[\[gnu::aligned`,
		"an alignment of an alias":            `using N\d+ __attribute__\(\(aligned`,
		"an alignment of a typedef":           `typedef int N\d+ __attribute__\(\(aligned`,
		"an alignment behind the class key":   `struct (__align__|alignas|\[\[gnu::aligned)`,
		"an alignment behind }":               `\} (__attribute__\(\(aligned|__align__)`,
		"a specialisation":                    `\*, N> `,
		"a specialisation of another type":    `unsigned N>`,
		"names of a dependent base":           `: .*Bt<T>`,
		"noexcept with a body":                `noexcept \{`,
		"noexcept with an expression":         `noexcept\(noexcept\(`,
		"a deleted function":                  `= delete;`,
		"a conversion":                        `operator (double \*|float4|int &)\(\)`,
		"a conversion template":               `operator Ar<U, 2>`,
		"operator new":                        `operator new`,
		"a comparison operator":               `operator(<|>>=|<=>)\(`,
		"a constructor":                       `S\d+\(int x\) : f`,
		"a function try block":                `try \{`,
		"a destructor":                        `~S\d+`,
		"a friend with a body":                `friend .*\{`,
		"a requires clause":                   `requires`,
		"a trailing result":                   `-> int \(\*\)\[3\]`,
		"a default argument with braces":      `= Ar<int, 3>\{\}`,
		"an initializer with a lambda":        `= \[\]\(int`,
		"an initializer with commas":          `= First<int, char>\(3\), f`,
		"mutable":                             `mutable`,
		"thread_local":                        `thread_local`,
		"a static array":                      `static constexpr char m\d+\[\]`,
		"an anonymous union":                  `(?m)^union \{`,
		"an unnamed class with declarators":   `(?m)^\} f\d+\[2\]`,
		"a member template":                   `template <class U> struct m\d+ \{`,
		"an enumeration with a declarator":    `enum \{ m\d+, m\d+ \} f`,
		"an elaborated type":                  `struct m\d+ \*f`,
		"a class of its own type":             `: public|: private|: protected`,
		"a member defined behind the class":   `S\d+::operator float4\(\) const \{`,
		"a local macro":                       `#define M\d+`,
		"a pragma":                            `#pragma nv_diag`,
		"#pragma pack":                        `#pragma pack`,
		"a line continuation":                 `\\\n`,
		"a comment with a bracket":            `/\* ; \} \*/`,
		"no_unique_address":                   `no_unique_address`,
		"a packed class":                      `packed`,
		"decltype":                            `decltype\(`,
		"a pack":                              `class\.\.\. Rest`,
		"virtual":                             `virtual`,
	}
	g := newSampler(*seed)
	found := make(map[string]int)
	patterns := make(map[string]*regexp.Regexp)
	for form, pattern := range forms {
		patterns[form] = regexp.MustCompile(pattern)
	}
	kinds := make(map[probeKind]int)
	for range 3000 {
		s := g.next()
		for form, pattern := range patterns {
			if pattern.MatchString(s.source()) {
				found[form]++
			}
		}
		for _, p := range s.probes {
			kinds[p.kind]++
		}
	}
	for form := range forms {
		assert.GreaterOrEqual(t, found[form], 2, form)
	}
	assert.Len(t, kinds, 4)
}
