package cuda_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// poolPiece is what pools take from the device at a time.
const poolPiece = 32 << 20

// A poolProbe asks what becomes of memory that is freed in the order of a stream.
type poolProbe struct {
	t       *testing.T
	dev     *cuda.Device
	pool    *cuda.Pool
	s, o    *cuda.Stream // s is held up while a probe runs
	resume  chan struct{}
	buffers map[string]*cuda.Buffer[byte]
	said    []string
	want    []string // what it should say
}

func (p *poolProbe) say(format string, args ...any) {
	p.said = append(p.said, fmt.Sprintf(format, args...))
}

// alloc allocates pieces on a stream and says how that ended, and of whose memory it is, if it has an address that another had.
func (p *poolProbe) alloc(name string, s *cuda.Stream, bytes int) {
	b, err := cuda.AllocFrom[byte](p.pool, s, bytes)
	switch {
	case errors.Is(err, cuda.ErrOutOfMemory):
		p.say("%s out of memory", name)
		return
	case err != nil:
		p.say("%s %v", name, err)
		return
	}
	p.say("%s ok", name)
	p.buffers[name] = b
}

func (p *poolProbe) free(names ...string) {
	for _, name := range names {
		require.NoError(p.t, p.buffers[name].Close())
		delete(p.buffers, name)
	}
}

// hold holds s up: what is enqueued behind it does not run.
func (p *poolProbe) hold() {
	resume := make(chan struct{})
	p.resume = resume
	require.NoError(p.t, p.s.LaunchHostFunc(func() { <-resume }))
}

func (p *poolProbe) release() {
	if p.resume != nil {
		close(p.resume)
		p.resume = nil
	}
}

