package profile

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// WriteReport writes in words what the launches cost: for each kernel its instructions, memory, atomics and occupancy, and then its
// lines, the worst first, with the reason and what to do.
func (p *Profile) WriteReport(w io.Writer) error {
	var text strings.Builder
	groups := p.launches.Groups()
	if len(groups) == 0 {
		text.WriteString(p.nothing())
	}
	p.mu.Lock()
	unfinished := p.unfinished
	p.mu.Unlock()
	if unfinished {
		text.WriteString("a program ended before it closed its devices: its last launches may be missing\n\n")
	}
	slices.SortStableFunc(groups, func(a, b *profiled.Group) int { return cmp.Compare(weight(b), weight(a)) })
	for n, g := range groups {
		if n > 0 {
			text.WriteString("\n")
		}
		writeGroup(&text, g, p.resourcesOf(g))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// weight is by what kernels are sorted: what they execute and wait for.
func weight(g *profiled.Group) uint64 {
	t := totalOf(g)
	return t.Warps + t.GlobalSectors + t.SharedWavefronts + t.AtomicRounds
}

// writeGroup writes the report of a kernel.
func writeGroup(w io.Writer, g *profiled.Group, r *resources) {
	t, works := totalOf(g), work(g)
	fmt.Fprintf(w, "%s: %s of %s\n", launchOf(g), counted(g.Launches, "launch", "launches"), counted(blocksOf(g), "block", "blocks"))
	line := func(subject, format string, args ...any) {
		fmt.Fprintf(w, "  %-14s %s\n", subject, fmt.Sprintf(format, args...))
	}
	if g.Failed > 0 {
		line("failed", "%s ended early, and counted what ran until then: %s", counted(g.Failed, "launch", "launches"), g.Reason)
	}
	if t.Warps > 0 {
		line("instructions", "%s of warps, in %s of 32 threads", grouped(t.Warps), share(t.Threads, t.Warps))
	}
	if t.GlobalRequests > 0 {
		line("global memory", "%s of 32 bytes, where %s would do (%d %%)", counted(t.GlobalSectors, "sector", "sectors"), grouped(t.GlobalIdeal), percent(t.GlobalIdeal, t.GlobalSectors))
	}
	if t.SharedRequests > 0 {
		line("shared memory", "%s, of them %s by bank conflicts", counted(t.SharedWavefronts, "wavefront", "wavefronts"), grouped(t.SharedWavefronts-t.SharedIdeal))
	}
	if t.AtomicRequests > 0 {
		line("atomics", "%s of warps, in %s", grouped(t.AtomicRequests), counted(t.AtomicRounds, "round", "rounds"))
	}
	if t.LocalRequests > 0 {
		line("local memory", "%s, in %s of 32 bytes: arrays whose index is not a constant lie there", counted(t.LocalBytes, "byte", "bytes"), counted(t.LocalSectors, "sector", "sectors"))
	}
	if t.BarrierArrivals > 0 {
		wait := "never wait for slower ones"
		if t.BarrierWaits > 0 {
			wait = "wait for " + counted(t.BarrierWaits, "instruction", "instructions") + " of slower ones"
		}
		line("barriers", "warps arrive %s, and %s", counted(t.BarrierArrivals, "time", "times"), wait)
	}
	for p, n := range works {
		if n > 0 {
			line(map[bool]string{true: "operations"}[p == 0 || sum(works[:p]) == 0], "%s of %v", grouped(n), pipe(p))
		}
	}
	if r != nil {
		line("registers", "%v", r)
	}
	line("occupancy", "%v", occupancyOf(g, r))
	if blocks := blocksOf(g); blocks < multiprocessors {
		line("grid", "%s, and an H100 or H200 has %d multiprocessors: the others are idle", counted(blocks, "block", "blocks"), multiprocessors)
	}
	if !hasLines(g.Kernel) {
		fmt.Fprintf(w, "  %s%s\n", titleOf(g), noLines)
	}
	for _, f := range findings(g) {
		fmt.Fprintf(w, "  %s\n", f.text)
	}
}

func sum(list []uint64) (total uint64) {
	for _, n := range list {
		total += n
	}
	return total
}

// share is a ratio with one digit behind the point.
func share(n, of uint64) string { return fmt.Sprintf("%.1f", float64(n)/float64(max(1, of))) }

func percent(n, of uint64) uint64 { return 100 * n / max(1, of) }

// A finding is what is wrong with a line.
type finding struct {
	text   string
	weight uint64 // turns that it wastes
}

// maxFindings is how many are written of a kernel.
const maxFindings = 12

// findings returns what is wrong with the lines of a kernel, the worst first. What wastes less than a hundredth of all that warps
// execute is left out.
func findings(g *profiled.Group) (list []finding) {
	type problem struct {
		place, does string
		cost        driver.Cost
		counts      driver.InstructionCounts
		worst       *driver.ProfiledRequest
	}
	type key struct {
		place, does string
		cost        driver.Cost
	}
	problems := make(map[key]*problem)
	var order []*problem
	lines := hasLines(g.Kernel)
	add := func(pc int, cost driver.Cost, does string) {
		k := key{placeOf(&g.Kernel.Instructions[pc], lines), does, cost}
		have := problems[k]
		if have == nil {
			have = &problem{place: k.place, does: does, cost: cost}
			problems[k] = have
			order = append(order, have)
		}
		have.counts.Add(&g.Counts[pc])
		if r := g.Worst[pc][cost-1]; r != nil && (have.worst == nil || r.Precedes(have.worst)) {
			have.worst = r
		}
	}
	for pc := range g.Counts {
		c, does := &g.Counts[pc], doing(g.Kernel.Instructions[pc].Text)
		if c.GlobalSectors > c.GlobalIdeal {
			add(pc, driver.GlobalSectors, does)
		}
		if c.SharedWavefronts > c.SharedIdeal {
			add(pc, driver.SharedWavefronts, does)
		}
		if c.AtomicRounds > c.AtomicRequests {
			add(pc, driver.AtomicRounds, does)
		}
	}
	total := totalOf(g)
	for _, p := range order {
		c := &p.counts
		f := finding{}
		switch p.cost {
		case driver.GlobalSectors:
			f = finding{each(p.place, p.worst, c.GlobalRequests, c.GlobalSectors, c.GlobalIdeal, "sector", "sectors"), c.GlobalSectors - c.GlobalIdeal}
		case driver.SharedWavefronts:
			f = finding{each(p.place, p.worst, c.SharedRequests, c.SharedWavefronts, c.SharedIdeal, "wavefront", "wavefronts"), c.SharedWavefronts - c.SharedIdeal}
		case driver.AtomicRounds:
			f = finding{each(p.place, p.worst, c.AtomicRequests, c.AtomicRounds, c.AtomicRequests, "round", "rounds"), c.AtomicRounds - c.AtomicRequests}
		}
		if p.worst != nil {
			f.text += ": " + reason(p.worst, p.does)
		}
		list = append(list, f)
	}
	list = append(list, divergences(g, lines)...)
	list = slices.DeleteFunc(list, func(f finding) bool { return f.weight*100 < total.Warps })
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(b.weight, a.weight) })
	if more := len(list) - maxFindings; more > 0 {
		list = append(list[:maxFindings], finding{text: fmt.Sprintf("… and %s that waste less: go tool pprof shows all", counted(uint64(more), "line", "lines"))})
	}
	return list
}

