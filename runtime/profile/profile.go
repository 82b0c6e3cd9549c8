// Package profile shows what kernels cost that run on the simulated device: which lines of the .cu execute how many instructions, how
// many sectors of memory they touch where how many would do, which of them conflict, and why. It writes profiles that go tool pprof
// reads, reports in words, and pictures.
//
//	p, err := profile.Start(profile.Config{})
//	…
//	p.Stop()
//	err = p.WriteReport(os.Stdout)
//
// Tests have a flag for the same: go test -cudaprofile=FILE, if they use runtime/simtest. Programs that are left as they are have a
// command: cudagen profile go run . docs/profiling.md says what is counted.
package profile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// A Config says which launches are counted. The zero value counts all.
type Config struct {
	// Kernel is the name of a kernel in C++, with or without namespaces in front, or its symbol in the image.
	Kernel string

	// Launch is the number of one launch among those of each kernel, from 1 on, as they begin.
	Launch int
}

// A Profile is what launches on simulated devices of the process cost. Launches that run when a method is called count when they have
// ended: synchronize before. Its methods may be called at the same time.
type Profile struct {
	cfg        Config
	launches   *profiled.Launches
	unfinished bool

	mu        sync.Mutex
	resources map[string]resources // by image and symbol
}

// starting is held while a profile begins or ends, and current is the one that counts, or nil.
var (
	starting sync.Mutex
	current  *Profile
)

// Start begins to count, on all simulated devices of the process, also those that are open. Kernels take up to three times as long.
// There is one profile at a time: it is an error if there is one already.
func Start(cfg Config) (*Profile, error) {
	if cfg.Launch < 0 {
		return nil, fmt.Errorf("profile: launch %d: launches are counted from 1 on, and 0 stands for all", cfg.Launch)
	}
	starting.Lock()
	defer starting.Unlock()
	switch {
	case current != nil:
		return nil, errors.New("profile: there is one already: stop it first")
	case driver.TheProfiler() != nil:
		return nil, errors.New("profile: there is one already, which CUDAGEN_PROFILE asked for: unset that")
	}
	current = &Profile{cfg: cfg, launches: profiled.New(profiled.Filter(cfg))}
	driver.SetProfiler(current.launches)
	return current, nil
}

// Stop ends counting. It may be called more than once.
func (p *Profile) Stop() {
	starting.Lock()
	defer starting.Unlock()
	if current == p {
		current = nil
		driver.SetProfiler(nil)
	}
}

// Read adds what a program has written whose environment had CUDAGEN_PROFILE.
func (p *Profile) Read(r io.Reader) error {
	unfinished, err := p.launches.Read(r)
	if err != nil {
		return fmt.Errorf("profile: the file %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfinished = p.unfinished || unfinished
	return nil
}

// New returns a profile of nothing, for Read.
func New(cfg Config) *Profile {
	return &Profile{cfg: cfg, launches: profiled.New(profiled.Filter(cfg))}
}

// Kernel returns what the launches of one kernel have cost so far. name is as in Config.
func (p *Profile) Kernel(name string) *Profile {
	cfg := Config{Kernel: name}
	p.mu.Lock()
	defer p.mu.Unlock()
	return &Profile{cfg: cfg, launches: p.launches.Of(profiled.Filter(cfg)), unfinished: p.unfinished, resources: maps.Clone(p.resources)}
}

// Launches returns how many launches were counted.
func (p *Profile) Launches() (n uint64) {
	for _, g := range p.launches.Groups() {
		n += g.Launches
	}
	return n
}

// nothing says why a profile has no launches.
func (p *Profile) nothing() string {
	begun := p.launches.Begun()
	if len(begun) == 0 {
		return "no kernel was launched on a simulated device while the profile ran\n"
	}
	text := "none of the launches was counted"
	if p.cfg.Kernel != "" {
		text += fmt.Sprintf(": no kernel is called %s", p.cfg.Kernel)
		if p.cfg.Launch > 0 {
			text += fmt.Sprintf(", or it has fewer than %d launches", p.cfg.Launch)
		}
	}
	text += "; there were\n"
	for _, name := range slices.Sorted(maps.Keys(begun)) {
		text += fmt.Sprintf("  %s: %s\n", name, counted(uint64(begun[name]), "launch", "launches"))
	}
	return text
}
