package image

import (
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// A File is a compiled image and where it is written.
type File struct {
	Path    string
	Content []byte
	Targets []string // of machine code: sm_90; nil for PTX
	Seen    *Image   // of PTX, when it was read already
}

// Read returns what the image says of itself: of a fatbin, of each cubin in it.
func (f *File) Read() ([]*Image, error) {
	if f.Seen != nil {
		return []*Image{f.Seen}, nil
	}
	if f.Targets == nil {
		img, err := ReadPTX(f.Path, f.Content)
		return []*Image{img}, err
	}
	fatbin, err := ReadFatbin(f.Path, f.Content)
	if err != nil {
		return nil, err
	}
	var images []*Image
	for i, entry := range fatbin.Entries {
		if entry.Image == nil {
			return nil, source.NewError(f.Path, diag.FileAccess.Errorf("entry %d of it, %v for sm_%d, cannot be read: %w", i, entry.Kind, entry.Arch, diag.Do("run %s", diag.Call("-force"))))
		}
		images = append(images, entry.Image)
	}
	if len(images) != len(f.Targets) {
		return nil, source.NewError(f.Path, diag.BadRecord.Errorf("it has %d entries, and by the record %d: %w", len(images), len(f.Targets), diag.Do("run %s", diag.Call("-force"))))
	}
	return images, nil
}