// each says what requests cost, in all of them or on average.
func each(place string, worst *driver.ProfiledRequest, requests, count, ideal uint64, one, several string) string {
	if requests == 1 {
		return fmt.Sprintf("%s: %s where %s would do, in 1 request", place, counted(count, one, several), grouped(ideal))
	}
	if worst != nil && uint64(worst.Count)*requests == count && uint64(worst.Ideal)*requests == ideal {
		return fmt.Sprintf("%s: %s where %d would do, in each of %s", place, counted(uint64(worst.Count), one, several), worst.Ideal, counted(requests, "request", "requests"))
	}
	text := fmt.Sprintf("%s: %s %s where %s would do, on average of %s", place, share(count, requests), several, share(ideal, requests), counted(requests, "request", "requests"))
	if worst != nil {
		text += fmt.Sprintf(", at worst %d where %d would do", worst.Count, worst.Ideal)
	}
	return text
}

// doing returns what the threads of an instruction do.
func doing(text string) string {
	switch name := ptx.NameIn(text); name[0] {
	case "st", "stmatrix", "sust":
		return "write"
	case "cp":
		return "copy"
	case "atom", "red":
		return "update"
	case "wmma":
		if slices.Contains(name, "store") {
			return "write"
		}
	}
	return "read"
}

// divergences returns the lines at which few threads of a warp are at work.
func divergences(g *profiled.Group, lines bool) (list []finding) {
	byPlace := make(map[string]*driver.InstructionCounts)
	var order []string
	for pc := range g.Counts {
		place := placeOf(&g.Kernel.Instructions[pc], lines)
		if byPlace[place] == nil {
			byPlace[place] = new(driver.InstructionCounts)
			order = append(order, place)
		}
		byPlace[place].Add(&g.Counts[pc])
	}
	for _, place := range order {
		if c := byPlace[place]; c.Warps > 0 && c.Threads < 24*c.Warps {
			list = append(list, finding{fmt.Sprintf("%s: %s of 32 threads on average, in %s of warps: threads of a warp go different ways here, or the block has warps that are not full", place, share(c.Threads, c.Warps), counted(c.Warps, "instruction", "instructions")), idle(c) / 32})
		}
	}
	return list
}

// placeOf says where an instruction is: the line, and behind it where that was inlined.
func placeOf(in *driver.ProfiledInstruction, lines bool) string {
	if !lines {
		return fmt.Sprintf("PTX line %d (%s)", in.PTXLine, strings.TrimSuffix(in.Text, ";"))
	}
	inner := in.Frames[0]
	if inner.File == "" {
		return "no line"
	}
	text := fmt.Sprintf("%s:%d", shortened(inner.File), inner.Line)
	if len(in.Frames) == 1 {
		return text
	}
	name := nameOf(inner.Function)
	if name == "" {
		name = "an inlined function"
	}
	text += " (" + name
	if outer := in.Frames[1]; outer.Line > 0 {
		text += fmt.Sprintf(", inlined at %s:%d", shortened(outer.File), outer.Line)
	}
	return text + ")"
}

// shortened returns the path from the working directory, if the file is in it or in a folder above that is not far.
func shortened(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(folder, path)
	if err != nil || len(short) >= len(path) || strings.HasPrefix(short, filepath.Join("..", "..", "..")) {
		return path
	}
	return filepath.ToSlash(short)
}
