package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A grid is the size of the simulation.
type grid struct{ columns, rows int }

func (g grid) cells() int { return g.columns * g.rows }

// perGraph is how many steps of time a launch of the graph makes: an even number, because each
// step writes what the next one reads.
const perGraph = 20

// A reaction is the state of the simulation, and another one to write the next step to.
type reaction struct {
	grid
	k    *Kernels
	s    *cuda.Stream
	u, v [2]*cuda.Buffer[float32]
}

func newReaction(k *Kernels, s *cuda.Stream, g grid) (*reaction, error) {
	r := &reaction{grid: g, k: k, s: s}
	u, v := make([]float32, g.cells()), make([]float32, g.cells())
	for i := range u {
		u[i] = 1
	}
	for y := g.rows / 3; y < g.rows/2; y++ {
		for x := g.columns / 3; x < g.columns/2; x++ {
			u[y*g.columns+x], v[y*g.columns+x] = 0.5, 0.25
		}
	}
	for i := range r.u {
		var err1, err2 error
		r.u[i], err1 = cuda.Upload(s, u)
		r.v[i], err2 = cuda.Upload(s, v)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// args returns the arguments of a step.
func (r *reaction) args(step int, feed float32) ReactArgs {
	from, to := step%2, 1-step%2
	return ReactArgs{
		U: r.u[from].All(), V: r.v[from].All(), NextU: r.u[to].All(), NextV: r.v[to].All(),
		Columns: int32(r.columns), Rows: int32(r.rows), Feed: feed, Kill: 0.062,
	}
}

func (r *reaction) close() {
	for i := range r.u {
		if r.u[i] != nil {
			r.u[i].Close()
		}
		if r.v[i] != nil {
			r.v[i].Close()
		}
	}
}

// simulate runs the same reaction with launches and with a graph, whose first step gets another
// feed rate now and then, compares the results and paints them.
func simulate(out io.Writer, k *Kernels, s *cuda.Stream, g grid, picture string) error {
	const rounds = 50
	feedIn := func(round int) float32 { return 0.037 + 0.001*float32(round%3) }
	byLaunches, err := newReaction(k, s, g)
	if err != nil {
		return err
	}
	defer byLaunches.close()
	byGraph, err := newReaction(k, s, g)
	if err != nil {
		return err
	}
	defer byGraph.close()

	launched, err := timed(s, func() error {
		for round := range rounds {
			for step := range perGraph {
				feed := float32(0.037)
				if step == 0 {
					feed = feedIn(round)
				}
				a := byLaunches.args(step, feed)
				if err := k.React.Launch(s, a.U, a.V, a.NextU, a.NextV, a.Columns, a.Rows, a.Feed, a.Kill); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	first, err := k.React.PrepareDefault(byGraph.args(0, 0.037))
	if err != nil {
		return err
	}
	begin := cuda.NewNode(first).Named("first step")
	last := begin
	for step := 1; step < perGraph; step++ {
		call, err := k.React.PrepareDefault(byGraph.args(step, 0.037))
		if err != nil {
			return err
		}
		last = cuda.NewNode(call).After(last)
	}
	exec, err := cuda.BuildGraph(last)
	if err != nil {
		return err
	}
	defer exec.Close()
	if err := exec.Upload(s); err != nil {
		return err
	}
	graphed, err := timed(s, func() error {
		for round := range rounds {
			if err := first.Set(byGraph.args(0, feedIn(round))); err != nil {
				return err
			}
			if err := exec.Update(begin); err != nil {
				return err
			}
			if err := exec.Launch(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	want, got := make([]float32, g.cells()), make([]float32, g.cells())
	if err := errors.Join(byLaunches.v[0].CopyTo(s, want), byGraph.v[0].CopyTo(s, got)); err != nil {
		return err
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Errorf("cell %d is %v with a graph, %v without", i, got[i], want[i])
		}
	}
	fmt.Fprintf(out, "%d steps of %d×%d cells: %v by launches, %v by graphs of %d steps, ratio %.2f\n",
		rounds*perGraph, g.columns, g.rows, launched.Round(time.Microsecond), graphed.Round(time.Microsecond), perGraph, float64(graphed)/float64(launched))
	return paint(picture, g, got)
}

// timed returns how long the work that f queues on s takes.
func timed(s *cuda.Stream, f func() error) (time.Duration, error) {
	if err := s.Synchronize(); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	err := s.Synchronize()
	return time.Since(begin), err
}

// paint writes v as a picture, unless path is empty.
func paint(path string, g grid, v []float32) error {
	if path == "" {
		return nil
	}
	img := image.NewGray(image.Rect(0, 0, g.columns, g.rows))
	for i, value := range v {
		img.SetGray(i%g.columns, i/g.columns, color.Gray{Y: uint8(min(255, max(0, value*600)))})
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, img), file.Close())
}
