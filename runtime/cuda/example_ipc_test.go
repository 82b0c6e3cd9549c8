package cuda_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// The handle goes to another process as text, which imports the memory on the same GPU.
func ExampleMemoryHandle() {
	dev, _, closeBoth := exampleDevice()
	defer closeBoth()
	if text := os.Getenv("EXPORTED_MEMORY"); text != "" { // the other process
		var memory cuda.MemoryHandle[float32]
		if err := json.Unmarshal([]byte(text), &memory); err != nil {
			log.Fatal(err)
		}
		x, err := memory.Import(dev)
		if err != nil {
			log.Fatal(err)
		}
		defer x.Close()
		return
	}
	x, err := cuda.AllocExportable[float32](dev, 1000)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	memory, err := x.Export()
	if errors.Is(err, cuda.ErrNotSupported) {
		fmt.Println("a simulated device has memory for one process")
		return
	}
	text, err := json.Marshal(memory)
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("EXPORTED_MEMORY", string(text)) // and start the other process
	// Output: a simulated device has memory for one process
}
