package lex

import (
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Kind says what a lexical token is.
type Kind uint8

const (
	EOF         Kind = iota
	Ident            // identifiers and keywords
	Number           // a preprocessing number, its suffix included
	Char             // a character literal with its prefix and quotes
	String           // a string literal with its prefix and quotes, or a raw string
	Punct            // an operator or punctuator
	HeaderName       // what #include names, with its quotes or angles
	CommentText      // with its markers
	Illegal          // text is the message; the preprocessor reports it where it matters
	Unclosed         // an illegal literal or comment that is not closed
	Painted          // the name of a macro that is not replaced any more: C++ standard, [cpp.rescan]; the parser has Ident
)

// Illegal reports whether k is that of a token which means nothing.
func (k Kind) Illegal() bool { return k == Illegal || k == Unclosed }

// A Token is a lexical token. There are millions of them where headers are large: it has
// 40 bytes.
type Token struct {
	Text      string // as written, without line continuations; of an illegal token what is wrong
	At        Place  // in the user's source: for what a macro stands for, where the macro is used
	Comments  int32  // number of comments before it, in all files
	Kind      Kind   // what it is
	LineStart bool   // first on its logical line, comments aside
	Blank     bool   // white space or a comment stands before it
	Doubtful  bool   // under a condition that could not be evaluated
}

// A Place is a position in a source file.
type Place struct {
	Origin    *Origin // nil where there is no file
	Offset    int32   // in the text of the file
	Unsettled int32   // the innermost unsettled condition around it, counted from 1
}

// An Origin is where tokens come from: a file, or one use of a macro in it.
type Origin struct {
	file   *Source
	Macro  *Macro  // nil for what stands in the file itself
	Parent *Origin // the use that the macro's name comes from; nil when it stands in the file itself
}

// From returns the use of a macro that p comes from, nil when it stands in the file itself.
func (p Place) From() *Origin {
	if p.Origin == nil || p.Origin.Macro == nil {
		return nil
	}
	return p.Origin
}

// File returns the file that p is in, nil when there is none.
func (p Place) File() *Source {
	if p.Origin == nil {
		return nil
	}
	return p.Origin.file
}

// Line returns the line of p, counted from 1, and 0 when there is no file.
func (p Place) Line() int32 { return int32(p.Position().Line) }

// Position returns p as messages show it.
func (p Place) Position() token.Position {
	if p.Origin == nil {
		return token.Position{}
	}
	return p.Origin.file.position(int(p.Offset))
}

// Pos returns where l is, as messages show it.
func (l *Token) Pos() token.Position { return l.At.Position() }

// Is reports whether l is the punctuator or the word text.
func (l *Token) Is(text string) bool {
	return l.Text == text && (l.Kind == Punct || l.Kind == Ident)
}

// Describe returns how messages call l.
func (l *Token) Describe() string {
	switch l.Kind {
	case EOF:
		if l.Text != "" { // the end of a piece is the token behind it
			return l.Text
		}
		return "end of file"
	case Illegal, Unclosed:
		return "an illegal token"
	case String:
		return "a string"
	}
	return l.Text
}

// Explain returns the message m about l with the macros that l comes from, innermost
// first, and the files that include its file, as far as m does not name them already.
func (l *Token) Explain(m diag.Message) diag.Message {
	const most = 3 // of each: more tell nobody more
	add := func(where string) {
		if !strings.Contains(m.Text, where) {
			m.Text += where
		}
	}
	n := 0
	for e := l.At.From(); e != nil && n < most; e = e.Parent {
		defined := ""
		if at := e.Macro.At; at.Origin != nil {
			defined = ", defined at " + at.Position().String()
		}
		add(" (in expansion of " + e.Macro.Name + defined + ")")
		n++
	}
	n = 0
	for f := l.At.File(); f != nil && f.included.Origin != nil && n < most; f = f.included.File() {
		add(" (included from " + f.included.Position().String() + ")")
		n++
	}
	return m
}
