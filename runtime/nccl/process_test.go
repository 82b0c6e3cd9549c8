//go:build unix

package nccl_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// A child is a rank in a process of its own.
type child struct {
	*exec.Cmd
	lines chan string // what it prints
	mu    sync.Mutex
	said  []string
}

// start starts a rank. Its environment is that of the test, without GPUs unless env says otherwise.
func start(t *testing.T, name string, rank, size int, address string, env ...string) *child {
	t.Helper()
	return startBy(t, nil, name, rank, size, address, env...)
}

// startBy is start by a command that takes another as arguments.
func startBy(t *testing.T, by []string, name string, rank, size int, address string, env ...string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	by = append(by[:len(by):len(by)], self)
	c := &child{Cmd: exec.Command(by[0], by[1:]...), lines: make(chan string, 1000)}
	c.Env = append(os.Environ(), childVariable+"="+name, fmt.Sprint("CUDAGEN_NCCL_RANK=", rank), fmt.Sprint("CUDAGEN_NCCL_SIZE=", size),
		"CUDAGEN_NCCL_ADDRESS="+address, "CUDAGEN_NCCL_TOKEN="+t.Name(), "CUDAGEN_DEVICE=sim")
	c.Env = append(c.Env, env...)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = c.Stdout
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	go func() {
		defer close(c.lines)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			c.mu.Lock()
			c.said = append(c.said, lines.Text())
			c.mu.Unlock()
			c.lines <- lines.Text()
		}
	}()
	return c
}

// output returns what it has printed.
func (c *child) output() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// expect returns the next line with a prefix, without it.
func (c *child) expect(t *testing.T, prefix string) string {
	t.Helper()
	deadline := time.After(long)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.mu.Lock()
				defer c.mu.Unlock()
				require.Fail(t, "the process has ended", "before it said %q:\n%s", prefix, strings.Join(c.said, "\n"))
			}
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				return strings.TrimSpace(rest)
			}
		case <-deadline:
			require.Fail(t, "the process hangs", "before it said %q", prefix)
		}
	}
}

// A proxy passes connections on, until it is cut.
type proxy struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
	mute  bool
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{Listener: l}
	t.Cleanup(func() { p.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			go p.pass(in, out)
			go p.pass(out, in)
		}
	}()
	return p
}

func (p *proxy) pass(to, from net.Conn) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		mute := p.mute
		p.mu.Unlock()
		if err != nil {
			if !mute {
				to.Close()
			}
			return
		}
		if !mute {
			io.Copy(to, strings.NewReader(string(b[:n])))
		}
	}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Close()
	for _, c := range p.conns {
		c.Close()
	}
}

// silence keeps the connections, and passes nothing on: a network that is down.
func (p *proxy) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = true
}

// A fault ends a rank.
type fault struct {
	name string
	do   func(c *child, p *proxy)
	want []string // one of them is in the others' errors
	dead bool     // the process is gone
}

var faults = []fault{
	{"kill -9", func(c *child, p *proxy) { c.Process.Kill() }, []string{"its process has ended or was killed", "its connection has failed"}, true},
	{"SIGSTOP", func(c *child, p *proxy) { c.Process.Signal(syscall.SIGSTOP) }, []string{"it has sent nothing for"}, true},
	{"cut connection", func(c *child, p *proxy) { p.cut() }, []string{"its process has ended or was killed", "its connection has failed"}, false},
	{"silent network", func(c *child, p *proxy) { p.silence() }, []string{"it has sent nothing for"}, false},
}

// loseRank starts ranks, breaks one in the middle of what they do, and returns how long it took until
// all others had their errors.
func loseRank(t *testing.T, f fault, size, victim int, timeout time.Duration, env func(rank int) []string) (longest time.Duration) {
	address := testenv.FreeAddress(t)
	through := newProxy(t, address)
	children := make([]*child, size)
	for rank := range size {
		at := address
		if rank == victim && rank > 0 {
			at = through.Addr().String()
		}
		children[rank] = start(t, "loop", rank, size, at, append(env(rank), timeoutVariable+"="+timeout.String())...)
	}
	for _, c := range children {
		c.expect(t, "ready")
	}
	time.Sleep(20 * time.Millisecond) // that it is in the middle, mostly
	began := time.Now()
	f.do(children[victim], through)
	for rank, c := range children {
		if rank == victim {
			continue
		}
		text := c.expect(t, "lost ")
		var at int64
		_, err := fmt.Sscan(text, &at)
		require.NoError(t, err)
		longest = max(longest, time.UnixMilli(at).Sub(began))
		assert.Contains(t, text, fmt.Sprintf("rank %d (", victim))
		assert.Contains(t, text, "is lost: ")
		assert.Contains(t, text, "all-reduce (operation ")
		assert.Contains(t, text, fmt.Sprintf(") on rank %d of %d", rank, size))
		found := false
		for _, want := range f.want {
			found = found || strings.Contains(text, want)
		}
		assert.True(t, found, text)
		c.expect(t, "closed ")
	}
	assert.Less(t, longest, timeout+slack)
	left := 0
	for rank, c := range children {
		if rank != victim {
			assert.Equal(t, fmt.Sprintf("%d of %d", left, size-1), c.expect(t, "regrouped "))
			left++
		}
	}
	for rank, c := range children {
		if rank != victim {
			assert.NoError(t, c.Wait(), rank)
		}
	}
	return longest
}

// slack is how late an error may be on a machine that gives its processes little time.
const slack = time.Minute

// TestLostRank: whichever rank is lost, and however, also while the others have launched graphs, the others are
// told, and go on without it. What takes time is to wait.
func TestLostRank(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Parallel()
	const size = 3
	lose := func(name string, f fault, victim int, env ...string) {
		t.Run(f.name+"/"+name, func(t *testing.T) {
			t.Parallel()
			env := append(env, lengthVariable+"=100000")
			t.Log("error after", loseRank(t, f, size, victim, nccl.DefaultTimeout, func(int) []string { return env }))
		})
	}
	for _, f := range faults {
		for victim := 0; victim < size; victim += testenv.Stride(2) {
			if victim == 0 && !f.dead {
				continue // its connections are those of all others
			}
			lose(fmt.Sprint("rank ", victim), f, victim)
		}
		lose("graph", f, 1, graphVariable+"=1")
	}
}

// TestLostGPURank is TestLostRank of two GPUs, by each way that NCCL has from one to the other.
func TestLostGPURank(t *testing.T) {
	testenv.Need(t, testenv.TwoGPUs)
	for name, env := range transports {
		for _, f := range faults[:3] {
			for victim := range 2 {
				if victim == 0 && !f.dead {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/rank %d", name, f.name, victim), func(t *testing.T) {
					children := func(rank int) []string { return append(hostEnv(name, rank, env), lengthVariable+"=16777216") }
					took := loseRank(t, f, 2, victim, nccl.DefaultTimeout, children)
					t.Log("error after", took)
				})
			}
			t.Run(fmt.Sprintf("%s/%s/graph", name, f.name), func(t *testing.T) {
				children := func(rank int) []string {
					return append(hostEnv(name, rank, env), lengthVariable+"=16777216", graphVariable+"=1")
				}
				t.Log("error after", loseRank(t, f, 2, 1, nccl.DefaultTimeout, children))
			})
		}
	}
}
