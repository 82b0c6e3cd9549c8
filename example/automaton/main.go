// Command automaton prints an elementary cellular automaton. Its kernel calls a device function
// that another .cu file defines.
//
// It runs on a GPU if there is one, otherwise on the simulated device.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen -dlink rule.cu automaton.cu

func main() {
	number := flag.Uint("rule", 90, "`number` of the rule, 0 to 255: 30 is chaotic, 90 a triangle of triangles, 110 a computer")
	width := flag.Int("width", 63, "`cells` in a row")
	rows := flag.Int("n", 32, "`rows`")
	flag.Parse()
	if err := run(os.Stdout, *number, *width, *rows); err != nil {
		fmt.Fprintln(os.Stderr, "automaton:", err)
		os.Exit(1)
	}
}

// run prints rows of the automaton with the default device.
func run(w io.Writer, number uint, width, rows int) error {
	if number > 255 || width < 1 || rows < 1 {
		return fmt.Errorf("want a rule from 0 to 255, a width and rows: not %d, %d and %d", number, width, rows)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	list, err := compute(dev, uint8(number), width, rows)
	if err != nil {
		return err
	}
	for _, row := range list {
		fmt.Fprintln(w, draw(row))
	}
	return nil
}

// compute returns the first rows of the automaton, which begins with one living cell.
func compute(dev *cuda.Device, number uint8, width, rows int) ([][]uint8, error) {
	k, err := LoadAutomaton(dev)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := k.Number.Set(s, number); err != nil {
		return nil, err
	}
	first := make([]uint8, width)
	first[width/2] = 1
	row, err := cuda.Upload(s, first)
	if err != nil {
		return nil, err
	}
	defer row.Close()
	next, err := cuda.Alloc[uint8](s, width)
	if err != nil {
		return nil, err
	}
	defer next.Close()
	list := [][]uint8{first}
	for len(list) < rows {
		if err := k.Step.Launch(s, row.All(), next.All()); err != nil {
			return nil, err
		}
		row, next = next, row
		cells := make([]uint8, width)
		if err := row.CopyTo(s, cells); err != nil {
			return nil, err
		}
		list = append(list, cells)
	}
	return list, nil
}

// draw returns a row as text.
func draw(row []uint8) string {
	var b strings.Builder
	for _, cell := range row {
		b.WriteString([]string{" ", "▲"}[cell])
	}
	return strings.TrimRight(b.String(), " ")
}
