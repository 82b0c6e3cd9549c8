package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/cudagen/cudagen/internal/diag"
)

// runVersion runs the subcommand version.
func runVersion(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		return notRun("cudagen version", diag.Flags.Errorf("unexpected argument %q", args[0]), stderr)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintln(stdout, "cudagen "+versionOf(info))
	return exitOK
}

// versionOf returns the version of this command: its module's, as the go command recorded it, with
// what replaces the module, or with the commit if it was built in a clone.
func versionOf(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	if r := info.Main.Replace; r != nil {
		version += ", replaced by " + r.Path
		if r.Version != "" && r.Version != "(devel)" {
			version += " " + r.Version
		}
		return version
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", with changes"
		}
	}
	if commit != "" {
		version += ", commit " + commit[:min(12, len(commit))] + modified
	}
	return version
}
