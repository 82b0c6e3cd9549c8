//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Driver is a loaded libcuda. Any goroutine may call any method; the rules of
// threads and contexts are driver.Driver's.
type Driver struct {
	library string // the name by which it was found
	handle  uintptr
	version int                                   // cuDriverGetVersion
	entries [driver.NumEntryPoints]atomic.Uintptr // aside for what is not called at once
	found   [driver.NumEntryPoints]atomic.Uintptr // addresses, or notExported; 0 before the first look
	logs    jitLogs
}

var _ driver.Driver = (*Driver)(nil)

// Open loads the CUDA driver. The first call that succeeds decides for the whole
// process, and every later one returns the same. It does not call cuInit.
//
// The environment variable CUDAGEN_LIBCUDA, a path, replaces the search for the
// library.
//
// The error wraps ErrNotInstalled if there is no library. It does not wrap
// ErrNotInstalled if the library cannot be loaded, is older than CUDA 12.0, or lacks a
// required entry point.
func Open() (*Driver, error) {
	process.Lock()
	defer process.Unlock()
	if process.driver != nil {
		return process.driver, nil
	}
	d, err := open(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		return nil, err
	}
	process.driver = d
	launchKernel, launchKernelEx = d.address(driver.LaunchKernel), d.address(driver.LaunchKernelEx)
	openGraphs(d)
	d.setAside(driver.Watching())
	return d, nil
}

// process holds the driver that Open returns and Launch uses.
var process struct {
	sync.Mutex
	driver *Driver
}

// open loads the library at path, or, when path is "", looks for one.
func open(path string) (*Driver, error) {
	if path == "" {
		return search(libraryNames())
	}
	handle, _, err := loadLibrary(path)
	if err != nil {
		return nil, fmt.Errorf("libcuda: CUDAGEN_LIBCUDA=%s: %w", path, err)
	}
	return newDriver(path, handle)
}

// search loads the first library of names that is there.
func search(names []string) (*Driver, error) {
	for _, name := range names {
		handle, found, err := loadLibrary(name)
		if err == nil {
			return newDriver(name, handle)
		}
		if found {
			return nil, fmt.Errorf("libcuda: %s exists but cannot be loaded: %w: repair the installation of NVIDIA's driver", name, err)
		}
	}
	return nil, fmt.Errorf("libcuda: %w on this machine (looked for %s): install NVIDIA's driver, or set CUDAGEN_LIBCUDA to the library's path", ErrNotInstalled, strings.Join(names, ", "))
}

// newDriver checks the library's version, then that it has what is required.
func newDriver(library string, handle uintptr) (*Driver, error) {
	d := &Driver{library: library, handle: handle}
	if err := d.Check(driver.DriverGetVersion); err != nil {
		return nil, fmt.Errorf("libcuda: %s is not a CUDA driver: it lacks %s", library, driver.DriverGetVersion.Symbol())
	}
	version, r := d.DriverGetVersion()
	if r != driver.Success {
		return nil, fmt.Errorf("libcuda: %s: %s: %v", library, driver.DriverGetVersion.Name(), r)
	}
	d.version = version
	if version < driver.MinVersion {
		return nil, fmt.Errorf("libcuda: %s is a driver for CUDA %s, but cudagen needs CUDA %s: update NVIDIA's driver to R525 or newer",
			library, formatVersion(version), formatVersion(driver.MinVersion))
	}
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		if !e.Required() {
			continue
		}
		if err := d.Check(e); err != nil {
			return nil, fmt.Errorf("libcuda: %w", err)
		}
	}
	return d, nil
}

// entry returns the address of e, or 0 when e is not to be called at once: callAside says what then.
func (d *Driver) entry(e driver.EntryPoint) uintptr {
	address := d.entries[e].Load()
	if address == 0 {
		if address = d.address(e); address == 0 {
			address = aside
		}
		if !d.entries[e].CompareAndSwap(0, address) {
			address = d.entries[e].Load()
		}
	}
	if address == aside {
		return 0
	}
	return address
}

// aside is in entries for what the library does not export, and for calls that are watched.
const aside = 1

// address returns the address of e, or 0 when the library does not export it.
func (d *Driver) address(e driver.EntryPoint) uintptr {
	address := d.found[e].Load()
	if address == 0 {
		if address = findSymbol(d.handle, e.Symbol()); address == 0 {
			address = notExported
		}
		d.found[e].Store(address)
	}
	if address == notExported {
		return 0
	}
	return address
}

// notExported is kept for an entry point that the library does not export, so that it is looked up
// once.
const notExported = 1

// Check returns nil when the library has e, else a *MissingSymbolError. A call to an
// entry point that is missing fails with driver.ErrorCallRequiresNewerDriver, and
// Check says why.
func (d *Driver) Check(e driver.EntryPoint) error {
	if d.address(e) != 0 {
		return nil
	}
	return &MissingSymbolError{Library: d.library, Symbol: e.Symbol(), DriverVersion: d.version, Since: e.Since()}
}

// A MissingSymbolError says that the library lacks an entry point. Versions are
// CUDA's, 1000*major + 10*minor.
type MissingSymbolError struct {
	Library, Symbol      string
	DriverVersion, Since int // the library's version, and the one that brought Symbol
}

func (e *MissingSymbolError) Error() string {
	has, needs := formatVersion(e.DriverVersion), formatVersion(e.Since)
	if e.DriverVersion < e.Since {
		return fmt.Sprintf("%s, a driver for CUDA %s, lacks %s, which needs CUDA %s: update NVIDIA's driver", e.Library, has, e.Symbol, needs)
	}
	return fmt.Sprintf("%s, a driver for CUDA %s, lacks %s, which every driver since CUDA %s has: repair the installation of NVIDIA's driver", e.Library, has, e.Symbol, needs)
}

// formatVersion writes 12040 as 12.4.
func formatVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
