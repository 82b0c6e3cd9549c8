package main

import (
	"archive/zip"
	"bytes"
	"embed"
	"os"
)

// What the extension for Visual Studio Code consists of. Code that is not in an extension cannot be a debugger there.
//
//go:embed vscode
var vscodeFiles embed.FS

// vscodeParts are the files of the extension's package, and what they are called in it.
var vscodeParts = []struct{ file, name string }{
	{"content_types.xml", "[Content_Types].xml"},
	{"extension.vsixmanifest", "extension.vsixmanifest"},
	{"package.json", "extension/package.json"},
	{"extension.js", "extension/extension.js"},
}

// writeExtension writes the extension for Visual Studio Code to path.
func writeExtension(path string) error {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, part := range vscodeParts {
		content, err := vscodeFiles.ReadFile("vscode/" + part.file)
		if err != nil {
			return err
		}
		to, err := w.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := to.Write(content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, archive.Bytes(), 0o644)
}
