package nccl_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// childVariable makes the test binary a rank: it names what that does.
const childVariable = "CUDAGEN_NCCL_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		run := runChild
		if fake, ok := strings.CutPrefix(name, "fake "); ok {
			name, run = fake, runFake
		}
		if err := run(name); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Set("test.parallel", "6") // what is parallel waits
	os.Exit(m.Run())
}

// simulators opens n simulated devices.
func simulators(t testing.TB, n int) []*cuda.Device {
	t.Helper()
	devices := make([]*cuda.Device, n)
	for i := range devices {
		d, err := cuda.OpenSimulator()
		require.NoError(t, err)
		t.Cleanup(func() { d.Close() })
		devices[i] = d
	}
	return devices
}

// long is how long a test waits for what must happen: on a machine that others use, too.
const long = 3 * time.Minute

// soon is a context that ends before the test does.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	return ctx
}

// meet has n ranks of this process meet by TCP, as processes do.
func meet(t testing.TB, n int, cfg nccl.ExchangeConfig) []*nccl.Peers {
	t.Helper()
	address := testenv.FreeAddress(t)
	all, errs := make([]*nccl.Peers, n), make(chan error, n)
	for i := range n {
		go func() {
			var err error
			all[i], err = nccl.Exchange(soon(t), nccl.World{Rank: i, Size: n, LocalRank: i, Address: address, Token: t.Name()}, cfg)
			errs <- err
		}()
	}
	for range n {
		require.NoError(t, <-errs)
	}
	for _, p := range all {
		t.Cleanup(func() { p.Close() })
	}
	return all
}

// each calls f for each of n ranks, on a goroutine, and returns their errors.
func each(n int, f func(rank int) error) []error {
	errs := make([]error, n)
	done := make(chan struct{})
	for i := range n {
		go func() {
			errs[i] = f(i)
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	return errs
}

// blockingVariable makes the communicators of a child block, if it is set.
const blockingVariable = "CUDAGEN_NCCL_TEST_BLOCKING"

// transports are the ways that NCCL has from one GPU to another, as variables of its environment. Over
// sockets the processes believe to be on different machines.
var transports = map[string][]string{
	"peer memory":   {"NCCL_NVLS_ENABLE=0"},
	"blocking":      {"NCCL_NVLS_ENABLE=0", blockingVariable + "=1"},
	"shared memory": {"NCCL_NVLS_ENABLE=0", "NCCL_P2P_DISABLE=1"},
	"sockets":       {"NCCL_NVLS_ENABLE=0", "NCCL_P2P_DISABLE=1", "NCCL_SHM_DISABLE=1", "NCCL_IB_DISABLE=1", "NCCL_SOCKET_IFNAME=lo"},
}
