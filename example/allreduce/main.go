// Command allreduce trains a small network on all GPUs of a machine, or of several:
//
//	go run ./example/allreduce
//	mpirun -n 2 allreduce
//	torchrun --no-python --nproc-per-node 2 allreduce
//
// Each GPU has a share of the points, and the same weights: after each step the GPUs add their
// gradients. The last line is the weights' checksum, which is the same for any number of GPUs.
// It runs on simulated devices if there is no GPU. docs/distributed.md tells more.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/nccl"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen train.cu

func main() {
	gpus := flag.Int("gpus", 0, "`number` of GPUs of this process, if no launcher has started it; 0 for all")
	steps := flag.Int("steps", 500, "`number` of steps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Getenv, *gpus, *steps, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "allreduce:", err)
		os.Exit(1)
	}
}

// run trains as one of the processes of a launcher, or alone.
func run(ctx context.Context, getenv func(string) string, gpus, steps int, out io.Writer) error {
	world, launched, err := nccl.FromEnvironment(getenv)
	if err != nil {
		return err
	}
	train := func(c *nccl.Comm) error { return train(ctx, c, steps, out) }
	if !launched {
		devices, err := open(gpus)
		if err != nil {
			return err
		}
		return errors.Join(nccl.Run(ctx, devices, train), closeAll(devices))
	}
	meeting, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	peers, err := nccl.Exchange(meeting, world, nccl.ExchangeConfig{})
	if err != nil {
		return err
	}
	defer peers.Close()
	dev, err := world.OpenDevice()
	if err != nil {
		return err
	}
	defer dev.Close()
	comm, err := peers.NewComm(meeting, dev)
	if err != nil {
		return err
	}
	defer comm.AbortWhenDone(ctx)()
	return errors.Join(train(comm), comm.Close(), peers.Shutdown(ctx))
}

// open opens n GPUs, or all if n is 0. Without a GPU it opens simulated devices.
func open(n int) (devices []*cuda.Device, err error) {
	found, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	next := cuda.OpenSimulator
	if len(found) > 0 {
		if n == 0 {
			n = len(found)
		}
		next = func() (*cuda.Device, error) { return cuda.Open(len(devices)) }
	}
	for range max(n, 1) {
		d, err := next()
		if err != nil {
			return nil, errors.Join(err, closeAll(devices))
		}
		devices = append(devices, d)
	}
	return devices, nil
}

func closeAll(devices []*cuda.Device) (err error) {
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	return err
}

// points is how many points all ranks have together.
const points = 4096

// share returns the points of a rank, and 1 for those within the ring, -1 for others.
func share(rank, size int) (p []vec.Float2, label []float32) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range points {
		x, y := float32(random.IntN(2001)-1000)/500, float32(random.IntN(2001)-1000)/500
		if i < points*rank/size || i >= points*(rank+1)/size {
			continue
		}
		l := float32(-1)
		if r := x*x + y*y; r > 0.5 && r < 2.5 {
			l = 1
		}
		p, label = append(p, vec.Float2{X: x, Y: y}), append(label, l)
	}
	return p, label
}

// train does the steps of one rank. Rank 0 tells how far it is.
func train(ctx context.Context, c *nccl.Comm, steps int, out io.Writer) error {
	dev := c.Device()
	k, err := LoadTrain(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	myPoints, myLabels := share(c.Rank(), c.Size())
	p, err := cuda.Upload(s, myPoints)
	if err != nil {
		return err
	}
	defer p.Close()
	label, err := cuda.Upload(s, myLabels)
	if err != nil {
		return err
	}
	defer label.Close()
	first := make([]float32, ShapeWeights)
	if c.Rank() == 0 {
		random := rand.New(rand.NewPCG(3, 4))
		for i := range first {
			first[i] = float32(random.IntN(2001)-1000) / 1000
		}
	}
	weights, err := cuda.Upload(s, first)
	if err != nil {
		return err
	}
	defer weights.Close()
	if err := nccl.Broadcast(c, s, weights.All(), weights.All(), 0); err != nil {
		return err
	}
	sums, err := cuda.Alloc[int64](s, int(ShapeSums))
	if err != nil {
		return err
	}
	defer sums.Close()
	for step := 1; step <= steps; step++ {
		if err := sums.Clear(s); err != nil {
			return err
		}
		if err := k.Gradient.Launch(s, p.All(), label.All(), weights.All(), sums.All()); err != nil {
			return err
		}
		if err := nccl.AllReduce(c, s, sums.All(), sums.All(), nccl.Sum); err != nil {
			return err
		}
		if err := k.Descend.Launch(s, weights.All(), sums.All(), 0.2/points); err != nil {
			return err
		}
		if step%100 == 0 || step == steps {
			if err := progress(ctx, c, s, sums, step, out); err != nil {
				return err
			}
		}
	}
	trained, err := weights.All().DownloadContext(ctx, s)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		fmt.Fprintf(out, "%d ranks, weights %s\n", c.Size(), checksum(trained))
	}
	return c.Err()
}

// progress waits for the step, and prints how good it was.
func progress(ctx context.Context, c *nccl.Comm, s *cuda.Stream, sums *cuda.Buffer[int64], step int, out io.Writer) error {
	got, err := sums.All().DownloadContext(ctx, s)
	if err != nil || c.Rank() != 0 {
		return err
	}
	const scale = points * (1 << 24)
	_, err = fmt.Fprintf(out, "step %d: error %.4f, %.1f%% right\n", step, float64(got[ShapeWeights])/scale, 100*float64(got[ShapeWeights+1])/scale)
	return err
}

// checksum returns the beginning of the SHA-256 of the weights' bits.
func checksum(weights []float32) string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, weights) // a hash has no errors
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
