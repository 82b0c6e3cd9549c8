package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/templates"
)

const templatesGuide = "../../docs/templates.md"

var docTemplate = regexp.MustCompile(`^\{\{- /\* (\S+\.tmpl)`)

// The files of docs/templates.md are written, its commands run in the order of the page, outputs are
// what it shows, and its Go compiles together with what is generated.
func TestTemplatesGuide(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	goTool := testenv.GoPath(t)
	guide, err := os.ReadFile(templatesGuide)
	require.NoError(t, err)
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "guide")
	require.NoError(t, os.Mkdir(folder, 0o755))
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/guide\n\ngo 1.26\n"), 0o644))
	blocks := docBlock.FindAllStringSubmatch(string(guide), -1)
	for _, block := range blocks {
		if m := docTemplate.FindStringSubmatch(block[2]); m != nil {
			require.Equal(t, "template", block[1])
			require.NoError(t, os.WriteFile(m[1], []byte(block[2]), 0o644))
		}
	}
	vet := func(name, text string) { // together with what was generated last
		path := filepath.Join(folder, filepath.Base(name))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		args := []string{"vet", path}
		if !strings.Contains(text, "package main") {
			generated, err := filepath.Glob(filepath.Join(folder, "kernels_*.go"))
			require.NoError(t, err)
			args = append(args, generated...)
		}
		command := exec.Command(goTool, args...)
		command.Dir = repository // where imports are found
		out, err := command.CombinedOutput()
		assert.NoError(t, err, "%s: %s", name, out)
		require.NoError(t, os.Remove(path))
	}
	commands, goBlocks, outputs := 0, 0, 0
	var stderr bytes.Buffer
	for _, block := range blocks {
		switch language, text := block[1], block[2]; language {
		case "cuda":
			m := docFile.FindStringSubmatch(text)
			require.NotNil(t, m, text)
			require.NoError(t, os.WriteFile(m[1], []byte(text), 0o644))
		case "sh":
			for line := range strings.Lines(text) {
				line, fails := strings.CutPrefix(strings.TrimSpace(line), "! ")
				words := strings.Fields(line)
				require.Equal(t, "cudagen", words[0])
				stderr.Reset()
				code := run(t.Context(), words[1:], nil, new(bytes.Buffer), &stderr)
				assert.Equal(t, map[bool]int{false: exitOK, true: exitInput}[fails], code, "%s\n%s", line, &stderr)
				commands++
			}
		case "text":
			name, want, _ := strings.Cut(text, ":\n")
			got := stderr.String()
			if name != "stderr" {
				content, err := os.ReadFile(name)
				require.NoError(t, err)
				got = string(content)
			}
			assert.Contains(t, got, strings.TrimRight(want, "\n"), name)
			outputs++
		case "go":
			name, _, _ := strings.Cut(strings.TrimPrefix(text, "// "), "\n")
			vet(name, text)
			goBlocks++
		}
	}
	assert.Equal(t, []int{10, 3, 2}, []int{commands, goBlocks, outputs}, "commands, Go blocks and outputs in the guide")
}

