// Command wave plucks a string. A library in C, wave.cu with the interface wave.h, moves it, and Go calls that
// without cgo.
//
// It runs on the simulated device if there is no GPU. On a GPU it needs the library, beside the program or where
// CUDAGEN_LIBWAVE says:
//
//	nvcc -shared -Xcompiler -fPIC -o libwave.so wave.cu
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen wave.cu
//go:generate go run ../../cmd/cudagen library wavelib.h

func main() {
	dev, err := cuda.OpenDefault()
	if err == nil {
		err = errors.Join(run(os.Stdout, dev), dev.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wave:", err)
		os.Exit(1)
	}
}

// run moves a string for some steps, and prints it after each tenth.
func run(out io.Writer, dev *cuda.Device) error {
	const points, steps = 60, 60
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	str, err := NewString(dev, 1)
	if err != nil {
		return err
	}
	defer str.Close()
	var states [3]*cuda.Buffer[float32]
	for i := range states {
		if states[i], err = cuda.Upload(s, plucked(points)); err != nil {
			return err
		}
		defer states[i].Close()
	}
	for step := range steps + 1 {
		before, now, next := states[step%3].All(), states[(step+1)%3].All(), states[(step+2)%3].All()
		if step%10 == 0 {
			host, err := now.Download(s)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, picture(host))
		}
		if err := str.Step(s, points, before, now, next); err != nil {
			return err
		}
	}
	return nil
}

// plucked returns a string that is pulled at a quarter of its length.
func plucked(n int) []float32 {
	points := make([]float32, n)
	for i := range points {
		points[i] = min(float32(i)/float32(n/4), float32(n-1-i)/float32(n-1-n/4))
	}
	return points
}

// picture shows points from -1 to 1 in characters.
func picture(points []float32) string {
	var b strings.Builder
	for _, p := range points {
		levels := []rune("▁▂▃▄▅▆▇█")
		b.WriteRune(levels[max(0, min(7, int((p+1)/2*7.99)))])
	}
	return b.String()
}
