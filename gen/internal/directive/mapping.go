package directive

import (
	"path"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// Mapping parses the arguments of a type directive, CName=import/path.GoType. problem is
// zero if they have that form.
func Mapping(d cu.Directive) (cName string, goType model.GoType, problem diag.Message) {
	cName, target, ok := strings.Cut(d.Args, "=")
	cName, target = strings.TrimPrefix(strings.TrimSpace(cName), "::"), strings.TrimSpace(target)
	dot := strings.LastIndex(target, ".")
	if !ok || cName == "" || dot < 0 {
		return "", goType, diag.TypeMapping.Errorf("type wants CName=import/path.GoType, found %q", d.Args)
	}
	importPath, name := target[:dot], target[dot+1:]
	if !goname.IsExported(name) {
		return "", goType, diag.TypeMapping.Errorf("type: %q is not an exported Go name", name)
	}
	if importPath == "" || path.Clean(importPath) != importPath || strings.ContainsAny(importPath, " \t\"`\\") || path.IsAbs(importPath) {
		return "", goType, diag.TypeMapping.Errorf("type: %q is not an import path", importPath)
	}
	return cName, model.GoType{Kind: model.Foreign, Name: name, Path: importPath}, diag.Message{}
}
