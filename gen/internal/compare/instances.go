package compare

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
)

// Instances returns the instances of templates that the image seen has and file has not, sorted by the
// templates and by their arguments; each once; never nil.
func Instances(file *cu.File, templates []*cu.Kernel, seen *image.Image) []cu.ImageInstance {
	more := make(map[string]int) // kernels of a name that the image has, less those of the file
	for _, k := range seen.Kernels {
		more[k.Name]++
	}
	for _, k := range file.Kernels {
		if !k.Template {
			more[ctype.WithoutVersions(k.QualifiedName())]--
		}
	}
	list := []cu.ImageInstance{}
	for _, template := range templates {
		var arguments []string
		name := template.QualifiedName()
		for _, k := range seen.Kernels {
			rest, of := strings.CutPrefix(k.Name, ctype.WithoutVersions(name)+"<")
			if of && strings.HasSuffix(rest, ">") && more[k.Name] > 0 {
				arguments = append(arguments, strings.TrimSpace(strings.TrimSuffix(rest, ">")))
				more[k.Name] = 0 // it is told once, for several templates of the name, too
			}
		}
		slices.Sort(arguments)
		for _, one := range arguments {
			list = append(list, cu.ImageInstance{Template: name, Arguments: one})
		}
	}
	return list
}
