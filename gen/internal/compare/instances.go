package compare

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
)

// Instances returns the instances of templates that the image seen has and file has not, sorted by the
// templates and by their arguments.
func Instances(file *cu.File, templates []*cu.Kernel, seen *image.Image) (list []cu.ImageInstance) {
	known := make(map[string]bool)
	for _, k := range file.Kernels {
		known[ctype.WithoutVersions(k.QualifiedName())] = !k.Template
	}
	for _, template := range templates {
		var arguments []string
		name := template.QualifiedName()
		for _, k := range seen.Kernels {
			rest, of := strings.CutPrefix(k.Name, ctype.WithoutVersions(name)+"<")
			if of && strings.HasSuffix(rest, ">") && !known[k.Name] {
				arguments = append(arguments, strings.TrimSpace(strings.TrimSuffix(rest, ">")))
			}
		}
		slices.Sort(arguments)
		for _, one := range slices.Compact(arguments) {
			list = append(list, cu.ImageInstance{Template: name, Arguments: one})
		}
	}
	return list
}
