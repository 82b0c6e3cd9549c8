package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

// testEntry returns an entry of a fatbin. compressed is the size of content when it is
// compressed, 0 otherwise.
func testEntry(kind FatbinKind, arch, compressed uint32, content []byte) []byte {
	for len(content)%8 != 0 {
		content = append(content, 0)
	}
	flags := uint64(0x11)
	if compressed != 0 {
		flags |= 0x8000
	}
	header := encode(struct {
		Kind, Version      uint16
		Header             uint32
		Size               uint64
		Compressed, Info   uint32
		Minor, Major       uint16
		Arch, Name, Length uint32
		Flags, Zero, Plain uint64
	}{uint16(kind), 0x101, 64, uint64(len(content)), compressed, 0, 8, 1, arch, 0, 0, flags, 0, 0})
	return append(header, content...)
}

func testFatbin(entries ...[]byte) []byte {
	var all []byte
	for _, e := range entries {
		all = append(all, e...)
	}
	header := encode(struct {
		Magic           uint32
		Version, Header uint16
		Size            uint64
	}{fatbinMagic, 1, 16, uint64(len(all))})
	return append(header, all...)
}

const entryText = header + ".visible .entry scale(.param .u32 n) { ret; }\n"

func TestReadFatbin(t *testing.T) {
	fatbin, err := ReadFatbin("k.fatbin", append(testFatbin(
		testEntry(FatbinPTX, 75, 0, []byte(entryText)),
		testEntry(FatbinCubin, 90, 0, sample().bytes()),
		testEntry(FatbinPTX, 90, 7, []byte("squeeze")),
		testEntry(16, 90, 0, []byte("other")),
	), 0, 0, 0))
	require.NoError(t, err)
	require.Len(t, fatbin.Entries, 4)
	first, second := fatbin.Entries[0], fatbin.Entries[1]
	assert.Equal(t, 75, first.Arch)
	assert.Equal(t, "scale", first.Image.Kernels[0].Name)
	assert.Equal(t, "sm_90", second.Image.Target)
	assert.Len(t, second.Image.Kernels, 2)
	assert.Equal(t, FatbinEntry{Kind: FatbinPTX, Arch: 90, Compressed: true}, fatbin.Entries[2])
	assert.Equal(t, FatbinEntry{Kind: 16, Arch: 90}, fatbin.Entries[3])
	assert.Equal(t, "PTX cubin kind 16", FatbinPTX.String()+" "+FatbinCubin.String()+" "+FatbinKind(16).String())
	assert.True(t, IsCubin(sample().bytes()))
	assert.False(t, IsCubin([]byte("EL")))
}

func TestReadFatbinErrors(t *testing.T) {
	good := testFatbin(testEntry(FatbinPTX, 75, 0, []byte(entryText)))
	changed := func(at int, value byte) []byte {
		data := append([]byte(nil), good...)
		data[at] = value
		return data
	}
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "k.fatbin: not a fatbin"},
		{"not a fatbin", []byte("0123456789abcdef"), "not a fatbin"},
		{"header alone", good[:8], "not a fatbin"},
		{"another version", changed(4, 2), "unknown version 2"},
		{"truncated", good[:len(good)-1], "longer than the file"},
		{"size of all", changed(8, 255), "longer than the file"},
		{"something behind", append(append([]byte(nil), good...), 1), "something follows"},
		{"short header", changed(16+4, 63), "longer than the file"},
		{"long header", changed(16+7, 1), "longer than the file"},
		{"long content", changed(16+8+7, 255), "longer than the file"},
		{"half an entry", testFatbin(make([]byte, 40)), "longer than the file"},
		{"bad PTX", testFatbin(testEntry(FatbinPTX, 75, 0, []byte("hello"))), "entry 0, PTX for 75: k.fatbin:1:1"},
		{"bad cubin", testFatbin(testEntry(FatbinCubin, 75, 0, []byte("hello"))), "k.fatbin: entry 0, cubin for 75: not a cubin"},
		{"another GPU", testFatbin(testEntry(FatbinCubin, 75, 0, sample().bytes())), "the cubin in it is for sm_90"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fatbin, err := ReadFatbin("k.fatbin", tt.data)
			assert.Nil(t, fatbin)
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, diag.CompilerOutput, diag.CodeOf(err))
		})
	}
}

func FuzzReadFatbin(f *testing.F) {
	f.Add(testFatbin(testEntry(FatbinPTX, 75, 0, []byte(entryText)), testEntry(FatbinCubin, 90, 0, sample().bytes())))
	f.Add(testFatbin(testEntry(FatbinPTX, 90, 7, []byte("squeeze"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		fatbin, err := ReadFatbin("k.fatbin", data)
		if (fatbin == nil) == (err == nil) {
			t.Fatalf("fatbin %v, error %v", fatbin, err)
		}
	})
}
