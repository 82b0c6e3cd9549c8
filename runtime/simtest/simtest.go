// Package simtest gives tests simulated devices that fail the test on what a GPU hides: a
// fault of a kernel, also one that the test did not wait for, a kernel that does not end, and
// objects that are left open.
//
//	func TestSaxpy(t *testing.T) {
//		dev := simtest.New(t)
//		k, err := LoadKernels(dev)
//		…
//	}
//
// Tests may run in parallel: no device affects another. docs/testing.md is a guide.
package simtest

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/leak"
	"github.com/cudagen/cudagen/runtime/internal/watched"
	_ "github.com/cudagen/cudagen/runtime/sim" // the devices
)

// New returns a simulated device of its own for t. When t ends, after its other cleanups, New's
// cleanup closes the device, and t fails
//
//   - if generated code that it loaded was made of other sources than those that lie beside it: a .cu file
//     or a header was edited, and go generate did not run since, unless AllowStale is given;
//   - if a kernel has failed, with its cuda.Fault, unless AllowFault is given;
//   - if a check has found something: that is a report, behind which kernels and the device go on, unless StopAtReport is given.
//     Each place is reported once, a hundred at most. The checks are the next ones;
//   - if an access leaves its array in shared or local memory, and is in another one;
//   - if threads exit before a barrier of their block, or a member mask names such, unless AllowExited is given;
//   - if an undefined value decides an address or a branch, or the host reads one, unless
//     AllowUninitialized is given;
//   - if threads of a block race in shared memory, with the lines of both accesses, unless AllowRaces is given;
//   - if a kernel does not end: if all its threads wait for each other, if it exceeds its Budget, or
//     if none of its blocks has ended for two seconds at the end of the test, it is stopped, with a
//     Fault that has the places of its threads;
//   - if buffers, streams, events, libraries or pools of the device were not closed, with the
//     stack that opened each. Device.Close in the test closes all of them. A test that has
//     failed already does not report them;
//   - if goroutines that the test has started since New are still in calls of this module's packages, unless
//     AllowGoroutines is given. They have ten seconds to leave them.
func New(t testing.TB, options ...Option) *cuda.Device {
	t.Helper()
	return NewDevices(t, 1, options...)[0]
}

// NewDevices is New for n devices, with the ordinals 0 to n-1. They copy between each other
// and have peer access.
func NewDevices(t testing.TB, n int, options ...Option) []*cuda.Device {
	t.Helper()
	c := config{output: logger{t}, budget: budgetOf(t)}
	if n < 0 {
		t.Fatalf("simtest: %d devices: the number must not be negative", n)
	}
	for i, option := range options {
		if option == nil {
			t.Fatalf("simtest: option %d is nil", i)
		}
		option(&c)
	}
	if c.capability != 0 && !slices.Contains(watched.Capabilities(), c.capability) {
		t.Fatalf("simtest: there is no simulated device of compute capability %s: want one of %s", c.asked, capabilityNames())
	}
	var opened []watched.Device
	stale := new(staleCode)
	started := watchGoroutines(t)
	written := profiled(t)
	t.Cleanup(func() {
		t.Helper()
		defer started.end()
		defer written()
		for _, err := range stale.found() {
			t.Errorf("simtest: %v", err)
		}
		c.finish(t, opened, started)
	})
	devices := make([]*cuda.Device, n)
	for i := range devices {
		dev, err := watched.Open(i)
		if err != nil {
			t.Fatalf("simtest: %v", err)
		}
		dev.SetOutput(c.output)
		if !c.allowStale {
			dev.SetStale(stale.add)
		}
		dev.SetChecks(watched.Checks{SharedRaces: !c.allowRaces, GlobalRaces: c.globalRaces, Arrays: true, Undefined: !c.allowUninitialized, Stop: c.stopAtReport, Exited: !c.allowExited, Coverage: c.coverFile() != "", RedZones: c.redZones, Origins: true, Schedule: c.seed, Budget: c.budget, Capability: c.capability})
		if c.ctx != nil {
			if c.ctx.Err() != nil {
				dev.Stop() // at once: the hook runs some time later
			}
			unhook := context.AfterFunc(c.ctx, dev.Stop)
			t.Cleanup(func() { unhook() })
		}
		opened = append(opened, dev)
		devices[i] = dev.Device.(*cuda.Device)
	}
	return devices
}

// An Option changes what New and NewDevices do.
type Option func(*config)

