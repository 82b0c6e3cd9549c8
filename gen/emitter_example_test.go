package gen_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/templates"
)

// A program writes files of its own beside what cudagen generates: with an emitter, which is a Go
// function over the model, and with a template.
func ExampleGenerate() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	for _, name := range []string{"kernels.cu", "kernels.ptx", "kernels.cudagen.json", "kernels_cuda.go"} {
		content, err := os.ReadFile(filepath.Join("../example", name))
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			log.Fatal(err)
		}
	}

	list := gen.Emitter{Name: "list", Version: "1", Emit: func(f *model.File) ([]model.Output, error) {
		text := ""
		for _, k := range f.Kernels {
			text += fmt.Sprintln(k.GoName, len(k.Args))
		}
		return []model.Output{{Name: f.Stem + ".txt", Content: []byte(text)}}, nil
	}}
	mock, err := templates.Open("builtin:mock")
	if err != nil {
		log.Fatal(err)
	}
	result, err := gen.Generate(context.Background(), gen.Options{
		Sources:  []string{filepath.Join(folder, "kernels.cu")},
		Archs:    []string{"compute_75"},
		Package:  "example",
		Emitters: []gen.Emitter{list, mock.Emitter()},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range result.Written {
		fmt.Println(filepath.Base(path))
	}
	text, err := os.ReadFile(filepath.Join(folder, "kernels.txt"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// kernels.txt
	// kernels_mock.go
	// kernels.cudagen.json
	// Saxpy 3
	// Sum 2
	// Mandelbrot 6
	// HeatStep 5
	// Histogram 3
	// AddDelta 2
	// Transform 3
	// Smooth 2
}