// Every function of templates is in the guide, every bundled template, every block and every key of
// data that they read.
func TestTemplatesGuideIsComplete(t *testing.T) {
	guide, err := os.ReadFile(templatesGuide)
	require.NoError(t, err)
	for _, function := range templates.Functions() {
		assert.Regexp(t, "(?m)^\\| .*`"+function+"[` ]", string(guide), function)
	}
	for _, name := range templates.Names() {
		assert.Contains(t, string(guide), "| `builtin:"+name+"` |")
		bundled, err := templates.Builtin(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"((?:bench|fuzz)\.\w+)"`).FindAllStringSubmatch(bundled.Text(), -1) {
			assert.Contains(t, string(guide), "| `"+m[1]+"` |")
		}
	}
	for _, b := range []model.Block{model.FileHeader, model.FileExtra, model.KernelDoc, model.KernelExtra, model.ArgsDoc, model.StructExtra} {
		assert.Contains(t, string(guide), "| `"+string(b)+"` |")
	}
}

// The reference at the end of the guide has every field with an example.
func TestModelReference(t *testing.T) {
	const mark = "<!-- reference -->\n"
	guide, err := os.ReadFile(templatesGuide)
	require.NoError(t, err)
	before, got, found := strings.Cut(string(guide), mark)
	require.True(t, found)
	want := "\n" + reference(t)
	if *update {
		require.NoError(t, os.WriteFile(templatesGuide, []byte(before+mark+want), 0o644))
		return
	}
	assert.Equal(t, want, got, "go test ./cmd/cudagen -run TestModelReference -update rewrites the reference")
}

// rareExamples are those of fields that the examples do not have.
var rareExamples = map[string]string{
	"File.Tags": `linux`, "Image.Targets": `["sm_80","sm_90"]`,
	"Embedded.Main": `wave.cu`, "Embedded.IncludeDirs": `["include"]`, "Embedded.Defines": `["STEPS=3"]`, "Embedded.Std": `c++17`,
	"Embedded.Flags": `["-use_fast_math"]`, "Embedded.Compiler": `nvcc 13.0.88`, "EmbeddedFile.File": `include/wave.cuh`, "EmbeddedFile.SHA256": `0f2c…`,
	"Kernel.TemplateArgs": `["float","4"]`, "Code.Image": `kernels.fatbin`, "Code.Target": `sm_90`, "Code.Registers": `32`, "Code.SharedBytes": `1024`,
	"Param.Note": `it is a keyword of Go`, "Param.Holder": `ConditionalHandle`, "Variable.Note": `Taps is ambiguous`, "Struct.Note": `Plate is ambiguous`, "Enum.Note": `Mode is ambiguous`,
	"Kernel.Note": `it is overloaded`, "Field.Note": `X is ambiguous`, "Variable.Data": `{"unit":"K"}`, "Launch.ClusterFixed": `true`, "Launch.Cooperative": `true`,
	"Launch.Cluster": `[2,1,1]`, "Count.Unsigned": `true`, "GoType.Path": `example.com/shapes`, "Field.Embedded": `true`,
	"Constant.Doc": `it stands still`, "BitField.Note": `SetMode is ambiguous`, "BitField.Doc": `0 to 7`,
}

// reference describes every type of the model: its fields, what they are, and an example each.
func reference(t *testing.T) string {
	t.Helper()
	var models []*model.File
	for _, path := range []string{"../../example/templates/kernels.cu", "../../example/kernels.cu"} {
		list, err := gen.Models(context.Background(), gen.Options{Sources: []string{path}, Archs: []string{"compute_75"}})
		require.NoError(t, err)
		models = append(models, list...)
	}
	examples := make(map[string]string)
	var collect func(v reflect.Value)
	collect = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				collect(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				collect(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Field(i)
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				if example := short(f); examples[name] == "" && example != "" {
					examples[name] = example
				}
				collect(f)
			}
		}
	}
	for _, m := range models {
		collect(reflect.ValueOf(m))
	}
	var b strings.Builder
	seen := make(map[string]bool)
	var describe func(of reflect.Type)
	describe = func(of reflect.Type) {
		for of.Kind() != reflect.Struct {
			if k := of.Kind(); k != reflect.Pointer && k != reflect.Slice && k != reflect.Array {
				return
			}
			of = of.Elem()
		}
		if seen[of.Name()] {
			return
		}
		seen[of.Name()] = true
		fmt.Fprintf(&b, "### %s\n\n%s\n\n| field | type | | example |\n| --- | --- | --- | --- |\n", of.Name(), model.Doc(of.Name()))
		var inner []reflect.Type
		for i := range of.NumField() {
			f := of.Field(i)
			if f.Tag.Get("json") == "-" {
				continue
			}
			name := of.Name() + "." + f.Name
			rare, listed := rareExamples[name]
			example := examples[name]
			switch {
			case example == "":
				example = rare
				assert.True(t, listed || simple(f.Type) == "", "%s has no example", name)
			case listed && simple(f.Type) != "":
				t.Errorf("%s has an example: %s", name, example)
			}
			if example != "" {
				example = "`" + example + "`"
			}
			typeName := strings.ReplaceAll(f.Type.String(), "model.", "")
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Name, typeName, cell(model.Doc(name)), cell(example))
			inner = append(inner, f.Type)
		}
		b.WriteString("\n")
		for _, t := range inner {
			describe(t)
		}
	}
	describe(reflect.TypeFor[model.File]())
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// simple returns the kind of a type whose values are short, or "".
func simple(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Map:
		return t.Kind().String()
	case reflect.Slice, reflect.Array:
		if k := t.Elem().Kind(); k == reflect.String || k == reflect.Int || k == reflect.Int64 {
			return "list"
		}
	}
	return ""
}

// short returns a value as an example, or "".
func short(v reflect.Value) string {
	if v.IsZero() || simple(v.Type()) == "" || v.Kind() == reflect.Slice && v.Len() == 0 {
		return ""
	}
	text := fmt.Sprint(v)
	if len(text) == 64 && !strings.ContainsAny(text, " [{") {
		return text[:4] + "…" // a hash
	}
	if k := v.Kind(); k == reflect.Slice || k == reflect.Array || k == reflect.Map {
		encoded, err := json.Marshal(v.Interface())
		if err != nil {
			return ""
		}
		text = string(encoded)
	}
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}