type config struct {
	allowFault bool
	allowRaces bool

	stopAtReport       bool
	allowUninitialized bool
	allowExited        bool
	allowGoroutines    bool
	allowStale         bool
	globalRaces        bool
	redZones           bool
	cover              string

	capability int    // 10 × major + minor
	asked      string // capability as messages say it
	seed       uint64
	budget     time.Duration
	ctx        context.Context
	output     io.Writer
}

// Output sends what kernels print with printf to w. Without it, it goes to the log of the
// test. All that one launch prints is one Write, when the kernel has ended.
func Output(w io.Writer) Option { return func(c *config) { c.output = w } }

// A logger writes to the log of a test.
type logger struct{ t testing.TB }

func (l logger) Write(text []byte) (int, error) {
	l.t.Logf("printf of a kernel:\n%s", text)
	return len(text), nil
}

// AllowFault is for tests that expect a kernel to fail: a Fault does not fail the test, with all that checks have found in that kernel. Reports
// of others do.
func AllowFault() Option { return func(c *config) { c.allowFault = true } }

// StopAtReport ends the device behind the first kernel or copy in which a check finds something, as a Fault does, which has
// the others that were found there in Fault.Others. With AllowFault, a test can look at it.
func StopAtReport() Option { return func(c *config) { c.stopAtReport = true } }

// AllowRaces is for tests of kernels that race in shared memory on purpose, and of those that take
// long: looking for races costs time. docs/testing.md says what a race is.
func AllowRaces() Option { return func(c *config) { c.allowRaces = true } }

// AllowUninitialized is for tests of kernels that use values which nobody has written, on purpose, and of
// those that take long: following which values are undefined costs time. docs/testing.md says what is reported.
func AllowUninitialized() Option { return func(c *config) { c.allowUninitialized = true } }

// AllowExited is for tests of kernels whose threads exit before a barrier of their block, which GPUs since
// Volta do not wait for, or of which member masks name lanes that have exited.
func AllowExited() Option { return func(c *config) { c.allowExited = true } }

// AllowGoroutines is for tests whose goroutines may still be in calls of cudagen when the test ends.
func AllowGoroutines() Option { return func(c *config) { c.allowGoroutines = true } }

// AllowStale is for tests that run generated code although its sources were edited since.
func AllowStale() Option { return func(c *config) { c.allowStale = true } }

// GlobalRaces looks for races in global memory, too: between blocks, between warps of a block and between
// lanes of a warp. Blocks then run one after another, and a kernel takes many times as long.
func GlobalRaces() Option { return func(c *config) { c.globalRaces = true } }

// RedZones reports what kernels access in a buffer beyond the slices of it among their arguments: with it, a
// launch with x.Slice(0, 100) may not write x's element 100. Only slices that are made after New know what they
// cover. A buffer that a kernel may reach in other ways is not guarded: by a Ptr, in a struct, by an address that is
// in memory, or because LaunchConfig.Owners names it.
func RedZones() Option { return func(c *config) { c.redZones = true } }

// Seed chooses the order in which blocks and warps run, which a GPU promises nothing of. With 0, and
// without the option, the lowest run first.
func Seed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// Capability gives the devices another compute capability than 9.0: 10.0, 10.3, 11.0, 12.0 or 12.1. Images for
// compute_100 and later load on them, as far as the simulated device knows their instructions
// (docs/simulator.md). Their limits stay those of 9.0.
func Capability(major, minor int) Option {
	return func(c *config) {
		c.asked = fmt.Sprintf("%d.%d", major, minor)
		if c.capability = 10*major + minor; minor < 0 || minor > 9 || c.capability == 0 {
			c.capability = -1 // there is none
		}
	}
}

// capabilityNames lists those that Capability takes.
func capabilityNames() string {
	var names []string
	for _, c := range watched.Capabilities() {
		names = append(names, fmt.Sprintf("%d.%d", c/10, c%10))
	}
	return strings.Join(names, ", ")
}

// Sweep runs test as subtests with n orders of blocks and warps, each with a device of its own. What
// fails under one of them is named by its seed: go test -run 'TestSum/seed=7$' runs it again. n is 1 or more.
func Sweep(t *testing.T, n int, test func(t *testing.T, dev *cuda.Device), options ...Option) {
	t.Helper()
	if n < 1 {
		t.Fatalf("simtest: Sweep tries %d orders, and needs one at least", n)
	}
	for seed := range n {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			test(t, New(t, append(slices.Clone(options), Seed(uint64(seed)))...))
		})
	}
}

