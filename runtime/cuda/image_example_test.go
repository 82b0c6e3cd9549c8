package cuda_test

import (
	"fmt"
	"log"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// PTX that no generated code embeds becomes an image, and is loaded.
func ExampleImage() {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	image := cuda.NewImage("add.ptx", addPTX)
	library, err := dev.LoadLibrary(image)
	if err != nil {
		log.Fatal(err)
	}
	defer library.Close()
	fmt.Println(image.Name, dev.Stats().Libraries)
	// Output: add.ptx 1
}
