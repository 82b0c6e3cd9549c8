package profiled

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// launch is a launch of a kernel of two instructions, whose second wastes sectors.
func launch(symbol string, grid uint32, sectors uint32, block uint64) *driver.LaunchProfile {
	k := &driver.ProfiledKernel{Symbol: symbol, Instructions: []driver.ProfiledInstruction{{Text: "ret;"}, {Text: "ld.global.f32 %f1, [%rd1];", Frames: []driver.SourceFrame{{Function: symbol, File: "k.cu", Line: 3}}}}}
	k.Digest = Digest(k)
	return &driver.LaunchProfile{
		Kernel: k, Name: "k", Grid: driver.Dim3{X: grid, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1},
		Counts: []driver.InstructionCounts{{Warps: 1}, {Warps: 1, GlobalSectors: uint64(sectors), GlobalIdeal: 4}},
		Worst:  []driver.WorstRequests{{}, {{Cost: driver.GlobalSectors, Count: sectors, Ideal: 4, Block: block}}},
	}
}

// Launches of equal kernels are added up by configuration, whichever device or process has loaded them.
func TestAdd(t *testing.T) {
	l := New(Filter{})
	l.Add(launch("k", 1, 8, 5))
	l.Add(launch("k", 1, 32, 7))
	l.Add(launch("k", 1, 32, 2))
	l.Add(launch("k", 2, 8, 0))
	failed := launch("k2", 1, 8, 0)
	failed.Failed = "trap"
	l.Add(failed)
	groups := l.Groups()
	require.Len(t, groups, 3)
	assert.Equal(t, uint64(3), groups[0].Launches)
	assert.Equal(t, uint64(72), groups[0].Counts[1].GlobalSectors)
	assert.Equal(t, uint64(2), groups[0].Worst[1][0].Block, "of the worst the first in the grid")
	assert.Equal(t, uint64(1), groups[1].Launches)
	assert.Equal(t, uint64(1), groups[2].Failed)
	assert.Equal(t, "trap", groups[2].Reason)
	groups[0].Counts[1].GlobalSectors = 0
	assert.Equal(t, uint64(72), l.Groups()[0].Counts[1].GlobalSectors, "callers get a copy")
}

func TestWants(t *testing.T) {
	for _, test := range []struct {
		filter Filter
		want   []bool // of the launches below
	}{
		{Filter{}, []bool{true, true, true, true}},
		{Filter{Kernel: "blur"}, []bool{true, true, false, true}},
		{Filter{Kernel: "stats::blur"}, []bool{true, true, false, true}},
		{Filter{Kernel: "_Z4sumv"}, []bool{false, false, true, false}},
		{Filter{Launch: 2}, []bool{false, true, false, false}},
		{Filter{Kernel: "blur", Launch: 3}, []bool{false, false, false, true}},
		{Filter{Kernel: "lur"}, []bool{false, false, false, false}},
	} {
		l := New(test.filter)
		var got []bool
		for _, k := range [][2]string{{"_ZN5stats4blurEv", "stats::blur"}, {"_ZN5stats4blurEv", "stats::blur"}, {"_Z4sumv", ""}, {"_ZN5stats4blurEv", "stats::blur"}} {
			got = append(got, l.Wants(k[0], k[1]))
		}
		assert.Equal(t, test.want, got, "%+v", test.filter)
		assert.Equal(t, map[string]int{"stats::blur": 3, "_Z4sumv": 1}, l.Begun())
	}
}

// What is written is read again, and added to what is there.
func TestReadAndWrite(t *testing.T) {
	a := New(Filter{})
	a.Wants("k", "k")
	of := launch("k", 1, 8, 5)
	of.Kernel.Image = ".version 8.0"
	a.Add(of)
	a.Add(launch("other", 1, 8, 5))
	var written bytes.Buffer
	require.NoError(t, a.Write(&written, true))
	text := written.String()
	b := New(Filter{})
	b.Add(launch("k", 1, 8, 1))
	unfinished, err := b.Read(&written)
	require.NoError(t, err)
	assert.True(t, unfinished)
	assert.Equal(t, map[string]int{"k": 1}, b.Begun())
	require.Len(t, b.Groups(), 2)
	assert.Equal(t, uint64(2), b.Groups()[0].Launches)
	assert.Equal(t, uint64(1), b.Groups()[0].Worst[1][0].Block)
	c := New(Filter{})
	_, err = c.Read(strings.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, ".version 8.0", c.Groups()[0].Kernel.Image)
	assert.Empty(t, c.Groups()[1].Kernel.Image)

	for what, damaged := range map[string]string{
		"is not what CUDAGEN_PROFILE has written": text[:len(text)/2],
		"was written by another version":          strings.Replace(text, `"Version":1`, `"Version":9`, 1),
		"is damaged":                              strings.Replace(text, `"Counts":[`, `"Counts":[{},`, 1),
	} {
		_, err := New(Filter{}).Read(strings.NewReader(damaged))
		assert.ErrorContains(t, err, what)
	}
}

// CUDAGEN_PROFILE names the file, which is whole when the last device is closed. What was counted before is there, and said to be unfinished.
func TestEnvironment(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("CUDAGEN_PROFILE", filepath.Join(folder, "%p.json"))
	t.Setenv("CUDAGEN_PROFILE_KERNEL", "k")
	t.Setenv("CUDAGEN_PROFILE_LAUNCH", "1")
	defer func() {
		driver.SetProfiler(nil)
		asked.looked, asked.launches = false, nil
	}()
	file := filepath.Join(folder, strconv.Itoa(os.Getpid())+".json")
	read := func() (launches uint64, unfinished bool) {
		text, err := os.Open(file)
		require.NoError(t, err)
		defer text.Close()
		l := New(Filter{})
		unfinished, err = l.Read(text)
		require.NoError(t, err)
		for _, g := range l.Groups() {
			launches += g.Launches
		}
		return launches, unfinished
	}
	Opened()
	Opened()
	p := driver.TheProfiler()
	require.NotNil(t, p)
	assert.False(t, p.Wants("other", "other"))
	assert.True(t, p.Wants("k", "k"))
	assert.False(t, p.Wants("k", "k"), "the second launch")
	p.Add(launch("k", 1, 8, 0))
	launches, unfinished := read()
	assert.Equal(t, uint64(1), launches)
	assert.True(t, unfinished)
	p.Add(launch("k", 1, 8, 0))
	Closed()
	_, unfinished = read()
	assert.True(t, unfinished, "a device is open")
	Closed()
	launches, unfinished = read()
	assert.Equal(t, uint64(2), launches)
	assert.False(t, unfinished)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "no other file")
}

// A number of a launch that is none profiles nothing; control: without the variable nothing is looked at.
func TestWrongEnvironment(t *testing.T) {
	defer func() { asked.looked = false }()
	Opened()
	Closed()
	assert.False(t, asked.looked)
	t.Setenv("CUDAGEN_PROFILE", filepath.Join(t.TempDir(), "p.json"))
	t.Setenv("CUDAGEN_PROFILE_LAUNCH", "first")
	Opened()
	defer Closed()
	assert.True(t, asked.looked)
	assert.Nil(t, driver.TheProfiler())
}
