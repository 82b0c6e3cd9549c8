package nccl_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// given tries what depends on how much time it is given with more and more, until it is true.
func given(t *testing.T, first time.Duration, try func(wait time.Duration) (ok bool, said any)) {
	t.Helper()
	for wait := first; ; wait *= 4 {
		ok, said := try(wait)
		if ok {
			return
		}
		require.Less(t, wait, long, "%v", said)
	}
}

// allContain returns whether each of errs has a text.
func allContain(errs []error, text string) bool {
	return !slices.ContainsFunc(errs, func(err error) bool { return err == nil || !strings.Contains(err.Error(), text) })
}

// exchange is Exchange of each World, and returns the errors.
func exchange(t *testing.T, wait time.Duration, worlds ...nccl.World) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	return each(len(worlds), func(i int) error {
		p, err := nccl.Exchange(ctx, worlds[i], nccl.ExchangeConfig{})
		if err == nil {
			t.Cleanup(func() { p.Close() })
		}
		return err
	})
}

func TestExchange(t *testing.T) {
	for _, address := range []string{testenv.FreeAddress(t), "localhost:" + portOf(t, testenv.FreeAddress(t)), "[::1]:" + portOf(t, testenv.FreeAddress(t))} {
		if l, err := net.Listen("tcp", address); err != nil {
			t.Log("not here:", err)
			continue
		} else {
			l.Close()
		}
		var worlds []nccl.World
		for i := range 5 {
			worlds = append(worlds, nccl.World{Rank: 4 - i, Size: 5, Address: address, Token: "x"})
		}
		for _, err := range exchange(t, long, worlds...) {
			assert.NoError(t, err)
		}
	}
}

func portOf(t *testing.T, address string) string {
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}

// TestBarrier: nobody is through before all have come.
func TestBarrier(t *testing.T) {
	peers := meet(t, 3, nccl.ExchangeConfig{})
	through := make(chan int, 3)
	for _, p := range peers[:2] {
		go func() {
			assert.NoError(t, p.Barrier(soon(t)))
			through <- p.Rank()
		}()
	}
	select {
	case <-through:
		assert.Fail(t, "too early")
	case <-time.After(50 * time.Millisecond):
	}
	assert.NoError(t, peers[2].Barrier(soon(t)))
	<-through
	<-through
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := peers[0].Barrier(ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "rank [1 2] has not come")
}

// TestRanksThatDoNotCome: everybody who came is told who did not.
func TestRanksThatDoNotCome(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Parallel()
	told := make(chan []error, 1)
	given(t, time.Second, func(wait time.Duration) (bool, any) {
		address := testenv.FreeAddress(t)
		go func() { told <- exchange(t, 4*wait, nccl.World{Rank: 2, Size: 4, Address: address}) }()
		errs := append(exchange(t, wait, nccl.World{Rank: 0, Size: 4, Address: address}), <-told...)
		return allContain(errs, "waits for rank 1, 3 of 4; here is rank 2 ("), errs
	})
	// One that has given up before is named, too.
	var address string
	given(t, time.Second, func(wait time.Duration) (bool, any) {
		address = testenv.FreeAddress(t)
		go func() { told <- exchange(t, 2*wait, nccl.World{Rank: 0, Size: 3, Address: address}) }()
		early := exchange(t, wait, nccl.World{Rank: 2, Size: 3, Address: address})
		assert.ErrorIs(t, early[0], context.DeadlineExceeded)
		errs := <-told
		return allContain(errs, "waits for rank 1, 2 of 3; came and has gone: rank 2 ("), errs
	})
	given(t, 100*time.Millisecond, func(wait time.Duration) (bool, any) {
		errs := exchange(t, wait, nccl.World{Rank: 1, Size: 2, Address: address})
		assert.ErrorIs(t, errs[0], context.DeadlineExceeded)
		assert.ErrorContains(t, errs[0], "rank 0 at "+address)
		return allContain(errs, "refused"), errs
	})
}

