package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

var (
	hashA = strings.Repeat("a", 64)
	hashB = strings.Repeat("b", 64)
)

func sample() *Record {
	both := []string{Source, PTX}
	return &Record{
		Format:   Format,
		Source:   "kernels.cu",
		Inputs:   []Input{{Path: "inc/vec.h", SHA256: hashA}, {Path: "kernels.cu", SHA256: hashB}},
		Options:  Options{Arch: []string{"compute_75"}, Flags: []string{"-DN=<4>"}},
		Compiler: Compiler{Name: "nvcc", Version: "13.0.88", Command: []string{"nvcc", "-ptx", "kernels.cu"}},
		Images:   []Image{{File: "kernels.ptx", SHA256: hashA, Version: "9.0", Target: "sm_75"}},
		Kernels: []Kernel{{
			Name: "stats::histogram", Symbol: "_ZN5stats9histogramEPKhi", Bytes: 12,
			Params: []Param{
				{Name: "data", Type: "const unsigned char *", Offset: 0, Size: 8, Align: 8, Witnesses: both},
				{Name: "n", Type: "int", Offset: 8, Size: 4, Align: 4, Witnesses: both},
			},
		}},
		Variables: []Variable{{Name: "app::taps", Symbol: "_ZN3app4tapsE", Space: "__constant__", Type: "float[5]", Size: 20, Align: 4, Witnesses: both}},
		Structs: []Struct{{Name: "Plate", Size: 16, Align: 8, Fields: []Field{
			{Name: "dt", Type: "double", Offset: 8, Size: 8, Witnesses: []string{Source}},
		}}},
	}
}

func TestEncodeIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernels.cudagen.json")
	for name, r := range map[string]*Record{"full": sample(), "empty": {Format: Format, Source: "k.cu"}} {
		t.Run(name, func(t *testing.T) {
			text := r.Encode()
			require.NoError(t, os.WriteFile(path, text, 0o644))
			got, err := Read(path)
			require.NoError(t, err)
			assert.Equal(t, string(text), string(got.Encode()))
		})
	}
	got, err := Decode("x", sample().Encode())
	require.NoError(t, err)
	assert.Equal(t, sample(), got)
}

func TestEncodedForm(t *testing.T) {
	text := string((&Record{
		Source:  "k.cu",
		Inputs:  []Input{{Path: "k.cu", SHA256: hashA}},
		Kernels: []Kernel{{Name: "vec<4>", Symbol: "k"}},
	}).Encode())
	assert.Equal(t, `{
  "format": 1,
  "source": "k.cu",
  "inputs": [
    {
      "path": "k.cu",
      "sha256": "`+hashA+`"
    }
  ],
  "options": {
    "arch": []
  },
  "compiler": {
    "name": "",
    "version": ""
  },
  "images": [],
  "kernels": [
    {
      "name": "vec<4>",
      "symbol": "k",
      "bytes": 0,
      "params": []
    }
  ]
}
`, text)
}

