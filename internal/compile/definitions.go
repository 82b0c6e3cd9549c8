package compile

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/leftover"
)

// A Preprocessor is a Compiler that reports where macros are defined.
type Preprocessor interface {
	Compiler

	// Definitions returns each definition of the macros called names that the compiler comes
	// by while it preprocesses the source of req, which no Suffix follows, for its Arch: also
	// those that are undone again. It takes some part of the time of Compile.
	Definitions(ctx context.Context, req Request, names []string) ([]Definition, error)
}

// A Definition is one definition of a macro.
type Definition struct {
	Macro string
	Body  string // what follows the name, parameters among it, without blanks
	File  string // absolute; "" for what the compiler defines itself, and the command line
}

// Definitions has the host's preprocessor write what it defines into its output. Only gcc and
// clang can.
//
// GCC, Preprocessor Options: -dD. NVIDIA CUDA Compiler Driver NVCC, --preprocess.
func (c *nvcc) Definitions(ctx context.Context, req Request, names []string) ([]Definition, error) {
	req.Suffix = ""
	unit, _, err := prepare(ctx, c, req)
	if err != nil {
		return nil, err
	}
	temp, err := leftover.Dir("", "cudagen-")
	if err != nil {
		return nil, fmt.Errorf("preprocessing %s: %w", req.Source, err)
	}
	defer leftover.Remove(temp)
	output := filepath.Join(temp, "out.ii")
	args := slices.Concat([]string{"-E", "-Xcompiler", "-dD", "-arch", unit.target.virtual()}, req.Flags, []string{"-o", output, unit.name})
	log, err := c.runTraced(ctx, req, unit.dir, temp, args)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("preprocessing %s: %w", req.Source, context.Cause(ctx))
	}
	if err != nil {
		return nil, c.failed(req, log, err)
	}
	preprocessed, err := c.output(output, req.Source, log)
	if err != nil {
		return nil, err
	}
	return unit.definitions(preprocessed, names), nil
}

// definitions returns the definitions of names in preprocessed source.
func (u *unit) definitions(preprocessed []byte, names []string) (list []Definition) {
	file := ""
	for line := range bytes.Lines(preprocessed) {
		rest, directive := bytes.CutPrefix(line, []byte("#"))
		if !directive {
			continue
		}
		if definition, ok := bytes.CutPrefix(rest, []byte("define ")); ok {
			macro, body := cutName(string(definition))
			if slices.Contains(names, macro) {
				list = append(list, Definition{macro, strings.Join(strings.Fields(body), ""), file})
			}
		} else if name, ok := markedFile(rest); ok {
			file = u.absolute(name)
		}
	}
	return list
}

// cutName cuts a macro's name off its definition.
func cutName(definition string) (name, rest string) {
	end := strings.IndexFunc(definition, func(r rune) bool {
		return r != '_' && r != '$' && r < 0x80 && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	if end < 0 {
		return definition, ""
	}
	return definition[:end], definition[end:]
}

// markedFile returns the name in a line marker, behind its #: ` 12 "k.cu" 2`.
//
// GNU CPP, Preprocessor Output.
func markedFile(marker []byte) (name string, ok bool) {
	begin, end := bytes.IndexByte(marker, '"'), bytes.LastIndexByte(marker, '"')
	if begin < 0 || end == begin || strings.Trim(string(marker[:begin]), " 0123456789") != "" {
		return "", false
	}
	name, err := strconv.Unquote(string(marker[begin : end+1]))
	return name, err == nil
}

// absolute returns the path of a file that a compiler names, "" for <built-in> and its like.
func (u *unit) absolute(name string) string {
	if strings.HasPrefix(name, "<") {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(u.dir, name)
	}
	return filepath.Clean(name)
}