// TestTwoClaimOneNumber: all are told which processes.
func TestTwoClaimOneNumber(t *testing.T) {
	address := testenv.FreeAddress(t)
	for i, err := range exchange(t, long, nccl.World{Rank: 0, Size: 3, Address: address}, nccl.World{Rank: 1, Size: 3, Address: address}, nccl.World{Rank: 1, Size: 3, Address: address}) {
		assert.ErrorContains(t, err, "two processes are rank 1: host ", i)
	}
	address = testenv.FreeAddress(t)
	for i, err := range exchange(t, long, nccl.World{Rank: 0, Size: 2, Address: address}, nccl.World{Rank: 1, Size: 3, Address: address}) {
		assert.ErrorContains(t, err, "says that there are 3 ranks, rank 0 (host ", i)
	}
	// Later than all.
	address = testenv.FreeAddress(t)
	for _, err := range exchange(t, long, nccl.World{Rank: 0, Size: 2, Address: address}, nccl.World{Rank: 1, Size: 2, Address: address}) {
		require.NoError(t, err)
	}
	assert.ErrorContains(t, exchange(t, long, nccl.World{Rank: 1, Size: 2, Address: address})[0], "all 2 ranks have met already")
}

// TestPortInUse: the error tells what to do.
func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	err = exchange(t, long, nccl.World{Rank: 0, Size: 2, Address: l.Addr().String()})[0]
	assert.ErrorContains(t, err, "address already in use")
	assert.ErrorContains(t, err, "set MASTER_PORT or CUDAGEN_NCCL_ADDRESS")
}

// TestStrangers: who does not know the token gets no byte, and does not keep ranks from meeting. The
// control is a rank that knows it.
func TestStrangers(t *testing.T) {
	address := testenv.FreeAddress(t)
	good := make(chan []error, 1)
	go func() {
		good <- exchange(t, long, nccl.World{Rank: 0, Size: 2, Address: address, Token: "ours"})
	}()
	var conns []net.Conn
	for i := range 20 {
		conn := dial(t, address)
		conns = append(conns, conn)
		if i%2 == 0 {
			_, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n%0200d", 0)
			require.NoError(t, err)
		}
	}
	for want, w := range map[string]nccl.World{
		"CUDAGEN_NCCL_TOKEN differs": {Rank: 1, Size: 2, Address: address, Token: "theirs"},
		"another program or job":     {Rank: 1, Size: 2, Address: address, Token: "ours", Job: "another"},
	} {
		given(t, 300*time.Millisecond, func(wait time.Duration) (bool, any) {
			errs := exchange(t, wait, w)
			for _, err := range errs {
				assert.NotContains(t, err.Error(), "ours", "a secret is in no error")
				assert.NotContains(t, err.Error(), "theirs", "a secret is in no error")
			}
			return allContain(errs, want), errs
		})
	}
	for i, conn := range conns {
		if i%2 != 0 {
			continue // has said nothing yet
		}
		conn.SetDeadline(time.Now().Add(long))
		got, err := io.ReadAll(conn)
		assert.Empty(t, got)
		_ = err // a reset is as good as an end
	}
	assert.NoError(t, exchange(t, long, nccl.World{Rank: 1, Size: 2, Address: address, Token: "ours"})[0])
	assert.NoError(t, (<-good)[0])
	for _, conn := range conns {
		conn.Close()
	}
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	for began := time.Now(); time.Since(began) < long; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn
		}
	}
	require.Fail(t, "nobody listens at "+address)
	return nil
}

// TestListenerThatIsNoRank: a program that answers anything is not taken for rank 0.
func TestListenerThatIsNoRank(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Write(make([]byte, 1000))
		}
	}()
	given(t, 300*time.Millisecond, func(wait time.Duration) (bool, any) {
		errs := exchange(t, wait, nccl.World{Rank: 1, Size: 2, Address: l.Addr().String()})
		return allContain(errs, "does not know the token"), errs
	})
}

func TestExchangeOfNothing(t *testing.T) {
	for want, w := range map[string]nccl.World{
		"rank 0 of 0":                     {},
		"rank 2 of 2":                     {Rank: 2, Size: 2},
		"no address of rank 0 is known":   {Size: 2},
		"address x: missing port in addr": {Size: 2, Address: "x"},
	} {
		assert.ErrorContains(t, exchange(t, time.Second, w)[0], want)
	}
	p, err := nccl.Exchange(t.Context(), nccl.World{Size: 1}, nccl.ExchangeConfig{})
	require.NoError(t, err)
	assert.NoError(t, p.Barrier(t.Context()))
	assert.NoError(t, p.Shutdown(t.Context()))
	assert.Error(t, p.Barrier(t.Context()))
	assert.NoError(t, (*nccl.Peers)(nil).Close())
	assert.Error(t, (*nccl.Peers)(nil).Barrier(t.Context()))
}