// runs says whether a stream has run all its work within a while, a long one if that is the wanted answer.
func (p *poolProbe) runs(name string, s *cuda.Stream) {
	patience := 200 * time.Millisecond
	if n := len(p.said); n < len(p.want) && p.want[n] == name+" runs" {
		patience = time.Minute
	}
	for began := time.Now(); time.Since(began) < patience; {
		done, err := s.Query()
		require.NoError(p.t, err)
		if done {
			p.say("%s runs", name)
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	p.say("%s waits", name)
}

// figures says how many pieces are used and reserved.
func (p *poolProbe) figures() {
	stats, err := p.pool.Stats()
	require.NoError(p.t, err)
	p.say("used %s reserved %s", pieces(stats.Used), pieces(stats.Reserved))
}

func pieces(bytes uint64) string {
	if bytes%poolPiece == 0 {
		return fmt.Sprint(bytes / poolPiece)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// poolProbes are probes with a pool of two pieces, or of what they say, and what an H200 answers (driver 580).
var poolProbes = []struct {
	name      string
	max       int // pieces
	probe     func(p *poolProbe)
	want      string
	simulated string // the answer of the simulated device, if it is another: memory has no neighbours there
}{
	{"the same size on the stream", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.hold()
		p.free("a")
		p.figures()
		p.alloc("b", p.s, 2*poolPiece)
		p.figures()
	}, "a ok, used 0 reserved 2, b ok, used 2 reserved 2", ""},
	{"parts on the stream", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.hold()
		p.free("a")
		p.alloc("b", p.s, poolPiece/2)
		p.alloc("c", p.s, poolPiece)
		p.alloc("d", p.s, poolPiece/2)
		p.alloc("e", p.s, poolPiece/2)
		p.figures()
	}, "a ok, b ok, c ok, d ok, e out of memory, used 2 reserved 2", ""},
	{"several as one on the stream", 2, func(p *poolProbe) {
		p.alloc("a", p.s, poolPiece)
		p.alloc("b", p.s, poolPiece)
		p.hold()
		p.free("a", "b")
		p.alloc("c", p.s, 2*poolPiece)
		p.figures()
	}, "a ok, b ok, c ok, used 2 reserved 2", ""},
	{"freed and fresh as one", 2, func(p *poolProbe) {
		p.alloc("a", p.s, poolPiece)
		p.hold()
		p.free("a")
		p.alloc("b", p.s, 2*poolPiece)
		p.figures()
	}, "a ok, b out of memory, used 0 reserved 1", ""},
	{"again and again", 2, func(p *poolProbe) {
		p.hold()
		for n := range 8 {
			name := string(rune('a' + n))
			p.alloc(name, p.s, (n%2+1)*poolPiece)
			p.free(strings.Fields(name)...)
		}
		p.figures()
	}, "a ok, b out of memory, c ok, d out of memory, e ok, f out of memory, g ok, h out of memory, used 0 reserved 1", ""},
	{"another stream, with room", 2, func(p *poolProbe) {
		p.alloc("a", p.s, poolPiece)
		p.hold()
		p.free("a")
		p.alloc("b", p.o, poolPiece)
		p.runs("b", p.o)
		p.figures()
	}, "a ok, b ok, b runs, used 1 reserved 2", ""},
	{"another stream, without room", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.hold()
		p.free("a")
		p.alloc("b", p.o, poolPiece)
		p.runs("b", p.o)
		p.figures()
		p.release()
		p.runs("s", p.s)
		p.alloc("c", p.o, 2*poolPiece)
		p.runs("c", p.o)
	}, "a ok, b ok, b waits, used 1 reserved 2, s runs, c out of memory, c runs", ""},
	{"another stream, which waits for an event behind the free", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.hold()
		p.free("a")
		e, err := p.dev.NewEvent(cuda.EventConfig{})
		require.NoError(p.t, err)
		require.NoError(p.t, e.Record(p.s))
		require.NoError(p.t, p.o.WaitEvent(e))
		p.alloc("b", p.o, 2*poolPiece)
		p.runs("b", p.o)
		p.release()
		p.runs("b", p.o)
		require.NoError(p.t, e.Close())
	}, "a ok, b ok, b waits, b runs", ""},
	{"another stream, which waits for an event before the free", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.hold()
		e, err := p.dev.NewEvent(cuda.EventConfig{})
		require.NoError(p.t, err)
		require.NoError(p.t, e.Record(p.s))
		require.NoError(p.t, p.o.WaitEvent(e))
		p.free("a")
		p.alloc("b", p.o, 2*poolPiece)
		p.release()
		p.runs("b", p.o)
		require.NoError(p.t, e.Close())
	}, "a ok, b ok, b runs", ""},
	{"another stream, once the free has run", 2, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.free("a")
		p.runs("s", p.s)
		p.figures()
		p.alloc("b", p.o, 2*poolPiece)
		p.runs("b", p.o)
		p.figures()
	}, "a ok, s runs, used 0 reserved 2, b ok, b runs, used 2 reserved 2", ""},
	{"figures while a free waits, has run, and behind a synchronization", 4, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.alloc("b", p.s, poolPiece)
		p.figures()
		p.hold()
		p.free("a")
		p.figures()
		require.NoError(p.t, p.pool.Trim(0))
		p.figures()
		p.release()
		p.runs("s", p.s)
		p.figures()
		require.NoError(p.t, p.s.Synchronize())
		p.figures()
		require.NoError(p.t, p.pool.Trim(0))
		p.figures()
	}, "a ok, b ok, used 3 reserved 3, used 1 reserved 3, used 1 reserved 3, s runs, used 1 reserved 3, used 1 reserved 1, used 1 reserved 1", ""},
	{"figures behind synchronizations with a device and with an event", 4, func(p *poolProbe) {
		p.alloc("a", p.s, 2*poolPiece)
		p.free("a")
		p.runs("s", p.s)
		require.NoError(p.t, p.dev.Synchronize())
		p.figures()
		p.alloc("a", p.s, 2*poolPiece)
		e, err := p.dev.NewEvent(cuda.EventConfig{})
		require.NoError(p.t, err)
		p.free("a")
		require.NoError(p.t, e.Record(p.s))
		p.runs("s", p.s)
		require.NoError(p.t, e.Synchronize())
		p.figures()
		require.NoError(p.t, e.Close())
	}, "a ok, s runs, used 0 reserved 0, a ok, s runs, used 0 reserved 0", ""},
	{"figures with a threshold", 4, func(p *poolProbe) {
		require.NoError(p.t, p.pool.SetReleaseThreshold(2*poolPiece))
		p.alloc("a", p.s, 3*poolPiece)
		p.free("a")
		require.NoError(p.t, p.s.Synchronize())
		p.figures()
		require.NoError(p.t, p.pool.Trim(poolPiece))
		p.figures()
		require.NoError(p.t, p.pool.Trim(0))
		p.figures()
	}, "a ok, used 0 reserved 2, used 0 reserved 1, used 0 reserved 0", ""},
	{"sizes", 4, func(p *poolProbe) {
		for _, bytes := range []int{1, 512, 513, 1 << 20, poolPiece + 1} {
			p.alloc("a", p.s, bytes)
			p.figures()
			p.free("a")
			require.NoError(p.t, p.s.Synchronize())
		}
	}, "a ok, used 1 bytes reserved 1, a ok, used 512 bytes reserved 1, a ok, used 513 bytes reserved 1, a ok, used 1048576 bytes reserved 1, a ok, used 33554433 bytes reserved 2", ""},
	{"a hole between two", 2, func(p *poolProbe) {
		p.alloc("a", p.s, poolPiece/2)
		p.alloc("b", p.s, poolPiece/2)
		p.alloc("c", p.s, poolPiece/2)
		p.alloc("d", p.s, poolPiece/2)
		p.hold()
		p.free("a", "c")
		p.alloc("e", p.s, poolPiece)
		p.alloc("f", p.s, poolPiece/2)
		p.alloc("g", p.s, poolPiece/2)
	}, "a ok, b ok, c ok, d ok, e out of memory, f ok, g ok", "a ok, b ok, c ok, d ok, e ok, f out of memory, g out of memory"},
	{"of three streams", 2, func(p *poolProbe) {
		p.alloc("a", p.s, poolPiece)
		p.alloc("b", p.o, poolPiece)
		p.hold()
		p.free("a", "b")
		p.alloc("c", p.s, 2*poolPiece)
	}, "a ok, b ok, c out of memory", ""},
}

