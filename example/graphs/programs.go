package main

import (
	"fmt"
	"io"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// changeBeforeBuilding makes nodes of kernels, gives one its arguments later and says what comes
// after what, until the graph is built.
func changeBeforeBuilding(out io.Writer, k *Kernels, s *cuda.Stream) error {
	a, err := cuda.Upload(s, []int32{1})
	if err != nil {
		return err
	}
	defer a.Close()

	add, err := k.AddTwo.Prepare(one, AddTwoArgs{A: a.All()})
	if err != nil {
		return err
	}
	n1 := cuda.NewNode(add).Named("n1")
	n2 := cuda.NewNode(new(TripleCall)).Named("n2") // without arguments
	n3 := cuda.NewNode(nil).Named("n3")

	triple, err := k.Triple.Prepare(one, TripleArgs{A: a.All()})
	if err != nil {
		return err
	}
	n2.Set(cuda.NewNode(triple))
	n3.Set(cuda.NewNode(triple))
	n2.After(n1)
	n3.After(n2)

	g, err := cuda.BuildGraph(n3)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Launch(s); err != nil {
		return err
	}
	host := make([]int32, 1)
	if err := a.CopyTo(s, host); err != nil {
		return err
	}
	fmt.Fprintf(out, "(1 + 2) * 3 * 3 = %d\n", host[0])
	return nil
}

// one is one thread.
var one = cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}

// copiesAndHostFunction builds a graph that copies there and back and calls a function, launches
// it twice and destroys it.
func copiesAndHostFunction(out io.Writer, k *Kernels, s *cuda.Stream) error {
	host, err := cuda.AllocHost[int32](s.Device(), 1, cuda.HostConfig{})
	if err != nil {
		return err
	}
	defer host.Close()
	host.Host()[0] = 1
	a, err := cuda.Alloc[int32](s, 1)
	if err != nil {
		return err
	}
	defer a.Close()
	add, err := k.AddTwo.Prepare(one, AddTwoArgs{A: a.All()})
	if err != nil {
		return err
	}
	in := cuda.NewNode(cuda.Copy(a.All(), host.All()))
	n := cuda.NewNode(add).After(in)
	back := cuda.NewNode(cuda.Copy(host.All(), a.All())).After(n)
	say := cuda.NewHostNode(func() { fmt.Fprintf(out, "this runs on the host, and a[0] = %d\n", host.Host()[0]) }).After(back)

	g, err := cuda.BuildGraph(say)
	if err != nil {
		return err
	}
	defer g.Close()
	for range 2 {
		if err := g.Launch(s); err != nil {
			return err
		}
	}
	return s.Synchronize()
}

// loop has a kernel decide how often a graph runs it: the program is not asked.
func loop(out io.Writer, k *Kernels, s *cuda.Stream) error {
	a, err := cuda.Upload(s, []int32{100})
	if err != nil {
		return err
	}
	defer a.Close()
	more := cuda.NewConditional(1)
	count, err := k.Countdown.Prepare(one, CountdownArgs{Conditional: more.Handle(), A: a.All(), Stop: 42})
	if err != nil {
		return err
	}
	body, err := cuda.DefineGraph(cuda.NewNode(count))
	if err != nil {
		return err
	}
	g, err := cuda.BuildGraph(more.While(body))
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Launch(s); err != nil {
		return err
	}
	host := make([]int32, 1)
	if err := a.CopyTo(s, host); err != nil {
		return err
	}
	fmt.Fprintf(out, "counted from 100 down to %d\n", host[0])
	return nil
}
