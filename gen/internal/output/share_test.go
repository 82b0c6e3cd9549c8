package output

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/model"
)

// The Go file of a source that shares no type is not printed twice: its model stays the same one.
func TestWithout(t *testing.T) {
	m := &model.File{Structs: []model.Struct{{GoName: "Plate"}, {GoName: "Grid"}}, Enums: []model.Enum{{GoName: "Mode"}}}
	assert.Same(t, m, without(m, nil))
	assert.Same(t, m, without(m, map[string]section{"Other": {}}))
	assert.Equal(t, &model.File{Structs: []model.Struct{{GoName: "Grid"}}, Enums: m.Enums}, without(m, map[string]section{"Plate": {}}))
	assert.Equal(t, &model.File{Structs: m.Structs, Enums: []model.Enum{}}, without(m, map[string]section{"Mode": {}}))
	assert.Len(t, m.Structs, 2)
}
