// Command rank is a rank in Go that bench/nccl measures. With the argument "blocking" its communicator blocks.
//
// It reads lines and answers each: "id" prints an address where rank 0 may listen; "join ADDRESS RANK SIZE
// BYTES" joins, with a buffer of that many bytes, and does one all-reduce; "run BYTES COUNT" does COUNT
// all-reduces and prints the nanoseconds and the heap allocations of one; "hang" does one that the
// other rank does not do, and prints its error.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	r := &rank{cfg: nccl.CommConfig{Blocking: len(os.Args) > 1 && os.Args[1] == "blocking"}}
	for lines.Scan() {
		answer, err := r.answer(lines.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, "rank:", err)
			os.Exit(1)
		}
		fmt.Println(answer)
	}
	r.comm.Close()
	r.peers.Close()
}

// A rank is what it has joined with.
type rank struct {
	cfg    nccl.CommConfig
	peers  *nccl.Peers
	comm   *nccl.Comm
	stream *cuda.Stream
	buffer *cuda.Buffer[float32]
}

func (r *rank) answer(line string) (string, error) {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "id":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		defer l.Close()
		return l.Addr().String(), nil
	case "join":
		return "ready", r.join(rest)
	case "run":
		var bytes, count int
		if _, err := fmt.Sscan(rest, &bytes, &count); err != nil {
			return "", err
		}
		return r.run(bytes, count)
	case "hang":
		err := r.reduce(r.buffer.Len())
		if err == nil {
			err = r.stream.Wait(context.Background())
		}
		if err == nil {
			return "", fmt.Errorf("an all-reduce of one rank has ended")
		}
		return "error: " + strings.ReplaceAll(err.Error(), "\n", " "), nil
	}
	return "", fmt.Errorf("unknown command %q", line)
}

func (r *rank) join(rest string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var w nccl.World
	var bytes int
	if _, err := fmt.Sscan(rest, &w.Address, &w.Rank, &w.Size, &bytes); err != nil {
		return err
	}
	var err error
	if r.peers, err = nccl.Exchange(ctx, w, nccl.ExchangeConfig{}); err != nil {
		return err
	}
	dev, err := cuda.OpenDefault() // CUDA_VISIBLE_DEVICES shows one
	if err != nil {
		return err
	}
	if r.comm, err = r.peers.NewCommWith(ctx, dev, r.cfg); err != nil {
		return err
	}
	if r.stream, err = dev.NewStream(); err != nil {
		return err
	}
	if r.buffer, err = cuda.Alloc[float32](r.stream, bytes/4); err != nil {
		return err
	}
	if err := r.buffer.Clear(r.stream); err != nil {
		return err
	}
	if err := r.reduce(1); err != nil {
		return err
	}
	return r.stream.Synchronize()
}

func (r *rank) reduce(n int) error {
	x := r.buffer.Slice(0, n)
	return nccl.AllReduce(r.comm, r.stream, x, x, nccl.Sum)
}

func (r *rank) run(bytes, count int) (string, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := errors.Join(r.reduce(1), r.stream.Synchronize()); err != nil { // so that the ranks begin together
		return "", err
	}
	start := time.Now()
	err := r.comm.Device().Do(func() error { // C's thread has its context, too
		for range count {
			if err := r.reduce(bytes / 4); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, r.stream.Synchronize()); err != nil {
		return "", err
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return fmt.Sprintf("%.1f %.2f", float64(took.Nanoseconds())/float64(count), float64(after.Mallocs-before.Mallocs)/float64(count)), nil
}