// Budget stops a kernel of which no block has ended for d, with a Fault that has the places of its
// threads. Without the option it is a minute, or less if the test binary's time (go test -timeout) ends
// before. A kernel whose threads all wait for each other is stopped much sooner.
func Budget(d time.Duration) Option { return func(c *config) { c.budget = d } }

// Context stops what runs on the device when ctx is done. Nothing runs on it then.
func Context(ctx context.Context) Option { return func(c *config) { c.ctx = ctx } }

// defaultBudget is how long no block of a kernel may end.
const defaultBudget = time.Minute

// budgetOf leaves time for a report before the test binary is ended.
func budgetOf(t testing.TB) time.Duration {
	timed, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return defaultBudget
	}
	if deadline, ok := timed.Deadline(); ok {
		return max(time.Second, min(defaultBudget, time.Until(deadline)/2))
	}
	return defaultBudget
}

// finish closes devices and fails t on what is wrong with them.
func (c config) finish(t testing.TB, devices []watched.Device, started starter) {
	t.Helper()
	if !c.allowGoroutines && !t.Failed() {
		for _, s := range started.left() {
			t.Errorf("simtest: goroutines that the test has started are still in calls of cudagen: wait for them before the test ends: %s of them at%v", s.count, s)
		}
	}
	var left []*leak.Record
	for _, dev := range devices {
		left = append(left, dev.Leaks.Open()...)
	}
	failed := t.Failed()
	var heap []watched.HeapUse
	for _, dev := range devices {
		heap = append(heap, dev.Heap()...)
		err := dev.Device.(*cuda.Device).Close()
		dev.Leaks.Forget()
		if file := c.coverFile(); file != "" {
			covers(t, file, dev.Coverage())
		}
		if fault := dev.Fault(); fault != nil {
			err, failed = fault, true
			if c.allowFault {
				err = nil
			}
		}
		if err != nil {
			present(t, err)
		}
		presentReports(t, dev)
	}
	if failed { // and may have ended before it closed anything
		return
	}
	for _, r := range left {
		t.Errorf("simtest: not closed: %v", r)
	}
	for _, use := range heap {
		t.Errorf("simtest: kernels did not free %d bytes that they took with malloc at %s (allocations: %d)", use.Bytes, use.Allocated, use.Count)
	}
}

// A staleCode collects errors about generated code that is stale, each once.
type staleCode struct {
	mu   sync.Mutex
	errs []error
}

func (s *staleCode) add(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.errs, err) {
		s.errs = append(s.errs, err)
	}
}

func (s *staleCode) found() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.errs)
}

// Main runs the tests of m and exits. It is for tests that open devices in other ways than by
// New, such as GPUs. If they pass but leave devices, streams, events, libraries, pools or
// buffers open, Main prints the stack that opened each to standard error and exits with code
// 1. Closing a device closes everything that is open on it. It exits with code 1, too, if a device
// loaded generated code that was made of other sources than those that lie beside it.
//
//	func TestMain(m *testing.M) { simtest.Main(m) }
//
// With go test -cudaprofile=FILE, Main writes what the kernels of the tests cost on simulated devices, however those were opened, for
// go tool pprof; if the name ends in .txt, in words. FILE is relative to the package. Tests whose devices are of New need no Main for
// that (docs/profiling.md).
//
// While the tests run, an open object that becomes unreachable is reported as soon as the
// garbage collector finds it. The environment variable CUDAGEN_LEAKS=1 does the same in any
// program.
func Main(m *testing.M) { os.Exit(run(m.Run, os.Stderr)) }

func run(tests func() int, stderr io.Writer) int {
	leak.Enable()
	stale := new(staleCode)
	watched.OnStale(stale.add)
	if !flag.Parsed() {
		flag.Parse()
	}
	if err := startProfile(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	code := tests()
	if err := writeProfile(); err != nil {
		fmt.Fprintln(stderr, err)
		code = max(code, 1)
	}
	for _, err := range stale.found() {
		fmt.Fprintln(stderr, err)
		code = max(code, 1)
	}
	open := leak.Open()
	if code != 0 || len(open) == 0 {
		return code
	}
	for _, r := range open {
		fmt.Fprintf(stderr, "cuda: leak: not closed: %v\n", r)
	}
	return 1
}
