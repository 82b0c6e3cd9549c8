package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// resources are what ptxas gives a kernel.
type resources struct {
	arch                    string
	registers               int // of a thread
	spillStores, spillLoads int // bytes
}

func (r *resources) String() string {
	text := fmt.Sprintf("%d a thread, by ptxas for %s", r.registers, r.arch)
	if r.spillStores+r.spillLoads == 0 {
		return text + ", none spilled"
	}
	return text + fmt.Sprintf(", which spills: %s are stored to local memory, and %s loaded", counted(uint64(r.spillStores), "byte", "bytes"), counted(uint64(r.spillLoads), "byte", "bytes"))
}

// Assemble has ptxas assemble the images of the kernels, so that the report knows their registers, and what is spilled. It calls ptxas
// with the PTX and the architecture, for what ptxas -v prints, or nothing if it does not know. Images of libraries that were loaded before
// Start are not known.
func (p *Profile) Assemble(ptxas func(ptx, arch string) (log string, err error)) error {
	done := make(map[string]bool)
	for _, g := range p.launches.Groups() {
		image := g.Kernel.Image
		if image == "" || done[image] {
			continue
		}
		done[image] = true
		arch := archOf(image)
		log, err := ptxas(image, arch)
		if err != nil {
			return fmt.Errorf("profile: ptxas: %w", err)
		}
		p.learn(image, arch, log)
	}
	return nil
}

// learn notes what ptxas has printed of an image.
func (p *Profile) learn(image, arch, log string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resources == nil {
		p.resources = make(map[string]resources)
	}
	for symbol, r := range readLog(log) {
		r.arch = arch
		p.resources[image+symbol] = r
	}
}

// resourcesOf returns what ptxas gives a kernel, or nil if that is not known.
func (p *Profile) resourcesOf(g *profiled.Group) *resources {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.resources[g.Kernel.Image+g.Kernel.Symbol]; ok {
		return &r
	}
	return nil
}

var targetOf = regexp.MustCompile(`(?m)^\s*\.target\s+(sm_(\d+)[af]?)`)

// archOf returns the architecture for which PTX is assembled: that of occupancies, or its own if it does not run there.
func archOf(ptx string) string {
	m := targetOf.FindStringSubmatch(ptx)
	if m == nil {
		return "sm_90"
	}
	if n, err := strconv.Atoi(m[2]); err == nil && n <= 90 && strings.TrimRight(m[1], "af") == m[1] {
		return "sm_90"
	}
	return m[1]
}

var (
	functionInLog  = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	registersInLog = regexp.MustCompile(`Used (\d+) registers`)
	spillsInLog    = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	propertiesOf   = regexp.MustCompile(`Function properties for (\S+)`)
)

// readLog reads what ptxas -v prints, by the symbols of kernels.
func readLog(log string) map[string]resources {
	found := make(map[string]resources)
	kernel, function := "", ""
	for line := range strings.Lines(log) {
		if m := functionInLog.FindStringSubmatch(line); m != nil {
			kernel, function = m[1], ""
		}
		if m := propertiesOf.FindStringSubmatch(line); m != nil {
			function = m[1]
		}
		r := found[kernel]
		if m := spillsInLog.FindStringSubmatch(line); m != nil && function == kernel {
			r.spillStores, _ = strconv.Atoi(m[1])
			r.spillLoads, _ = strconv.Atoi(m[2])
			found[kernel] = r
		}
		if m := registersInLog.FindStringSubmatch(line); m != nil && kernel != "" {
			r.registers, _ = strconv.Atoi(m[1])
			found[kernel] = r
		}
	}
	for symbol, r := range found {
		if r.registers == 0 {
			delete(found, symbol)
		}
	}
	return found
}
