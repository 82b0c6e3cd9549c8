package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What may stand where.
func TestCompletion(t *testing.T) {
	none := func(string) string { return "" }
	for _, tt := range []struct {
		line   string // before the word, then the word behind |
		want   []string
		never  []string
		folder string // the last line
	}{
		{"|", []string{"init", "inspect", "completion"}, []string{"-arch"}, ":cu"},
		{"|ins", []string{"inspect"}, []string{"init"}, ":cu"},
		{"|-a", []string{"-arch", "-all"}, []string{"-force"}, ""},
		{"k.cu |-f", []string{"-force"}, nil, ""},
		{"k.cu |", nil, []string{"init"}, ":cu"},
		{"-arch |", []string{"compute_75", "sm_90", "native"}, nil, ""},
		{"--arch |sm", []string{"sm_90"}, []string{"compute_75"}, ""},
		{"-arch |compute_75,sm_9", []string{"compute_75,sm_90"}, []string{"sm_90"}, ""},
		{"|-arch=sm_9", []string{"-arch=sm_90"}, nil, ""},
		{"|-arch=compute_75,sm_9", []string{"-arch=compute_75,sm_90"}, nil, ""},
		{"-compiler |", []string{"nvcc", "nvrtc", "clang"}, nil, ""},
		{"-embed |", []string{"image", "source"}, nil, ""},
		{"-std |", []string{"c++17"}, nil, ""},
		{"-template |builtin:m", []string{"builtin:markdown", "builtin:mock"}, []string{"builtin:bench"}, ""},
		{"-template |b", []string{"builtin:mock"}, nil, ":files"},
		{"-force |", nil, []string{"true"}, ":cu"},
		{"-o |", nil, nil, ":files"},
		{"-I |", nil, nil, ":folders"},
		{"k.cu -- |-", nil, []string{"-arch"}, ":files"},
		{"init |", nil, []string{"init"}, ":folders"},
		{"inspect |-", []string{"-json", "-record", "-arch"}, []string{"-force"}, ""},
		{"inspect -json |", nil, nil, ":cu"},
		{"model |-", []string{"-json", "-schema", "-go", "-arch"}, nil, ""},
		{"template |", []string{"list", "show", "new"}, nil, ""},
		{"template show |m", []string{"markdown", "mock"}, nil, ""},
		{"template new |", nil, []string{"mock"}, ""},
		{"doctor |-", []string{"-json"}, nil, ""},
		{"toolchain |", []string{"install"}, nil, ""},
		{"toolchain install -with |cu", []string{"curand", "cublas"}, []string{"npp"}, ""},
		{"toolchain install -with |curand,cubl", []string{"curand,cublas"}, nil, ""},
		{"toolchain install -version |", []string{"13.0.88"}, nil, ""},
		{"vet |-cuda", []string{"-cudaerror"}, nil, ""},
		{"clean |-", []string{"-n", "-cache"}, nil, ""},
		{"clean a |", nil, nil, ":folders"},
		{"explain |D10", []string{"D101", "D102"}, []string{"S101"}, ""},
		{"help |", []string{"directives", "expressions", "toolchain"}, nil, ""},
		{"completion |", []string{"bash", "zsh", "fish", "powershell"}, nil, ""},
		{"matcher |", []string{"github", "vscode"}, nil, ""},
		{"version |", nil, []string{"init"}, ""},
	} {
		t.Run(tt.line, func(t *testing.T) {
			before, current, _ := strings.Cut(tt.line, "|")
			var out bytes.Buffer
			require.NoError(t, printWords(append(strings.Fields(before), "="+current), none, &out))
			var got []string
			files := ""
			for line := range strings.Lines(out.String()) {
				word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				if strings.HasPrefix(word, ":") {
					files = word
				} else {
					got = append(got, word)
				}
			}
			assert.Subset(t, got, tt.want)
			for _, word := range tt.never {
				assert.NotContains(t, got, word)
			}
			assert.Equal(t, tt.folder, files)
		})
	}
}

// Every flag of the generator and of toolchain install that takes a value has values or files, or is
// one whose values nobody can list.
func TestFlagsAreCompleted(t *testing.T) {
	free := []string{"D", "name", "pkg", "tags"}
	for _, name := range []string{"", "inspect", "model", "toolchain", "doctor", "clean", "vet"} {
		flags := flagsOf(name, func(string) string { return "" })
		require.NotNil(t, flags, name)
		flags.VisitAll(func(f *flag.Flag) {
			if isBool(f) {
				return
			}
			found := valuesOf(f.Name, "", "")
			values := len(found.candidates) > 0 || found.files != ""
			listed := false
			for _, n := range free {
				listed = listed || n == f.Name
			}
			assert.NotEqual(t, listed, values, "-%s of %q", f.Name, name)
		})
	}
}

// A description is one line.
func TestDescriptions(t *testing.T) {
	for _, before := range []string{"", "-arch", "explain", "help", "template show", "inspect -"} {
		for _, c := range complete(strings.Fields(before), "", func(string) string { return "" }).candidates {
			assert.NotContains(t, c.word+c.line, "\n")
			assert.NotContains(t, c.word+c.line, "\t")
		}
	}
}
