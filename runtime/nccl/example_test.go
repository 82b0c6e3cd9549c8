package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// Three simulated devices of one process add what they have.
func ExampleRun() {
	var devices []*cuda.Device
	for range 3 {
		dev, err := cuda.OpenSimulator()
		if err != nil {
			panic(err)
		}
		defer dev.Close()
		devices = append(devices, dev)
	}
	err := nccl.Run(context.Background(), devices, func(c *nccl.Comm) error {
		s, err := c.Device().NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		x, err := cuda.Upload(s, []float32{1, float32(c.Rank())})
		if err != nil {
			return err
		}
		defer x.Close()
		if err := nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum); err != nil {
			return err
		}
		sum, err := x.All().Download(s)
		if c.Rank() == 0 {
			fmt.Println(sum)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	// Output: [3 3]
}

// A process that a launcher may have started meets the others. Here it is alone.
func ExampleExchange() {
	ctx := context.Background()
	world, launched, err := nccl.FromEnvironment(os.Getenv)
	if err != nil {
		panic(err)
	}
	peers, err := nccl.Exchange(ctx, world, nccl.ExchangeConfig{})
	if err != nil {
		panic(err)
	}
	defer peers.Close()
	fmt.Println(launched, peers.Rank(), peers.Size())
	// Output: false 0 1
}

// Those that are left after a rank was lost go on.
func ExamplePeers_Regroup() {
	// Between peers, of Exchange, and an error of an operation:
	again := func(ctx context.Context, peers *nccl.Peers, dev *cuda.Device, err error) (*nccl.Comm, error) {
		var lost *nccl.LostError
		if !errors.As(err, &lost) {
			return nil, err
		}
		fmt.Println("lost rank", lost.Rank)
		left, err := peers.Regroup(ctx, peers.Size()/2+1)
		if err != nil {
			return nil, err
		}
		return left.NewComm(ctx, dev)
	}
	_, err := again(context.Background(), nil, nil, &nccl.LostError{Rank: 1})
	fmt.Println(errors.Is(err, cuda.ErrInvalidValue)) // for there are no peers here
	// Output:
	// lost rank 1
	// true
}
