package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugger"
)

// The extension for VS Code has the parts that the editor reads, and its launch configurations the keys that the debugger knows. The documents name all.
func TestExtension(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cudagen.vsix")
	require.NoError(t, writeExtension(path))
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer archive.Close()
	parts := make(map[string]string)
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		parts[f.Name] = string(content)
	}
	require.Len(t, parts, 4)
	assert.Contains(t, parts["[Content_Types].xml"], ".vsixmanifest")
	var manifest struct {
		Name, Version, Publisher, Main string
		Contributes                    struct {
			Debuggers []struct {
				Type                    string
				ConfigurationAttributes struct {
					Launch struct{ Properties map[string]any }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(parts["extension/package.json"]), &manifest))
	assert.Contains(t, parts, filepath.ToSlash(filepath.Join("extension", manifest.Main)))
	for _, value := range []string{manifest.Name, manifest.Version, manifest.Publisher} {
		assert.Contains(t, parts["extension.vsixmanifest"], `"`+value+`"`)
	}
	require.Len(t, manifest.Contributes.Debuggers, 1)
	is := manifest.Contributes.Debuggers[0]
	assert.Equal(t, "cudagen", is.Type)
	assert.Contains(t, parts["extension/extension.js"], `registerDebugAdapterDescriptorFactory("cudagen"`)
	page, err := os.ReadFile("../../docs/debugging.md")
	require.NoError(t, err)
	keys := []string{"adapter"} // the extension's own
	for i := range reflect.TypeFor[debugger.Configuration]().NumField() {
		keys = append(keys, reflect.TypeFor[debugger.Configuration]().Field(i).Tag.Get("json"))
	}
	var has []string
	for key := range is.ConfigurationAttributes.Launch.Properties {
		has = append(has, key)
		assert.True(t, strings.Contains(string(page), "`"+key+"`") || strings.Contains(string(page), "`\""+key+"\"`"), key)
	}
	assert.ElementsMatch(t, keys, has)
}
