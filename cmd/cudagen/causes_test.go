package main

import (
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/diag"
)

// What fails by one struct is told once; what fails by itself stays as it is.
func TestByCause(t *testing.T) {
	at := func(file string, line int, kernel, part, text string) *diag.Error {
		return &diag.Error{Pos: token.Position{Filename: file, Line: line, Column: 1}, Message: diag.Message{Name: kernel, Part: part, Text: text}}
	}
	const virtual = "layout of V: it has virtual functions (add a pointer)"
	first := at("k.cu", 3, "a", "parameter 1: ", virtual)
	first.Aside = " (-keep-going leaves the kernel out)"
	got := byCause(diag.List{
		first,
		at("k.cu", 4, "b<float, 4>", "parameter 2: ", virtual),
		at("k.cu", 5, "c", "parameter n ", "has unknown type T"),
		at("k.cu", 5, "c", "parameter m ", "has unknown type U"),
		at("k.cu", 6, "d", "parameter t ", "has unknown type T"),
		at("k.cu", 7, "", "", "no parameter"),
		at("k.cu", 8, "", "", "no parameter"),
		at("l.cu", 1, "a", "parameter 1: ", virtual),
	})
	var texts []string
	for _, e := range got {
		texts = append(texts, e.Error())
	}
	assert.Equal(t, []string{
		"k.cu:3:1: a: parameter 1: " + virtual + " (-keep-going leaves the kernel out)",
		"k.cu:5:1: c: parameter n has unknown type T",
		"k.cu:5:1: c: parameter m has unknown type U",
		"k.cu:7:1: no parameter",
		"k.cu:8:1: no parameter",
		"l.cu:1:1: a: parameter 1: " + virtual,
		"k.cu:4:1: b<float, 4>: for the same reason as a in line 3",
		"k.cu:6:1: d: for the same reason as c in line 5",
	}, texts)
}
