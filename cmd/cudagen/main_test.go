package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cudagen": main})
}

// TestScripts runs testdata/script, each script in a folder of its own, with an
// environment that names no compiler; $EXAMPLE is the example's folder.
func TestScripts(t *testing.T) {
	example, err := filepath.Abs(filepath.Join("..", "..", "example"))
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLE", example)
			return nil
		},
	})
}

func TestFlagsAndTheirTwins(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  string
		env   map[string]string
		archs []string
		pkg   string
		force bool
	}{
		{"defaults", "k.cu", nil, []string{"compute_75"}, "", false},
		{"flags", "-arch compute_80,compute_90 -pkg p -force k.cu", nil, []string{"compute_80", "compute_90"}, "p", true},
		{"environment", "k.cu", map[string]string{"CUDAGEN_ARCH": "compute_86", "CUDAGEN_PKG": "q", "CUDAGEN_FORCE": "1"}, []string{"compute_86"}, "q", true},
		{"flags win", "-arch compute_80 -force=false k.cu", map[string]string{"CUDAGEN_ARCH": "compute_86", "CUDAGEN_FORCE": "1"}, []string{"compute_80"}, "", false},
		{"go generate", "k.cu", map[string]string{"GOPACKAGE": "g"}, []string{"compute_75"}, "g", false},
		{"go generate, another folder", "sub/k.cu", map[string]string{"GOPACKAGE": "g"}, []string{"compute_75"}, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			o, err := parseFlags(strings.Fields(test.args), func(name string) string { return test.env[name] }, &out, &errs)
			require.NoError(t, err)
			require.NoError(t, o.setPlan(func(name string) string { return test.env[name] }, false))
			assert.Equal(t, test.archs, o.Archs)
			assert.Equal(t, test.pkg, cmp.Or(o.plan[0].Package, o.plan[0].DefaultPackage))
			assert.Equal(t, test.force, o.Force)
		})
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		args string
		want int
	}{
		{"version", exitOK},
		{"-h", exitOK},
		{"missing.cu", exitInput},
		{"", exitUsage},
		{"a.cu b.cu", exitInput},
		{"-frobnicate a.cu", exitUsage},
		{"-arch , a.cu", exitUsage},
	} {
		t.Run(test.args, func(t *testing.T) {
			var out, errs bytes.Buffer
			assert.Equal(t, test.want, run(context.Background(), strings.Fields(test.args), nil, &out, &errs), "%s", &errs)
			assert.Equal(t, test.want == exitOK, errs.Len() == 0, "stderr: %s", &errs)
		})
	}
}
