package link_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/link"
)

// A kernel and the function that it calls are two texts.
func ExampleLink() {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	arch, err := link.ArchFor(dev)
	if err != nil {
		log.Fatal(err)
	}
	linked, err := link.Link(context.Background(), link.Options{Arch: arch, Name: "picture"},
		link.Input{Name: "kernels.ptx", Data: []byte(kernels)},
		link.Input{Name: "squares.ptx", Data: []byte(squares)})
	if err != nil {
		log.Fatal(err)
	}
	lib, err := dev.LoadLibrary(linked.Image)
	if err != nil {
		log.Fatal(err)
	}
	defer lib.Close()
	fmt.Println(linked.Image.Name)
	// Output: picture.ptx
}

// A Linker may use a library of one's own choice.
func ExampleLinker() {
	linker := link.New(link.Config{Library: "/opt/cuda/lib64/libnvJitLink.so.13"})
	_, err := linker.Link(context.Background(), link.Options{Arch: "compute_75"},
		link.Input{Name: "squares.ptx", Data: []byte(squares)},
		link.Input{Name: "again.ptx", Data: []byte(squares[:strings.Index(squares, ".visible .func")])})
	fmt.Println(err)
	// Output:
	// linking linked with cudagen: again.ptx: multiple definition of device variable scale, first defined in squares.ptx
}
