package cu

import (
	"fmt"
	"os"
	"testing"
)

func TestX(t *testing.T) {
	f := os.Getenv("CUF")
	b, _ := os.ReadFile(f)
	file, err := ParseFile(f, b)
	fmt.Println("ERR", err)
	for _, k := range file.Kernels {
		fmt.Printf("%s %v bounds=%v C=%v tmpl=%v def=%v\n  %s\n", k.QualifiedName(), k.Pos, k.LaunchBounds, k.ExternC, k.Template, k.Defined, k.Signature)
		for _, p := range k.Params {
			if p.Type != nil {
				fmt.Printf("    %s: %s | %s\n", p.Name, p.Type, p.Type.Demangled())
			} else {
				fmt.Printf("    %s: nil\n", p.Name)
			}
		}
		for _, d := range k.Directives {
			fmt.Printf("    %v\n", d)
		}
		for _, d := range k.Doc {
			fmt.Printf("    // %v\n", d)
		}
		for _, e := range k.Errors {
			fmt.Println("   E", e)
		}
	}
	for _, s := range file.Structs {
		fmt.Printf("%+v\n", *s)
	}
	fmt.Println(file.Constants, file.Directives, file.Includes)
}
