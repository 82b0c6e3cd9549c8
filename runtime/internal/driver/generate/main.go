// Command generate writes code from the interface Driver of runtime/internal/driver, which is
// the table of driver entry points. go generate runs it in that folder.
//
// A method that it cannot translate is an error with its position, and nothing is written.
package main

import (
	"fmt"
	"go/scanner"
	"os"
	"path/filepath"
)

func main() {
	if err := run("."); err != nil {
		scanner.PrintError(os.Stderr, err)
		os.Exit(1)
	}
}

// run reads the package in dir and writes what follows from it.
func run(dir string) error {
	files, err := generate(dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files that follow from the package in dir, by their paths from it.
func generate(dir string) (map[string][]byte, error) {
	t, err := readTable(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"../../../internal/fakecuda/src/entrypoints.h": t.header()}
	for name, write := range map[string]func(*goFile){
		"symbols_table.go":                t.writeSymbols,
		"incontext_methods.go":            t.writeInContext,
		"watchable_methods.go":            t.writeWatchable,
		"../libcuda/calls_methods.go":     t.writeCalls,
		"drivertest/intercept_methods.go": t.writeIntercept,
		"drivertest/echo_methods.go":      t.writeEcho,
	} {
		f := new(goFile)
		write(f)
		if files[name], err = f.format(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}
