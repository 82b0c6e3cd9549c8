// Package profiled collects what launches on simulated devices cost, by kernel and configuration, and reads and writes that. It knows
// counts, and not how they came about or what they mean.
package profiled

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Filter says which launches are counted. The zero value counts all.
type Filter struct {
	Kernel string // by its name, with or without the namespaces in front, or by its symbol; empty for all
	Launch int    // number of the launch among those of each kernel, from 1 on; 0 for all
}

// Launches is what launches of a process, or of several, cost. Its methods may be called at the same time.
type Launches struct {
	filter Filter

	mu      sync.Mutex
	groups  []*Group
	byKey   map[string]*Group
	begun   map[string]int // launches by kernel, counted or not
	changed func()         // is called when launches were added; or nil
}

// A Group is the launches of a kernel with one configuration.
type Group struct {
	Kernel      *driver.ProfiledKernel
	Name        string // in Go, if the program told it
	Grid, Block driver.Dim3
	SharedBytes uint32 // dynamic
	Launches    uint64
	Failed      uint64                     `json:",omitempty"` // of them, those that ended early
	Reason      string                     `json:",omitempty"` // why the first of those failed
	Counts      []driver.InstructionCounts // by instruction
	Worst       []driver.WorstRequests     // by instruction
}

// New returns launches of nothing.
func New(f Filter) *Launches { return &Launches{filter: f} }

// Wants implements driver.Profiler.
func (l *Launches) Wants(symbol, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = make(map[string]int)
	}
	shown := name
	if shown == "" {
		shown = symbol
	}
	l.begun[shown]++
	return (l.filter.Launch == 0 || l.filter.Launch == l.begun[shown]) && l.filter.matches(symbol, name)
}

func (f Filter) matches(symbol, name string) bool {
	return f.Kernel == "" || f.Kernel == symbol || f.Kernel == name || strings.HasSuffix(name, "::"+f.Kernel)
}

// Add implements driver.Profiler.
func (l *Launches) Add(p *driver.LaunchProfile) {
	g := &Group{Kernel: p.Kernel, Name: p.Name, Grid: p.Grid, Block: p.Block, SharedBytes: p.SharedBytes, Launches: 1, Counts: p.Counts, Worst: p.Worst}
	if p.Failed != "" {
		g.Failed, g.Reason = 1, p.Failed
	}
	l.add(g)
	if l.changed != nil {
		l.changed()
	}
}

// add adds what a group counts. It keeps g.
func (l *Launches) add(g *Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey == nil {
		l.byKey = make(map[string]*Group)
	}
	key := fmt.Sprint(g.Kernel.Digest, g.Name, g.Grid, g.Block, g.SharedBytes)
	have := l.byKey[key]
	if have == nil {
		l.byKey[key] = g
		l.groups = append(l.groups, g)
		return
	}
	have.Launches += g.Launches
	have.Failed += g.Failed
	if have.Reason == "" {
		have.Reason = g.Reason
	}
	for pc := range have.Counts {
		have.Counts[pc].Add(&g.Counts[pc])
		have.Worst[pc].Join(&g.Worst[pc])
	}
}

// Digest returns what k.Digest is to be: devices, tests and processes that load the same image have the same kernels.
func Digest(k *driver.ProfiledKernel) string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // of numbers and strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Groups returns a copy of what was counted so far, by kernel and configuration, in the order in which they came.
func (l *Launches) Groups() (groups []*Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.groups {
		copied := *g
		copied.Counts, copied.Worst = slices.Clone(g.Counts), slices.Clone(g.Worst)
		groups = append(groups, &copied)
	}
	return groups
}

// Of returns a copy of what kernels have cost that a filter names, whatever its launch.
func (l *Launches) Of(f Filter) *Launches {
	part := New(f)
	part.begun = l.Begun()
	for _, g := range l.Groups() {
		if f.matches(g.Kernel.Symbol, g.Name) {
			part.add(g)
		}
	}
	return part
}

// Begun returns how many launches of each kernel have begun, counted or not, by name.
func (l *Launches) Begun() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	begun := make(map[string]int)
	for name, n := range l.begun {
		begun[name] = n
	}
	return begun
}