// TestPoolReuse asks the probes of the simulated device; TestPoolReuseGPU asks a GPU.
func TestPoolReuse(t *testing.T) {
	testenv.Need(t, testenv.Long)
	if os.Getenv(onGPU) != "" {
		t.Run("the whole device", askFull) // of the simulated one it would be this machine's memory
	}
	for _, test := range poolProbes {
		t.Run(test.name, func(t *testing.T) {
			dev := openSimulatorOrGPU(t)
			p := &poolProbe{t: t, dev: dev, s: newStream(t, dev), o: newStream(t, dev), buffers: make(map[string]*cuda.Buffer[byte])}
			p.want = strings.Split(wanted(test.want, test.simulated), ", ")
			pool, err := dev.NewPool(cuda.PoolConfig{MaxBytes: uint64(test.max) * poolPiece})
			require.NoError(t, err)
			p.pool = pool
			defer func() {
				p.release()
				for _, b := range p.buffers {
					assert.NoError(t, b.Close())
				}
				assert.NoError(t, dev.Synchronize())
				assert.NoError(t, pool.Close())
			}()
			test.probe(p)
			assert.Equal(t, p.want, p.said)
		})
	}
}

// askFull fills the device, frees all behind work that waits, and allocates again.
func askFull(t *testing.T) {
	dev := openSimulatorOrGPU(t)
	free, _, err := dev.MemoryInfo()
	require.NoError(t, err)
	pool, err := dev.DefaultPool()
	require.NoError(t, err)
	p := &poolProbe{t: t, dev: dev, pool: pool, s: newStream(t, dev), o: newStream(t, dev), buffers: make(map[string]*cuda.Buffer[byte])}
	part := int(free) / 8 / poolPiece * poolPiece
	var names []string
	for n := 0; n < 16; n++ {
		name := string(rune('a' + n))
		if p.alloc(name, p.s, part); p.buffers[name] == nil {
			break
		}
		names = append(names, name)
	}
	require.GreaterOrEqual(t, len(names), 6)
	p.said = nil
	p.hold()
	p.free(names...)
	for n, size := range []int{1 << 20, 2 * part, part / 2, part} {
		p.alloc(fmt.Sprint("on the stream ", n), p.s, size)
	}
	p.alloc("on another", p.o, part)
	p.runs("another", p.o)
	p.alloc("all", p.o, int(free))
	p.release()
	require.NoError(t, dev.Synchronize())
	for _, b := range p.buffers {
		require.NoError(t, b.Close())
	}
	require.NoError(t, dev.Synchronize())
	assert.Equal(t, []string{"on the stream 0 ok", "on the stream 1 ok", "on the stream 2 ok", "on the stream 3 ok", "on another ok", "another waits", "all out of memory"}, p.said)
}

// wanted is a GPU's answer, or the simulated device's, if that is another.
func wanted(gpu, simulated string) string {
	if os.Getenv(onGPU) == "" && simulated != "" {
		return simulated
	}
	return gpu
}

// openSimulatorOrGPU opens the device that the process tests.
func openSimulatorOrGPU(t *testing.T) *cuda.Device {
	if os.Getenv(onGPU) == "" {
		return openSimulator(t)
	}
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// TestPoolReuseGPU asks the same of the machine's GPU.
func TestPoolReuseGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^TestPoolReuse$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
