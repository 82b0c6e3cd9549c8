package cu

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A listing has the tokens of a file, and what stands between them: comments, and pragmas that pack classes.
type listing struct {
	all      cursor
	comments []lex.Comment
	packs    []lex.Pack
}

// above returns the comments directly above the token at index i: each on lines of
// its own, and with no empty line between them and the token.
func (l *listing) above(i int) []lex.Comment {
	first := int32(0)
	if i > 0 {
		first = l.all.list[i-1].Comments
	}
	return lex.Above(l.comments[first:l.all.list[i].Comments], l.all.list[i].At)
}

// isAbove returns the first token behind the comment at index i, and whether it stands directly below.
func (l *listing) isAbove(i int) (next int, above bool) {
	next, _ = slices.BinarySearchFunc(l.all.list, int32(i)+1, func(t lex.Token, n int32) int { return cmp.Compare(t.Comments, n) })
	if next == len(l.all.list) {
		return next, false
	}
	is := func(c lex.Comment) bool { return c.At == l.comments[i].At }
	return next, slices.ContainsFunc(l.above(next), is)
}

// trailing returns the text of the comment of what ends in front of the separator at index i: the one between them, or
// the one that ends the line; "" when there is none.
func (l *listing) trailing(i int) string { return cmp.Or(l.behind(i-1), l.ending(i)) }

// ending returns the text of the comment behind the token at index i when both end their line, or a list in braces; "" when
// there is none.
func (l *listing) ending(i int) string {
	if i+1 < len(l.all.list) && l.all.list[i+1].At.Line() == l.all.list[i].At.Line() && !l.all.list[i+1].Is("}") {
		return ""
	}
	return l.behind(i)
}

// behind returns the text of the comment between the token at index i and the next one, on the line of the first, ""
// when there is none.
func (l *listing) behind(i int) string {
	if i < 0 || i >= len(l.all.list) {
		return ""
	}
	last, end := &l.all.list[i], int32(len(l.comments))
	if i+1 < len(l.all.list) {
		end = l.all.list[i+1].Comments
	}
	if last.Comments >= end {
		return ""
	}
	c := &l.comments[last.Comments]
	if c.At.File() != last.At.File() || c.At.Offset < last.At.Offset || c.At.Line() != last.At.Line() {
		return ""
	}
	if _, ok := directiveOf(c); ok {
		return ""
	}
	return strings.TrimSpace(strings.Join(c.Lines(), " "))
}

// packAt returns the packing under which the token with that index stands.
func (l *listing) packAt(index int) int64 {
	i, _ := slices.BinarySearchFunc(l.packs, index+1, func(pack lex.Pack, n int) int { return pack.Index - n })
	if i == 0 {
		return 0
	}
	return l.packs[i-1].Align
}

// codeBelow returns what stands directly below a comment. next is the first token behind it.
func (l *listing) codeBelow(next int) (b Below) {
	b.Pos = l.all.list[next].Pos()
	if next > 0 {
		last := &l.all.list[next-1]
		switch last.Text {
		case ";", "{", "}", ":":
		default:
			b.Open = Word{last.Pos(), last.Text}
		}
	}
	const most = 100 // tokens in front of the parameters of a function
	for i := next; i < min(len(l.all.list), next+most); i++ {
		switch t := &l.all.list[i]; {
		case t.Text == "__global__":
			b.Kernel = true
		case t.Text == "(" && i > next && l.all.list[i-1].Kind == lex.Ident:
			name := &l.all.list[i-1]
			if strings.HasPrefix(name.Text, "__") || name.Text == "alignas" || name.Text == "decltype" {
				i = l.closing(i)
				continue
			}
			b.Function = Word{name.Pos(), name.Text}
			return b
		case t.Text == ";" || t.Text == "{" || t.Text == "=":
			return b
		}
	}
	return b
}

// closing returns the index of the bracket that closes the one at index i.
func (l *listing) closing(i int) int {
	depth := 0
	for ; i < len(l.all.list); i++ {
		switch l.all.list[i].Text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// almostGlobal matches what people write in place of __global__.
var almostGlobal = regexp.MustCompile(`(?i)^_*gl(?:oba?l?|abal|oabl|obla|oble)s?_*$`)

// almost returns the first word of the main file that looks like a misspelt __global__.
func (l *listing) almost() Word {
	for i := range l.all.list {
		if t := &l.all.list[i]; t.Kind == lex.Ident && t.At.File().Main && t.Text != "__global__" && almostGlobal.MatchString(t.Text) {
			return Word{t.Pos(), t.Text}
		}
	}
	return Word{}
}

const directivePrefix = "//cudagen:"

const instantiateVerb = "instantiate"

// directiveOf returns the directive that c is.
func directiveOf(c *lex.Comment) (d Directive, ok bool) {
	rest, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok {
		return Directive{}, false
	}
	verb, args := rest, ""
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		verb, args = rest[:i], strings.TrimLeft(rest[i:], " \t")
	}
	d = Directive{Pos: c.At.Position(), Verb: strings.TrimSpace(verb), Args: strings.TrimSpace(args), ArgsPos: c.At.Position(), Included: !c.At.File().Main}
	if c.EndLine() == c.At.Line() {
		shift := len(c.Text) - len(args)
		d.ArgsPos.Offset += shift
		d.ArgsPos.Column += shift
	}
	return d, true
}

// directivesIn returns the directives among comments.
func directivesIn(comments []lex.Comment) (list []Directive) {
	for i := range comments {
		if d, ok := directiveOf(&comments[i]); ok {
			list = append(list, d)
		}
	}
	return list
}

// document returns what comments say, without directives and without empty lines at
// the ends.
func document(comments []lex.Comment) []string {
	var doc []string
	for i := range comments {
		if _, ok := directiveOf(&comments[i]); !ok {
			doc = append(doc, comments[i].Lines()...)
		}
	}
	for len(doc) > 0 && doc[0] == "" {
		doc = doc[1:]
	}
	for len(doc) > 0 && doc[len(doc)-1] == "" {
		doc = doc[:len(doc)-1]
	}
	return doc
}

// withWords returns list with CUDA's words where CUDA's headers, when they are among the
// included ones, have put attributes. It writes over list.
func withWords(list []lex.Token) []lex.Token {
	n := 0 // written
	for i := 0; i < len(list); i++ {
		word, ok := spaceWord(list[i:])
		if n < i {
			list[n] = list[i]
		}
		if ok {
			list[n].Text = word
			i += attributeTokens - 1
		}
		n++
	}
	return list[:n]
}

// attributeTokens is how many __attribute__((word)) has.
const attributeTokens = 6

// spaceWord returns the word of CUDA C++ that list begins with as an attribute.
func spaceWord(list []lex.Token) (word string, ok bool) {
	if len(list) < attributeTokens || !strings.HasPrefix(list[0].Text, "__attribute") ||
		!list[1].Is("(") || !list[2].Is("(") || !list[4].Is(")") || !list[5].Is(")") {
		return "", false
	}
	word, ok = spaceWords[strings.Trim(list[3].Text, "_")]
	return word, ok
}
