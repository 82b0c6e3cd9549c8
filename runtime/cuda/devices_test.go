package cuda_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/driver/drivertest"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// before is called ahead of every call to the simulated driver; nil lets all pass.
var before struct {
	sync.Mutex
	call func(entryPoint string) driver.Result
}

func intercept(entryPoint string) driver.Result {
	before.Lock()
	defer before.Unlock()
	if before.call == nil {
		return driver.Success
	}
	return before.call(entryPoint)
}

// simulated is the driver of the simulated device opened last, past the interception.
var simulated driver.Driver

// everSimulated is those of all simulated devices that were opened and have something left.
var everSimulated []driver.Driver

// folder holds the fake driver for as long as the tests run.
var folder string

func TestMain(m *testing.M) {
	open := driver.Simulator()
	driver.RegisterSimulator(func(ordinal int) (driver.Driver, driver.Simulation) {
		before.Lock()
		defer before.Unlock()
		drv, sim := open(ordinal)
		simulated = drv
		everSimulated = append(everSimulated, simulated)
		return drivertest.Intercept(drv, intercept), sim
	})
	if scenario := os.Getenv("CUDAGEN_TEST_SCENARIO"); scenario != "" {
		os.Exit(scenarios[scenario]())
	}
	var err error
	if folder, err = os.MkdirTemp("", "cudagen"); err != nil {
		panic(err)
	}
	if os.Getenv("CUDAGEN_TEST_CACHE") == "" {
		os.Setenv("CUDAGEN_TEST_CACHE", folder) // of the processes that tests start, too
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

var fake struct {
	once    sync.Once
	library *fakecuda.Library
}

// onFake are the names of the tests that have used the fake driver.
var onFake = map[string]bool{}

// loadFake returns the fake driver, which is this process's libcuda.
func loadFake(t testing.TB) *fakecuda.Library {
	t.Helper()
	testenv.Need(t, testenv.CC)
	fake.once.Do(func() {
		path := filepath.Join(folder, "libcuda.so.1")
		image, err := os.ReadFile(fakecuda.Build(t, fakeOptions(t)))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, image, 0o700))
		os.Setenv("CUDAGEN_LIBCUDA", path)
		fake.library = fakecuda.Load(t, path)
	})
	require.NotNil(t, fake.library, "the fake driver could not be built")
	fake.library.Reset()
	name, _, _ := strings.Cut(t.Name(), "/")
	onFake[name] = true
	return fake.library
}

// openFake opens device 0 of the fake driver.
func openFake(t testing.TB) (*cuda.Device, *fakecuda.Library) {
	t.Helper()
	library := loadFake(t)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	library.Reset()
	return dev, library
}

func openSimulator(t testing.TB) *cuda.Device {
	t.Helper()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// loaded returns the example's kernels and a stream on dev.
func loaded(t testing.TB, dev *cuda.Device) (*example.Kernels, *cuda.Stream) {
	t.Helper()
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	s, err := dev.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return k, s
}

func upload[T any](t testing.TB, s *cuda.Stream, host []T) *cuda.Buffer[T] {
	t.Helper()
	b, err := cuda.Upload(s, host)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}