func TestNoRecord(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "none.json"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNewerFormat(t *testing.T) {
	_, err := Decode("k.cudagen.json", []byte(`{"format": 2, "inputs": "of another shape"}`))
	assert.Equal(t, diag.BadRecord, diag.CodeOf(err))
	assert.EqualError(t, err, "k.cudagen.json: the record has format 2, but this cudagen reads up to 1: update cudagen")
}

func TestDamaged(t *testing.T) {
	damage := func(change func(*Record)) string {
		r := sample()
		change(r)
		return string(r.Encode())
	}
	good := string(sample().Encode())
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "unexpected end"},
		{"cut off", good[:len(good)/2], "unexpected end"},
		{"merge conflict", "<<<<<<< ours\n" + good, "invalid character"},
		{"not an object", "[]", "cannot unmarshal"},
		{"no format", "{}", "no format number"},
		{"format zero", `{"format": 0}`, "no format number"},
		{"text behind", good + "{}", "invalid character"},
		{"unknown field", `{"format": 1, "inptus": []}`, `unknown field "inptus"`},
		{"a number in place of text", `{"format": 1, "compiler": {"name": 3}}`, "cannot unmarshal"},
		{"absolute input", damage(func(r *Record) { r.Inputs[0].Path = "/vec.h" }), `input "/vec.h"`},
		{"unclean input", damage(func(r *Record) { r.Inputs[0].Path = "a/../vec.h" }), `input "a/../vec.h"`},
		{"no input", damage(func(r *Record) { r.Inputs[0].Path = "../" }), `input "../"`},
		{"no hash", damage(func(r *Record) { r.Inputs[0].SHA256 = "ABC" }), "no SHA-256"},
		{"inputs out of order", damage(func(r *Record) { r.Inputs[1].Path = "a.h" }), `input "a.h" is out of order`},
		{"input twice", damage(func(r *Record) { r.Inputs[1].Path = "inc/vec.h" }), "out of order"},
		{"image elsewhere", damage(func(r *Record) { r.Images[0].File = "/k.ptx" }), `image "/k.ptx"`},
		{"image above", damage(func(r *Record) { r.Images[0].File = "../evil.ptx" }), `image "../evil.ptx" is not the name of a file`},
		{"image below", damage(func(r *Record) { r.Images[0].File = "sub/k.ptx" }), `image "sub/k.ptx"`},
		{"image of Windows", damage(func(r *Record) { r.Images[0].File = `..\evil.ptx` }), `image "..\\evil.ptx"`},
		{"image of a drive", damage(func(r *Record) { r.Images[0].File = "C:k.ptx" }), `image "C:k.ptx"`},
		{"image that is a folder", damage(func(r *Record) { r.Images[0].File = ".." }), `image ".."`},
		{"image that is a record", damage(func(r *Record) { r.Images[0].File = "j.cudagen.json" }), `image "j.cudagen.json"`},
		{"absolute source", damage(func(r *Record) { r.Source = "/etc/passwd" }), `source "/etc/passwd"`},
		{"no source", damage(func(r *Record) { r.Source = ".." }), `source ".."`},
		{"source through a folder", damage(func(r *Record) { r.Source = "a/../../k.cu" }), `source "a/../../k.cu"`},
		{"absolute linked file", damage(func(r *Record) { r.Options.Link = []string{"/k.cu"} }), `linked file "/k.cu"`},
		{"Go file elsewhere", damage(func(r *Record) { r.Options.Go = "../main.go" }), `"../main.go" is not the name of a Go file`},
		{"Go file of another", damage(func(r *Record) { r.Options.Go = "main.go" }), `"main.go" is not the Go file of a record of this name`},
		{"Go file that is none", damage(func(r *Record) { r.Options.Go = "k.mod" }), `"k.mod" is not the name of a Go file`},
		{"output elsewhere", damage(func(r *Record) { r.Emitters = []Emitter{{Name: "t", Version: "1", Outputs: []Output{{"../x", hashA}}}} }), `output "../x"`},
		{"absolute template", damage(func(r *Record) { r.Emitters = []Emitter{{Name: "", Version: "1"}} }), `no name`},
		{"no symbol", damage(func(r *Record) { r.Kernels[0].Symbol = "" }), "no symbol"},
		{"overlap", damage(func(r *Record) { r.Kernels[0].Params[1].Offset = 4 }), "parameter n cannot have offset 4"},
		{"misaligned", damage(func(r *Record) { r.Kernels[0].Params[1].Offset = 9 }), "offset 9"},
		{"no alignment", damage(func(r *Record) { r.Kernels[0].Params[0].Align = 0 }), "alignment 0"},
		{"huge", damage(func(r *Record) { r.Kernels[0].Params[1].Size = 1 << 62 }), "cannot have"},
		{"no symbol of a variable", damage(func(r *Record) { r.Variables[0].Symbol = "" }), `variable "app::taps" cannot have symbol ""`},
		{"variable without a size", damage(func(r *Record) { r.Variables[0].Size = 0 }), "size 0"},
		{"other end", damage(func(r *Record) { r.Kernels[0].Bytes = 16 }), "end at 12, not at 16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode("k.cudagen.json", []byte(tt.text))
			assert.Equal(t, diag.BadRecord, diag.CodeOf(err))
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, "restore it, or run cudagen -force with the .cu file and its flags")
		})
	}
}

func TestStale(t *testing.T) {
	inputs := func(changes ...Input) []Input { return append(changes, sample().Inputs[len(changes):]...) }
	options := sample().Options
	for _, tt := range []struct {
		name    string
		inputs  []Input
		options Options
		want    []string
	}{
		{"current", inputs(), options, nil},
		{"changed", inputs(Input{Path: "inc/vec.h", SHA256: hashB}), options, []string{"inc/vec.h changed"}},
		{"all changed", inputs(Input{Path: "inc/vec.h", SHA256: hashB}, Input{Path: "kernels.cu", SHA256: hashA}), options, []string{"inc/vec.h changed", "kernels.cu changed"}},
		{"new", append(inputs(), Input{Path: "z.h", SHA256: hashA}), options, []string{"z.h is new"}},
		{"gone", inputs()[1:], options, []string{"inc/vec.h is no longer an input"}},
		{"arch", inputs(), Options{Arch: []string{"compute_80", "compute_90"}, Flags: options.Flags}, []string{"-arch was compute_75, is compute_80,compute_90"}},
		{"flags", inputs(), Options{Arch: options.Arch}, []string{"compiler flags was -DN=<4>, is empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, sample().Stale(tt.inputs, tt.options))
		})
	}
	assert.Equal(t, []string{"kernels.cu is new", "-arch was empty, is compute_75"},
		new(Record).Stale([]Input{{Path: "kernels.cu", SHA256: hashA}}, Options{Arch: []string{"compute_75"}}))
}

func FuzzDecode(f *testing.F) {
	f.Add(sample().Encode())
	f.Add([]byte(`{"format": 2}`))
	f.Add([]byte(`{"format": 1}`))
	f.Add([]byte(`{"format": 1, "source": "k.cu", "inputs": [], "options": {"arch": [], "go": "k.go"}, "images": [{"file": "../evil.ptx", "sha256": "` + hashA + `"}], "kernels": []}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode("k.cudagen.json", text)
		if (r == nil) == (err == nil) {
			t.Fatalf("record %v, error %v", r, err)
		}
		if r == nil {
			return
		}
		g := &Generated{Record: r, Path: filepath.Join("folder", "k.cudagen.json")}
		for _, path := range g.Written() {
			if filepath.Dir(path) != "folder" {
				t.Errorf("%s is written outside of the record's folder", path)
			}
		}
		once := r.Encode()
		again, err := Decode("k.cudagen.json", once)
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
		if string(again.Encode()) != string(once) {
			t.Errorf("not stable:\n%s\n%s", once, again.Encode())
		}
	})
}
