package profile

import (
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// values are what a sample has, in the order of the file.
var values = []struct {
	name, unit string
	of         func(in *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64
}{
	{"warp_instructions", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.Warps }},
	{"thread_instructions", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.Threads }},
	{"idle_threads", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return idle(c) }},
	{"global_sectors", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.GlobalSectors }},
	{"global_sectors_ideal", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.GlobalIdeal }},
	{"global_sectors_wasted", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 {
		return c.GlobalSectors - c.GlobalIdeal
	}},
	{"shared_wavefronts", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.SharedWavefronts }},
	{"bank_conflicts", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 {
		return c.SharedWavefronts - c.SharedIdeal
	}},
	{"atomic_rounds", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.AtomicRounds }},
	{"local_memory", "bytes", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.LocalBytes }},
	{"barrier_waits", "count", func(_ *driver.ProfiledInstruction, c *driver.InstructionCounts) uint64 { return c.BarrierWaits }},
	{"tensor_instructions", "count", tensorInstructions},
}

// idle is the threads that a warp of 32 has besides those that execute an instruction.
func idle(c *driver.InstructionCounts) uint64 { return 32*c.Warps - c.Threads }

// Write writes the profile for go tool pprof. A sample is a line of the source, with the functions that were inlined there and the kernel
// around them. A kernel without line information has its instructions instead.
func (p *Profile) Write(w io.Writer) error {
	b := &builder{
		profile:   &profile.Profile{DefaultSampleType: values[0].name, PeriodType: &profile.ValueType{Type: "launches", Unit: "count"}, Period: 1},
		functions: make(map[driver.SourceFrame]*profile.Function), locations: make(map[string]*profile.Location), samples: make(map[string]*profile.Sample),
	}
	b.profile.Mapping = []*profile.Mapping{{ID: 1, File: "cudagen simulated device", HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}}
	for _, v := range values {
		b.profile.SampleType = append(b.profile.SampleType, &profile.ValueType{Type: v.name, Unit: v.unit})
	}
	for _, g := range p.launches.Groups() {
		labels := map[string][]string{"kernel": {titleOf(g)}, "launch": {launchOf(g)}}
		lines := hasLines(g.Kernel)
		if !lines {
			b.profile.Comments = append(b.profile.Comments, titleOf(g)+noLines)
		}
		for pc := range g.Counts {
			if g.Counts[pc] != (driver.InstructionCounts{}) {
				b.add(titleOf(g), labels, &g.Kernel.Instructions[pc], &g.Counts[pc], lines)
			}
		}
	}
	if err := b.profile.CheckValid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return b.profile.Write(w)
}

// noLines says what is missing, and how to get it.
const noLines = " has no line information: its instructions of PTX stand for lines. Compile it with -lineinfo, as cudagen does"

// A builder makes a profile.
type builder struct {
	profile   *profile.Profile
	functions map[driver.SourceFrame]*profile.Function // by name and file
	locations map[string]*profile.Location             // by frames
	samples   map[string]*profile.Sample               // by frames and launch
}

// add adds what an instruction of a kernel counts.
func (b *builder) add(kernel string, labels map[string][]string, in *driver.ProfiledInstruction, c *driver.InstructionCounts, lines bool) {
	frames := in.Frames
	if !lines {
		frames = append([]driver.SourceFrame{{Function: fmt.Sprintf("PTX line %d: %s", in.PTXLine, strings.TrimSuffix(in.Text, ";"))}}, frames...)
	}
	key := fmt.Sprint(kernel, frames)
	at := b.locations[key]
	if at == nil {
		at = &profile.Location{ID: uint64(len(b.locations) + 1), Mapping: b.profile.Mapping[0]}
		at.Address = at.ID
		for n, f := range frames {
			name := nameOf(f.Function)
			switch {
			case n == len(frames)-1:
				name = kernel
			case name == "":
				name = "inlined function"
			}
			at.Line = append(at.Line, profile.Line{Function: b.function(name, f), Line: int64(f.Line)})
		}
		b.locations[key] = at
		b.profile.Location = append(b.profile.Location, at)
	}
	key += labels["launch"][0]
	s := b.samples[key]
	if s == nil {
		s = &profile.Sample{Location: []*profile.Location{at}, Value: make([]int64, len(values)), Label: labels}
		b.samples[key] = s
		b.profile.Sample = append(b.profile.Sample, s)
	}
	for n, v := range values {
		s.Value[n] += int64(v.of(in, c))
	}
}

// function returns the function of a frame.
func (b *builder) function(name string, f driver.SourceFrame) *profile.Function {
	key := driver.SourceFrame{Function: name, File: f.File}
	have := b.functions[key]
	if have == nil {
		have = &profile.Function{ID: uint64(len(b.functions) + 1), Name: name, SystemName: f.Function, Filename: f.File}
		b.functions[key] = have
		b.profile.Function = append(b.profile.Function, have)
	}
	return have
}
