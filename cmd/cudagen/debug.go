package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/cudagen/cudagen/internal/debugger"
	"github.com/cudagen/cudagen/internal/diag"
)

const debugUsage = `cudagen debug debugs kernels on the simulated device, for an editor.

Usage:

	cudagen debug
	cudagen debug -listen 127.0.0.1:PORT
	cudagen debug -vscode cudagen.vsix

It speaks the Debug Adapter Protocol on standard input and output, or with one client that connects.
Editors start it: docs/debugging.md has the settings for VS Code and Neovim, and shows how a race is
found by stepping. What it runs is in the editor's launch configuration: a program, or the tests of a
package.

	{
		"type": "cudagen", "request": "launch", "name": "one test",
		"mode": "test", "program": "./kernels", "test": "TestSum"
	}

Flags:

`

// runDebug runs the subcommand debug.
func runDebug(ctx context.Context, args []string, _ func(string) string, stdout, stderr io.Writer) int {
	flags, listen, extension := debugFlags()
	rest, err := parseMixed(flags, args, debugUsage, stdout)
	if err == nil && len(rest) > 0 {
		err = diag.Flags.Errorf("the debugger takes no program: %w", diag.Do("name it in the editor's launch configuration"))
	}
	if err != nil {
		return notRun("cudagen debug", err, stderr)
	}
	if *extension != "" {
		if err := writeExtension(*extension); err != nil {
			fmt.Fprintln(stderr, "cudagen debug:", err)
			return exitInput
		}
		return exitOK
	}
	in, out := io.Reader(os.Stdin), stdout
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && *listen == "" {
		fmt.Fprintln(stderr, "cudagen debug: waiting for the requests of an editor on standard input: docs/debugging.md has the settings of some")
	}
	if *listen != "" {
		conn, err := accept(ctx, *listen, stderr)
		if err != nil {
			fmt.Fprintln(stderr, "cudagen debug:", err)
			return exitInput
		}
		defer conn.Close()
		in, out = conn, conn
	}
	if err := debugger.Serve(ctx, in, out); err != nil {
		fmt.Fprintln(stderr, "cudagen debug:", spoken(err))
		return exitInput
	}
	return exitOK
}

// debugFlags returns the flags of debug.
func debugFlags() (flags *flag.FlagSet, listen, extension *string) {
	flags = flag.NewFlagSet("cudagen debug", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	listen = flags.String("listen", "", "wait for one client at an `address`, such as 127.0.0.1:4711")
	extension = flags.String("vscode", "", "write the extension for Visual Studio Code to `file`, for code --install-extension")
	return flags, listen, extension
}

// loopback returns why the debugger does not listen at an address, or nil. Listen says what is wrong with one that is none.
func loopback(address string) error {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil || at.IP.IsLoopback() {
		return nil
	}
	return diag.FlagValue.Errorf("-listen %s: other machines could connect, and the protocol runs programs: %w", address, diag.Do("listen at 127.0.0.1:%d, and reach it through ssh -L", at.Port))
}

// accept waits for one client.
func accept(ctx context.Context, address string, stderr io.Writer) (net.Conn, error) {
	if err := loopback(address); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	fmt.Fprintf(stderr, "cudagen debug: waiting for a client at %s\n", listener.Addr())
	return listener.Accept()
}
