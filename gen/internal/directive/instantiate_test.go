package directive_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
)

func TestInstantiations(t *testing.T) {
	const one = "add above it, for each instantiation, a line such as //cudagen:instantiate "
	scale, size, unnamed := cu.TemplateParam{Name: "f", Example: "function"}, cu.TemplateParam{Name: "N", Example: "4"}, cu.TemplateParam{Example: "float"}
	for want, k := range map[string]cu.Kernel{
		one + "f=function,N=4":       {TemplateParams: []cu.TemplateParam{scale, size}},
		one + "<function, float>":    {TemplateParams: []cu.TemplateParam{scale, unnamed}},
		one + "<function, float, 4>": {TemplateParams: []cu.TemplateParam{scale, unnamed, {Name: "M", Example: "4", Pack: true}}},
		"add above it //cudagen:instantiate f=add and //cudagen:instantiate f=mul": {TemplateParams: []cu.TemplateParam{scale}, Suggestions: []string{"f=add", "f=mul"}},
	} {
		assert.Equal(t, want, directive.Instantiations(&k).Error())
	}
}
