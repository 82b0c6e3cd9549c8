package model_test

import (
	"fmt"
	"log"

	"github.com/cudagen/cudagen/gen/model"
)

// An emitter is a function of the model: this one lists where the parameters of each kernel lie.
func ExampleEmitter() {
	offsets := model.Emitter{Name: "offsets", Version: "1", Emit: func(f *model.File) ([]model.Output, error) {
		text := ""
		for _, k := range f.Kernels {
			for _, p := range k.Params {
				text += fmt.Sprintf("%s.%s: %d\n", k.GoName, p.GoName, p.Offset)
			}
		}
		return []model.Output{{Name: f.Stem + ".txt", Content: []byte(text)}}, nil
	}}
	files, err := offsets.Emit(&model.File{Stem: "saxpy", Kernels: []model.Kernel{
		{GoName: "Saxpy", Params: []model.Param{{GoName: "a", Offset: 0}, {GoName: "x", Offset: 8}}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s:\n%s", files[0].Name, files[0].Content)
	// Output:
	// saxpy.txt:
	// Saxpy.a: 0
	// Saxpy.x: 8
}
