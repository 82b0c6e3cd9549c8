//go:build unix

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// What the test tells its children.
const (
	timeoutVariable = "CUDAGEN_NCCL_TEST_TIMEOUT"
	lengthVariable  = "CUDAGEN_NCCL_TEST_LENGTH" // elements
	roundsVariable  = "CUDAGEN_NCCL_TEST_ROUNDS"
	graphVariable   = "CUDAGEN_NCCL_TEST_GRAPH" // if set, all-reduces are launched as a graph
)

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// A member is what a child has.
type member struct {
	peers  *nccl.Peers
	dev    *cuda.Device
	comm   *nccl.Comm
	stream *cuda.Stream
	buffer *cuda.Buffer[float32]
	graph  *cuda.GraphExec // of an all-reduce; or nil
}

func runChild(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	world, _, err := nccl.FromEnvironment(os.Getenv)
	if err != nil {
		return err
	}
	timeout, err := time.ParseDuration(os.Getenv(timeoutVariable))
	if err != nil {
		timeout = 0
	}
	m := new(member)
	if m.peers, err = nccl.Exchange(ctx, world, nccl.ExchangeConfig{Timeout: timeout}); err != nil {
		return err
	}
	if m.dev, err = world.OpenDevice(); err != nil {
		return err
	}
	if err := m.join(ctx); err != nil {
		return err
	}
	switch name {
	case "loop":
		return m.loop(ctx)
	case "everything":
		if err := everything(ctx, m.comm, m.stream); err != nil {
			return err
		}
		fmt.Println("all right")
		return errors.Join(m.comm.Close(), m.peers.Shutdown(ctx))
	case "rounds":
		return m.rounds(ctx)
	}
	return fmt.Errorf("there is no child %s", name)
}

// join makes a communicator, and what is needed on it.
func (m *member) join(ctx context.Context) (err error) {
	if m.comm, err = m.peers.NewCommWith(ctx, m.dev, nccl.CommConfig{Blocking: os.Getenv(blockingVariable) != ""}); err != nil {
		return err
	}
	if m.stream, err = m.dev.NewStream(); err != nil {
		return err
	}
	values := make([]float32, number(lengthVariable, 1000))
	for i := range values {
		values[i] = float32(m.comm.Rank() + 1)
	}
	m.buffer, err = cuda.Upload(m.stream, values)
	return err
}

// reduce does an all-reduce of 1, 2, … by rank, and checks it.
func (m *member) reduce(ctx context.Context) error {
	n := m.buffer.Len()
	if err := cuda.Fill(m.buffer.All(), float32(m.comm.Rank()+1)).Launch(m.stream); err != nil {
		return err
	}
	if err := m.allReduce(); err != nil {
		return err
	}
	if err := m.stream.Wait(ctx); err != nil {
		return err
	}
	got, err := m.buffer.Slice(n-1, n).Download(m.stream)
	if err != nil {
		return err
	}
	size := m.comm.Size()
	if want := float32(size * (size + 1) / 2); got[0] != want {
		return fmt.Errorf("wrong: got %v, want %v", got[0], want)
	}
	return nil
}

// allReduce queues an all-reduce, by a graph from the second one on if graphVariable says so.
func (m *member) allReduce() error {
	if m.graph != nil {
		return m.graph.Launch(m.stream)
	}
	all := func(s *cuda.Stream) error { return nccl.AllReduce(m.comm, s, m.buffer.All(), m.buffer.All(), nccl.Sum) }
	if os.Getenv(graphVariable) == "" || m.comm.Size() == 1 { // alone there is nothing to capture
		return all(m.stream)
	}
	if err := all(m.stream); err != nil { // which connects
		return err
	}
	if err := m.stream.Synchronize(); err != nil {
		return err
	}
	g, err := cuda.Capture(m.stream, all)
	if err != nil {
		return err
	}
	if m.graph, err = g.Instantiate(); err != nil {
		return err
	}
	return cuda.Fill(m.buffer.All(), float32(m.comm.Size()*(m.comm.Size()+1)/2)).Launch(m.stream)
}

// loop reduces until a rank is lost, regroups, and reduces again.
func (m *member) loop(ctx context.Context) error {
	started := false
	for {
		err := m.reduce(ctx)
		if err == nil {
			if !started {
				fmt.Println("ready")
				started = true
			}
			continue
		}
		fmt.Printf("lost %d %v\n", time.Now().UnixMilli(), err)
		closing := time.Now()
		if err := m.comm.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
		fmt.Printf("closed %d\n", time.Since(closing).Milliseconds())
		m.stream.Close()
		if err := m.graph.Close(); err != nil {
			return fmt.Errorf("close the graph: %w", err)
		}
		m.graph = nil
		break
	}
	peers, err := m.peers.Regroup(ctx, 1)
	if err != nil {
		return err
	}
	m.peers = peers
	if err := m.join(ctx); err != nil {
		return fmt.Errorf("join again: %w", err)
	}
	for range 3 {
		if err := m.reduce(ctx); err != nil {
			return fmt.Errorf("reduce again: %w", err)
		}
	}
	fmt.Printf("regrouped %d of %d\n", m.comm.Rank(), m.comm.Size())
	if err := m.comm.Close(); err != nil {
		return err
	}
	return peers.Shutdown(ctx)
}

// rounds reduces as often as it is told.
func (m *member) rounds(ctx context.Context) error {
	began := time.Now()
	rounds := number(roundsVariable, 100)
	for range rounds {
		if err := m.reduce(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("done %d rounds in %v\n", rounds, time.Since(began))
	if err := m.comm.Close(); err != nil {
		return err
	}
	return m.peers.Shutdown(ctx)
}
