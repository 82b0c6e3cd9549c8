package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/doctor"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // for the row "simulator"
)

const doctorUsage = `cudagen doctor reports what is installed and how to fix what is missing.

Usage:

	cudagen doctor [-json]

It finds every compiler and compiles a kernel with each. It finds the programs that nvcc
needs, NVIDIA's driver, and the GPUs. It prints a table, and then each problem, with the
command that fixes it if there is one.

The exit code is 0 if a compiler works, and 1 if none does.

With -json it prints one line of JSON. Later versions only add fields:

	{"canCompile": true,
	 "compilers": [{"name": "nvcc", "found": "/usr/local/cuda/bin/nvcc (from $PATH)",
	                "version": "13.0.88", "ptx": true, "machineCode": true}],
	 "hostCompiler": {"path": "/usr/bin/gcc", "version": "gcc 14.2.0"},
	 "ptxas": {"path": "/usr/local/cuda/bin/ptxas", "version": "13.0.88"},
	 "driver": {"installed": true, "version": "580.65.06", "cuda": "13.0", "error": ""},
	 "devices": [{"ordinal": 0, "name": "NVIDIA H200", "computeCapability": "9.0",
	              "uuid": "GPU-…", "memoryBytes": 150754820096}],
	 "simulator": "…",
	 "problems": [{"severity": "error" or "note", "subject": "nvcc", "message": "…",
	               "remedy": "cudagen toolchain install"}]}

An unknown text is empty. hostCompiler and ptxas are null if they are missing.

Flags:

`

// runDoctor runs the subcommand doctor and returns its exit code.
func runDoctor(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	flags, asJSON := doctorFlags()
	err := parseHelped(flags, args, doctorUsage, stdout)
	if err == nil && flags.NArg() > 0 {
		err = diag.Flags.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		return notRun("cudagen doctor", err, stderr)
	}
	report, err := doctor.Examine(ctx, getenv, machine())
	if err == nil && *asJSON {
		err = report.WriteJSON(stdout)
	} else if err == nil {
		err = report.WriteText(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cudagen doctor: %s\n", spoken(err))
		return exitInput
	}
	if !report.CanCompile {
		return exitInput
	}
	return exitOK
}

// doctorFlags returns the flags of doctor.
func doctorFlags() (flags *flag.FlagSet, asJSON *bool) {
	flags = flag.NewFlagSet("cudagen doctor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags, flags.Bool("json", false, "print JSON instead of text")
}

// machine returns the driver and the devices of this machine.
func machine() doctor.Machine {
	m := doctor.Machine{Driver: doctor.Driver{Installed: true, Version: moduleVersion(readModule())}}
	major, minor, err := cuda.DriverVersion()
	if errors.Is(err, cuda.ErrNoDriver) {
		m.Driver.Installed = false
	}
	infos, devicesErr := cuda.Devices()
	if err == nil {
		m.Driver.CUDA = fmt.Sprintf("%d.%d", major, minor)
		err = devicesErr
	}
	if err != nil {
		m.Driver.Error = err.Error()
	}
	for _, info := range infos {
		if info.Simulated {
			continue
		}
		m.Devices = append(m.Devices, doctor.Device{
			Ordinal:           info.Ordinal,
			Name:              info.Name,
			ComputeCapability: fmt.Sprintf("%d.%d", info.Major, info.Minor),
			UUID:              info.UUID,
			MemoryBytes:       info.TotalMemory,
		})
	}
	if sim, err := cuda.OpenSimulator(); err == nil {
		m.Simulator = sim.Name()
		_ = sim.Close() // nothing has run on it
	}
	return m
}

// readModule returns the version text of NVIDIA's kernel module, on Linux.
func readModule() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return "" // another system, or no such module
	}
	return string(text)
}

var moduleLine = regexp.MustCompile(`(?m)^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s`)

// moduleVersion returns the version in the text of NVIDIA's kernel module, or "".
func moduleVersion(text string) string {
	m := moduleLine.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}
