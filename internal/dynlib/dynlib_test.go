//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package dynlib_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/dynlib"
)

// A library is opened once, and what failed is tried again.
func TestOpenOnce(t *testing.T) {
	var libraries dynlib.Libraries[string]
	opens := 0
	open := func() (*string, error) {
		if opens++; opens == 1 {
			return nil, errors.New("not yet")
		}
		name := "library"
		return &name, nil
	}
	_, err := libraries.Open("a", open)
	require.EqualError(t, err, "not yet")
	first, err := libraries.Open("a", open)
	require.NoError(t, err)
	again, err := libraries.Open("a", open)
	require.NoError(t, err)
	assert.Same(t, first, again)
	other, err := libraries.Open("b", open)
	require.NoError(t, err)
	assert.NotSame(t, first, other)
	assert.Equal(t, 3, opens)
}

func TestRead(t *testing.T) {
	size := func(n uintptr, r int32) func(uintptr, *uintptr) int32 {
		return func(handle uintptr, p *uintptr) int32 { *p = n * handle; return r }
	}
	get := func(b byte, r int32) func(uintptr, *byte) int32 {
		return func(handle uintptr, p *byte) int32 { *p = b * byte(handle); return r }
	}
	never := func(uintptr, *byte) int32 { t.Error("called"); return 0 }
	for name, test := range map[string]struct {
		size   func(uintptr, *uintptr) int32
		get    func(uintptr, *byte) int32
		want   []byte
		failed string
		result int32
	}{
		"bytes":         {size(1, 0), get(7, 0), []byte{14, 0}, "", 0},
		"none":          {size(0, 0), never, nil, "", 0},
		"size fails":    {size(1, 5), never, nil, "getSize", 5},
		"writing fails": {size(1, 0), get(7, 6), nil, "get", 6},
	} {
		t.Run(name, func(t *testing.T) {
			data, failed, result := dynlib.Read("get", 2, test.size, test.get)
			assert.Equal(t, test.want, data)
			assert.Equal(t, test.failed, failed)
			assert.Equal(t, test.result, result)
		})
	}
}

func TestText(t *testing.T) {
	for _, s := range []string{"", "a", "größer"} {
		assert.Equal(t, s, dynlib.GoString(dynlib.CString(s)))
	}
	assert.Equal(t, "a", dynlib.GoString(dynlib.CString("a\x00b")))
	assert.Nil(t, dynlib.First(nil))
	list := []*byte{dynlib.CString("a"), nil}
	assert.Same(t, list[0], *dynlib.First(list))
}

func TestLoadNothing(t *testing.T) {
	_, err := dynlib.Load(filepath.Join(t.TempDir(), "none"))
	assert.Error(t, err)
}
