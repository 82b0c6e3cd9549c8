package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInvocation(t *testing.T) {
	const cached = "/u/.cache/go-build/00/00b661fb58e3f0868ad384805d235456255e24657b62108c2395e6106fa172c6-d/cudagen"
	for _, tt := range []struct{ name, program, mod, version, want string }{
		{"installed", "/u/go/bin/cudagen", "module m\n\ntool " + commandPath + "\n", "", "cudagen"},
		{"tool", cached, "module m\n\ntool " + commandPath + "\n", "", "go tool cudagen"},
		{"tool in a block", cached, "module m\n\ntool (\n\texample.com/x\n\t" + commandPath + " // ours\n)\n", "", "go tool cudagen"},
		{"temporary", "/tmp/go-build123/b001/exe/cudagen", "module m\n\ntool " + commandPath + "\n", "", "go tool cudagen"},
		{"Windows", `C:\cache\go-build\00\00b661fb58e3f0868ad384805d235456255e24657b62108c2395e6106fa172c6-d\cudagen.exe`, "tool " + commandPath, "", "go tool cudagen"},
		{"another cache", strings.Replace(cached, "/u/.cache/go-build", "/cache", 1), "tool " + commandPath, "", "go tool cudagen"},
		{"a short path", "cudagen", "tool " + commandPath, "", "cudagen"},
		{"required, no tool", cached, "module m\n\nrequire (\n\t" + modulePath + " v0.1.0\n)\n", "v0.1.0", "go run " + commandPath},
		{"the module itself", cached, "module " + modulePath + "\n", "", "go run " + commandPath},
		{"another module", cached, "module m\n\nrequire example.com/x v1.0.0\n", "v0.2.0", "go run " + commandPath + "@v0.2.0"},
		{"no module", cached, "", "", "go run " + commandPath + "@latest"},
		{"commented out", cached, "module m\n\n// tool " + commandPath + "\n", "", "go run " + commandPath + "@latest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			if tt.mod != "" {
				require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(tt.mod), 0o644))
				folder = filepath.Join(folder, "sub") // which need not be there
			}
			assert.Equal(t, tt.want, invocation{tt.program, folder, tt.version}.command())
		})
	}
}

// In a workspace the go command finds the tools and packages of all of its modules.
func TestInvocationInAWorkspace(t *testing.T) {
	const program = "/tmp/go-build123/b001/exe/cudagen"
	for _, tt := range []struct{ name, work, other, env, want string }{
		{"the tool of another module", "go 1.26\n\nuse ./own\nuse ./other\n", "module other\n\ntool " + commandPath + "\n", "", "go tool cudagen"},
		{"in a block", "use (\n\t./own\n\t./other // theirs\n)\n", "module other\n\ntool " + commandPath + "\n", "", "go tool cudagen"},
		{"a clone", "use ./own\nuse ./other\n", "module " + modulePath + "\n", "", "go run " + commandPath},
		{"not used", "use ./own\n", "module " + modulePath + "\n", "", "go run " + commandPath + "@latest"},
		{"switched off", "use ./own\nuse ./other\n", "module " + modulePath + "\n", "off", "go run " + commandPath + "@latest"},
		{"none", "", "module " + modulePath + "\n", "", "go run " + commandPath + "@latest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, content := range map[string]string{"own/go.mod": "module own\n", "other/go.mod": tt.other, "go.work": tt.work} {
				path := filepath.Join(root, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				if content != "" {
					require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
				}
			}
			t.Setenv("GOWORK", tt.env)
			assert.Equal(t, tt.want, invocation{program: program, folder: filepath.Join(root, "own")}.command())
			if tt.env == "" && tt.work != "" {
				t.Setenv("GOWORK", filepath.Join(root, "go.work"))
				assert.Equal(t, tt.want, invocation{program: program, folder: filepath.Join(root, "own")}.command(), "named by GOWORK")
			}
		})
	}
}

func TestVersionOf(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"go install", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.1.0"}}, "v0.1.0"},
		{"a clone", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}, Settings: commit}, "(devel), commit 0123456789ab, with changes"},
		{"a folder", debug.BuildInfo{Main: debug.Module{Version: "v0.0.0", Replace: &debug.Module{Path: "../cudagen", Version: "(devel)"}}, Settings: commit}, "v0.0.0, replaced by ../cudagen"},
		{"a fork", debug.BuildInfo{Main: debug.Module{Version: "v0.1.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.2.0"}}}, "v0.1.0, replaced by example.com/fork v0.2.0"},
		{"nothing", debug.BuildInfo{}, "(devel)"},
	} {
		assert.Equal(t, tt.want, versionOf(&tt.info), tt.name)
	}
}
