package diag

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodeOf(t *testing.T) {
	one := UnknownType.New("has unknown type T")
	list := List{{Message: Macro.New("first")}, {Message: GoName.New("second")}}
	for _, test := range []struct {
		name string
		err  error
		want Code
	}{
		{"none", nil, OfCompiler},
		{"of another package", fs.ErrNotExist, OfCompiler},
		{"a message", one, UnknownType},
		{"no message", Message{}, OfCompiler},
		{"formatted", Macro.Errorf("%s is not known", "X"), Macro},
		{"wrapped", fmt.Errorf("k: %w", fmt.Errorf("parameter x: %w", one)), UnknownType},
		{"wrapped without %w", fmt.Errorf("k: %v", one), OfCompiler},
		{"with a code of its own", Stale.Errorf("k: %w", one), Stale},
		{"wrapped with a code of its own", fmt.Errorf("a: %w", Stale.Errorf("k: %w", one)), Stale},
		{"joined", errors.Join(fs.ErrNotExist, one, Stale.New("is stale")), UnknownType},
		{"at a place", fmt.Errorf("k: %w", NewError(token.Position{Line: 1}, one)), UnknownType},
		{"a list", fmt.Errorf("k: %w", list), Macro},
		{"an empty list", List{}, OfCompiler},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, CodeOf(test.err))
			if test.err != nil {
				assert.Equal(t, test.want, NewError(token.Position{}, test.err).Code)
			}
		})
	}
	assert.Equal(t, Flags, CodeOr(fs.ErrNotExist, Flags))
	assert.ErrorIs(t, FileAccess.Errorf("k: %w", fs.ErrPermission), fs.ErrPermission)
	assert.Equal(t, Message{Code: UnknownType, Text: "has unknown type T (write it)", Remedy: Do("write it")}, one.With(Hint("write it")))
}

// The calls of cudagen in a remedy, and these alone, are printed as the user calls it.
func TestCalls(t *testing.T) {
	m := ForeignFile.Errorf("cudagen -x.cu exists: %w", Do("move it to cudagen -x, or %s", Do("run %s or %s", Call("-force"), Call("doctor"))))
	assert.Equal(t, "cudagen -x.cu exists: move it to cudagen -x, or run cudagen -force or cudagen doctor", m.Error())
	assert.Equal(t, "cudagen -x.cu exists: move it to cudagen -x, or run go tool cudagen -force or go tool cudagen doctor", m.Remedy.In(m.Error(), "go tool cudagen"))
	assert.Equal(t, "cudagen -x", Remedy{}.In("cudagen -x", "go tool cudagen"))
	assert.Equal(t, m.Remedy, RemedyOf(fmt.Errorf("a: %w", m)))
	stale := Do("bring cudagen -x, or run %s, or do not run cudagens", Call("-force"))
	assert.Equal(t, stale, Reread(stale.Error()))
}

// What packages that know no codes return gets one, and what has one keeps it.
func TestOf(t *testing.T) {
	pos := token.Position{Filename: "t.tmpl", Line: 1, Column: 2}
	assert.NoError(t, BadTemplate.Of(nil))
	assert.Equal(t, List{{Pos: pos, Message: BadTemplate.New("is wrong")}}, BadTemplate.Of(fmt.Errorf("a: %w", scanner.ErrorList{{Pos: pos, Msg: "is wrong"}})))
	assert.Equal(t, BadTemplate, CodeOf(BadTemplate.Of(fs.ErrNotExist)))
	assert.ErrorIs(t, BadTemplate.Of(fs.ErrNotExist), fs.ErrNotExist)
	assert.Equal(t, NoLayout, CodeOf(BadTemplate.Of(NoLayout.New("has no size"))))
}

// A List is printed and sorted as a go/scanner.ErrorList is.
func TestListIsAnErrorList(t *testing.T) {
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	var list List
	var theirs scanner.ErrorList
	assert.NoError(t, list.Err())
	assert.Equal(t, theirs.Error(), list.Error())
	for i, pos := range []token.Position{at("b.cu", 1, 1), at("a.cu", 2, 1), at("a.cu", 1, 9), at("", 0, 0), at("a.cu", 1, 2), at("a.cu", 0, 0)} {
		list.Add(pos, Macro.Errorf("message %d", i%4))
		theirs.Add(pos, fmt.Sprintf("message %d", i%4))
		assert.Equal(t, theirs.Error(), list.Error())
	}
	list.Sort()
	theirs.Sort()
	var ours, wants strings.Builder
	Print(&ours, list.Err())
	scanner.PrintError(&wants, theirs.Err())
	assert.Equal(t, wants.String(), ours.String())

	list.Add(list[0].Pos, GoName.New(list[0].Message.Error()))
	assert.Len(t, list.Sorted(), 6, "what is printed alike is said once")

	ours.Reset()
	Print(&ours, nil)
	assert.Empty(t, ours.String())
	Print(&ours, fs.ErrNotExist)
	assert.Equal(t, "file does not exist\n", ours.String())
}

// An error about a file says the path once, also through an error that adds nothing.
func TestFileOf(t *testing.T) {
	gone := InFile("k.cu", FileChanged.New("is gone"))
	for _, test := range []struct {
		err        error
		path, want string
	}{
		{gone, "k.cu", "is gone"},
		{fmt.Errorf("%w", gone), "k.cu", "is gone"},
		{fmt.Errorf("reading: %w", gone), "k.cu", "reading: k.cu: is gone"},
		{errors.New("strange"), "", "strange"},
	} {
		path, m := FileOf(test.err)
		assert.Equal(t, []string{test.path, test.want}, []string{path, m.Error()})
	}
}
