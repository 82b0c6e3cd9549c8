package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Ptxas returns the path of ptxas, NVIDIA's assembler: beside the nvcc that FindNVCC
// finds, or in $PATH. It is empty when there is none.
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

// Assembles reports, as an error, why the ptxas at path does not take PTX for a target:
// sm_75.
func Assembles(ctx context.Context, path string, env func(string) string, ptx []byte, target string) error {
	temp, err := os.MkdirTemp("", "cudagen-")
	if err != nil {
		return fmt.Errorf("assembling PTX: %w", err)
	}
	defer os.RemoveAll(temp)
	const input = "in.ptx"
	if err := os.WriteFile(filepath.Join(temp, input), ptx, 0o600); err != nil {
		return fmt.Errorf("assembling PTX: %w", err)
	}
	ptxas := &program{words: []string{path}, origin: "its path", env: env}
	log, err := ptxas.run(ctx, temp, temp, []string{"-arch", target, "-o", os.DevNull, input})
	if ctx.Err() != nil {
		return fmt.Errorf("assembling PTX: %w", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", path, err, log)
	}
	return nil
}
