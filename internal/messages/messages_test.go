package messages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/messages"
)

func TestInPackage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("a.go", `package a

const none = "a text outside of functions"

func f(x string, n int) error {
	if n+1 > 2 {
		panic("a bug in here")
	}
	report("word", "parameter %[2]s has %d bytes (100%%)", n, x)
	report("word", "is not known: %w", diag.Do("write it out"))
	return fail("field " + x + " is a " + word("the inner text"), "the " + "end of it")
}

func (s *set[T]) add() { report("of a method") }
`)
	write("a_test.go", `package a

func g() { report("no test counts") }
`)
	list, err := messages.InPackage(dir)
	require.NoError(t, err)
	var texts, functions []string
	for _, m := range list {
		texts, functions = append(texts, m.Text), append(functions, m.Func)
	}
	assert.Equal(t, []string{"parameter %[2]s has %d bytes (100%%)", "is not known: %w", "field … is a …", "the inner text", "the end of it", "of a method"}, texts)
	assert.Equal(t, []string{"f", "f", "f", "f", "f", "set.add"}, functions)
	assert.Equal(t, 9, list[0].Pos.Line)

	diagnostics := []string{"k: parameter n has 4 bytes (100%)", "is not known: write it out", "S: field x is a union", "the inner texts", "of a method"}
	missing := messages.Missing(list, diagnostics)
	require.Len(t, missing, 1)
	assert.Equal(t, "the end of it", missing[0].Text)
	assert.Len(t, messages.Missing(list, nil), 6)

	_, err = messages.InPackage(filepath.Join(dir, "none"))
	assert.Error(t, err)
	write("b.go", "package")
	_, err = messages.InPackage(dir)
	assert.Error(t, err)
}

func TestExpected(t *testing.T) {
	assert.Equal(t, map[int][]string{4: {"one", "two"}, 75: {"first"}}, messages.Expected([]byte(
		"int  x;\n//  ^ ERROR \"one\"\n//  ^ ERROR \"two\"\n// no ERROR \"x\"\n  //^ ERROR \"\"\nint y;\n// ERROR \"first\"\n")))
}

func TestUncoded(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(`package a

var errNone = errors.New("is compared, and not printed")

func f(err error, e *diag.Error) error {
	errs.Add(pos, diag.Macro.New("has a code"))
	errs.Add(pos, fmt.Errorf("%s: %w", name, err))
	list := diag.List{e, {Pos: pos, Message: diag.Macro.New("has a code")}, diag.NewError(pos, err)}
	return diag.Macro.Errorf("has one, too: %w", err)
}

func g() {
	errs.Add(pos, errors.New("has none"))
	errs.Add(pos, fmt.Errorf("has %s", "none"))
	one := &diag.Error{Pos: pos, Message: diag.Message{Text: "has none"}}
	list := diag.List{{Pos: pos, Message: diag.Message{Text: "has none"}}}
}
`), 0o644))
	found, err := messages.Uncoded(dir)
	require.NoError(t, err)
	var lines []int
	for _, pos := range found {
		lines = append(lines, pos.Line)
	}
	assert.Equal(t, []int{13, 14, 15, 16}, lines)
	_, err = messages.Uncoded(filepath.Join(dir, "none"))
	assert.Error(t, err)
}
