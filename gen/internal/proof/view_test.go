package proof_test

import (
	"errors"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// kernel returns a selection of one kernel, and its model.
func kernel(bytes int64) (*selection.Selection, *model.File) {
	k := &selection.Kernel{Kernel: &cu.Kernel{Name: "k", Pos: token.Position{Filename: "k.cu", Line: 3}}}
	s := &selection.Selection{Place: source.Place{Path: "k.cu"}, File: &cu.File{Name: "k.cu", Arch: true}, Kernels: []*selection.Kernel{k}}
	return s, &model.File{Kernels: []model.Kernel{{GoName: "K", CName: "k", Bytes: bytes}}, Structs: []model.Struct{{GoName: "S", CName: "S", Size: bytes}}}
}

func TestCompare(t *testing.T) {
	const remedy = "do not let it depend on __CUDA_ARCH__, or generate for one -arch alone"
	for _, test := range []struct {
		name     string
		change   func(s *proof.Viewed)
		bytes    int64 // in another view
		readErr  error
		views    []proof.View
		messages []string
	}{
		{name: "the same", bytes: 8, views: []proof.View{{Arch: 90}}},
		{name: "another layout", bytes: 16, views: []proof.View{{Arch: 90}}, messages: []string{"k.cu: struct S is not the same for sm_90: " + remedy, "k.cu:3: kernel k is not the same for sm_90: " + remedy}},
		{name: "an error there", readErr: diag.List{{Message: diag.Message{Text: "no"}}}, views: []proof.View{{Arch: 90}}, messages: []string{"no (when read for sm_90: " + remedy + ")"}},
		{name: "another error", readErr: errors.New("no disk"), views: []proof.View{{Arch: 90}}, messages: []string{"no disk"}},
		{name: "one target", change: func(s *proof.Viewed) { s.Arch = 90; s.List[0].Images = s.List[0].Images[1:] }, bytes: 16},
		{name: "a source that does not ask for the target", change: func(s *proof.Viewed) { s.List[0].File.Arch = false }, bytes: 16},
		{name: "embedded", change: func(s *proof.Viewed) { s.Embedded, s.List[0].File.Arch = true, false }, bytes: 16, views: []proof.View{{Arch: 75, NVRTC: true}},
			messages: []string{
				"k.cu: struct S is not the same for NVRTC, which compiles embedded source, for sm_75: do not let it depend on __CUDACC_RTC__, __CUDA_ARCH__ or the host's compiler, or embed the image",
				"k.cu:3: kernel k is not the same for NVRTC, which compiles embedded source, for sm_75: do not let it depend on __CUDACC_RTC__, __CUDA_ARCH__ or the host's compiler, or embed the image",
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			selected, m := kernel(8)
			var views []proof.View
			s := proof.Viewed{Arch: 75, List: []proof.ViewedSource{{
				Named:  proof.Named{Selection: selected, KernelSymbols: []string{"symbol"}},
				Images: []record.Image{{Target: "sm_75"}, {Targets: []string{"sm_90"}}}, Model: m,
			}}}
			s.Read = func(v proof.View) ([]*selection.Selection, error) {
				views = append(views, v)
				other, _ := kernel(test.bytes)
				return []*selection.Selection{other}, test.readErr
			}
			s.Bind = func(list []proof.Named) ([]*model.File, error) {
				assert.Equal(t, []string{"symbol"}, list[0].KernelSymbols, "the images are the same")
				_, m := kernel(test.bytes)
				return []*model.File{m}, nil
			}
			if test.change != nil {
				test.change(&s)
			}
			err := proof.CompareViews(s)
			assert.Equal(t, test.views, views)
			var messages []string
			if list, ok := err.(diag.List); ok {
				for _, e := range list {
					messages = append(messages, e.Error())
				}
			} else if err != nil {
				messages = []string{err.Error()}
			}
			assert.Equal(t, test.messages, messages)
			if err != nil && test.name != "another error" {
				assert.Equal(t, diag.TargetsDiffer, diag.CodeOf(err))
			}
		})
	}
}

// A kernel that is not there in another view is missed, and one that a compiler told is taken
// from the first.
func TestToldAndMissing(t *testing.T) {
	for _, told := range []bool{false, true} {
		selected, m := kernel(8)
		selected.Kernels[0].Told = told
		s := proof.Viewed{Arch: 75, List: []proof.ViewedSource{{
			Named:  proof.Named{Selection: selected, KernelSymbols: []string{"symbol"}},
			Images: []record.Image{{Target: "sm_90"}}, Model: &model.File{Kernels: m.Kernels},
		}}}
		s.Read = func(proof.View) ([]*selection.Selection, error) {
			return []*selection.Selection{{Place: selected.Place, File: selected.File}}, nil
		}
		s.Bind = func(list []proof.Named) ([]*model.File, error) {
			if len(list[0].Kernels) == 0 {
				return []*model.File{{}}, nil
			}
			assert.Same(t, selected.Kernels[0], list[0].Kernels[0])
			return []*model.File{{Kernels: m.Kernels}}, nil
		}
		err := proof.CompareViews(s)
		assert.Equal(t, told, err == nil, "%v", err)
	}
}
