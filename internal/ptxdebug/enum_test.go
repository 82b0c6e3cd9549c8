package ptxdebug_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// types returns the variables of testdata/types.ptx by their names.
func types(t *testing.T) (*ptxdebug.Info, map[string]*ptxdebug.Variable) {
	text, err := os.ReadFile("testdata/types.ptx")
	require.NoError(t, err)
	info, err := ptxdebug.Read("types.ptx", text)
	require.NoError(t, err)
	found := make(map[string]*ptxdebug.Variable)
	for _, v := range info.Globals {
		found[v.Name] = v
	}
	for _, f := range info.Functions {
		for _, v := range variables(&f.Scope) {
			found[v.Name] = v
		}
	}
	return info, found
}

// Enumerations have the names of the source and the sign of their enumerators.
func TestEnumerations(t *testing.T) {
	_, found := types(t)
	for name, want := range map[string]string{
		"high": "High unsigned [{High::Top 65520}]", "wide": "Wide unsigned [{Wide::A 1} {Wide::Z -1}]", "plain": "Plain signed [{MINUS -1} {PLUS 1}]",
		"every": "Word unsigned [{Word::All 4294967295}]", "level": "geo::Level unsigned [{geo::Level::Low 1} {geo::Level::High 2}]",
		"back": "geo::Step signed [{geo::Step::Back -1} {geo::Step::Forth 1}]", "color": "geo::Color signed [{geo::RED 0} {geo::GREEN 5} {geo::BLUE 6}]",
		"hidden": "(anonymous namespace)::Hidden signed [{(anonymous namespace)::SEEN 7}]", "local": "types::Local signed [{types::Local::X 4} {types::Local::Y 5}]",
	} {
		is := found[name].Type.Bare()
		sign := map[ptxdebug.Kind]string{ptxdebug.Signed: "signed", ptxdebug.Unsigned: "unsigned"}[is.Elem.Kind]
		assert.Equal(t, want, fmt.Sprint(is, " ", sign, " ", is.Values), name)
		assert.Equal(t, is.Size, is.Elem.Size, name)
	}
	outer := found["outer"].Type.Bare()
	assert.True(t, outer.Fields[0].Base)
	assert.Empty(t, outer.Fields[1].Name)
	signs := make(map[string]bool)
	for _, f := range outer.Fields {
		signs[f.Name] = f.Type.IsSigned()
	}
	assert.False(t, signs["inner"])
	assert.True(t, signs["sign"])
}

// A name stands for the enumerators that end with it. One of a scoped enumeration has the type in front.
func TestEnumerator(t *testing.T) {
	info, _ := types(t)
	for name, want := range map[string]string{
		"geo::GREEN": "geo::Color 5", "GREEN": "geo::Color 5", "geo::Color::GREEN": "geo::Color 5", "Color::GREEN": "geo::Color 5", "geo::Mode::On": "geo::Mode 200", "Mode::On": "geo::Mode 200",
		"High::Top": "High 65520", "Outer::OUT": "Outer::Inner 3", "MINUS": "Plain -1", "Local::Y": "types::Local 5", "SEEN": "(anonymous namespace)::Hidden 7", "On": "", "N": "", "REEN": "", "geo::MINUS": "", "Y": "",
	} {
		got := ""
		for of, e := range info.Enumerator(name) {
			got += fmt.Sprint(of, " ", e.Value)
		}
		assert.Equal(t, want, got, name)
	}
}
