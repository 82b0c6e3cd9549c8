package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/leftover"
)

// Ptxas returns the path of ptxas, NVIDIA's assembler: beside the nvcc that FindNVCC
// finds, or in $PATH. It is empty if there is none.
func Ptxas(env func(string) string) string {
	if found, err := FindNVCC(env); err == nil {
		words := found.(*nvcc).words
		if path, ok := (&search{env: env}).program(words[len(words)-1]); ok {
			if path, ok := executable(filepath.Join(filepath.Dir(path), "ptxas")); ok {
				return path
			}
		}
	}
	path, _ := (&search{env: env}).program("ptxas")
	return path
}

// Assembles returns an error if the ptxas at path refuses texts, each a PTX module, for a
// target such as sm_75. ptxas reads them as one program, in which nothing may be defined
// twice; each text has its own .version. The error is a *RefusedError if ptxas ran to its end.
func Assembles(ctx context.Context, path string, env func(string) string, texts [][]byte, target string) error {
	temp, err := leftover.Dir("", "cudagen-")
	if err != nil {
		return fmt.Errorf("assembling PTX: %w", err)
	}
	defer leftover.Remove(temp)
	args := []string{"-arch", target, "-o", os.DevNull}
	for i, text := range texts {
		input := "in" + strconv.Itoa(i) + ".ptx"
		if err := os.WriteFile(filepath.Join(temp, input), part(text, i), 0o600); err != nil {
			return fmt.Errorf("assembling PTX: %w", err)
		}
		args = append(args, input)
	}
	ptxas := &program{words: []string{path}, origin: "its path", env: env}
	log, err := ptxas.run(ctx, temp, temp, args)
	if ctx.Err() != nil {
		return fmt.Errorf("assembling PTX: %w", context.Cause(ctx))
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.Exited():
		return &RefusedError{log}
	}
	return fmt.Errorf("%s: %w\n%s", path, err, log)
}

// A RefusedError says why ptxas refuses PTX, and will again.
type RefusedError struct {
	Log string // everything that ptxas printed
}

func (e *RefusedError) Error() string { return "ptxas refuses it\n" + strings.TrimRight(e.Log, "\n") }

// part returns a PTX module with numbers of source files and labels of strings that no other
// part has; the first part is as it was.
//
// PTX ISA, Debugging Directives: .file, .loc, .section.
func part(text []byte, index int) []byte {
	if index == 0 {
		return text
	}
	for _, numbered := range fileNumbers {
		text = numbered.ReplaceAllFunc(text, func(match []byte) []byte {
			m := numbered.FindSubmatch(match)
			return strconv.AppendInt(m[1], int64(number(string(m[2]))+index<<16), 10)
		})
	}
	const label = "$L__info_string"
	return bytes.ReplaceAll(text, []byte(label), fmt.Appendf(nil, "%spart%d_", label, index))
}

// fileNumbers match where the numbers of source files are.
var fileNumbers = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^([ \t]*\.(?:file|loc)[ \t]+)(\d+)`),
	regexp.MustCompile(`(\binlined_at[ \t]+)(\d+)`),
}
