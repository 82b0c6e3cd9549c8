package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// instancesOf returns the instances that directives ask for, and the C++ that makes them.
func instancesOf(t *testing.T, source string) (instances []*cu.Kernel, suffix string) {
	t.Helper()
	config := cu.Config{SizeOf: layout.Of, Std: "c++20"}
	file, err := config.ParseFile("in.cu", []byte(source))
	require.NoError(t, err)
	for _, k := range file.Kernels {
		if k.Instance == nil {
			continue
		}
		require.Empty(t, k.Errors, k.QualifiedName())
		instances = append(instances, k)
		suffix += fmt.Sprintf("template __global__ decltype(%[1]s) %[1]s;\n", k.SourceName())
	}
	require.NotEmpty(t, instances)
	return instances, suffix
}

// disagreements returns what an image says otherwise of instances.
func disagreements(t *testing.T, instances []*cu.Kernel, img *image.Image) []string {
	t.Helper()
	var list []string
	for _, k := range instances {
		types, named := make([]ctype.Type, len(k.Params)), make([]string, len(k.Params))
		for i, p := range k.Params {
			types[i] = p.Type
			if !p.Dependent {
				named[i] = p.Type.Demangled()
			}
		}
		places, end, _, err := layout.Params(types)
		require.NoError(t, err, k.QualifiedName())
		compiled, err := img.Find(k.QualifiedName(), named)
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		params := make([]image.Param, len(places))
		for i, at := range places {
			params[i] = image.Param{Name: k.Params[i].Name, Offset: at.Offset, Size: at.Size, Align: at.Align}
		}
		switch err := compare.Block(k.QualifiedName(), params, compiled); {
		case err != nil:
			list = append(list, err.Error())
		case !compiled.Takes(named):
			list = append(list, fmt.Sprintf("%s has %q, and in the image %q", k.QualifiedName(), named, compiled.ParamTypes))
		case end != compiled.Bytes:
			list = append(list, fmt.Sprintf("%s has %d bytes, and in the image %d", k.QualifiedName(), end, compiled.Bytes))
		}
	}
	return list
}

// Instances of templates are what compilers make of them, symbols included.
func TestInstances(t *testing.T) {
	for _, test := range []struct {
		file   string
		judges []func(testing.TB) judge
	}{
		{"classes.cu", []func(testing.TB) judge{nvccJudge}}, // it includes headers of the host
		{"entities.cu", []func(testing.TB) judge{nvccJudge, nvrtcJudge, clangJudge}},
		{"values.cu", []func(testing.TB) judge{nvccJudge, nvrtcJudge, clangJudge}},
	} {
		source, err := os.ReadFile(filepath.Join("testdata", "instances", test.file))
		require.NoError(t, err)
		for _, newJudge := range test.judges {
			t.Run(test.file, func(t *testing.T) {
				j := newJudge(t)
				instances, suffix := instancesOf(t, string(source))
				ptx, log := j.ptx(j.head + string(source) + suffix)
				require.NotEmpty(t, ptx, log)
				img, err := image.ReadPTX("in.ptx", []byte(ptx))
				require.NoError(t, err)
				assert.Empty(t, disagreements(t, instances, img), j.name)
			})
		}
	}
}

// control matches the sizes in classes.cu that controls change.
var control = regexp.MustCompile(`char c\[(\d+)\]`)

// TestInstances fails when the source that is read is not the one that is compiled: one
// specialisation, base or argument at a time.
func TestInstancesControls(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "instances", "classes.cu"))
	require.NoError(t, err)
	source := string(text)
	_, suffix := instancesOf(t, source)
	j := nvccJudge(t)
	ptx, log := j.ptx(source + suffix)
	require.NotEmpty(t, ptx, log)
	img, err := image.ReadPTX("in.ptx", []byte(ptx))
	require.NoError(t, err)
	changed := []string{
		strings.Replace(source, "Tup<H, T...> : Tup<T...>", "Tup<H, T...>", 1),
		strings.Replace(source, "template<class T, int N> struct A10<T *, N>", "template<class T, unsigned N> struct A10<T *, N>", 1),
		strings.Replace(source, "template<class Q> struct D : Q { T t;", "template<class Q> struct D : Q { typename Q::T t;", 1),
		strings.Replace(source, "template<> struct S5<char>::Q", "template<> struct S5<short>::Q", 1),
	}
	for _, at := range control.FindAllStringSubmatchIndex(source, -1) {
		changed = append(changed, source[:at[2]]+"50"+source[at[3]:])
	}
	require.Greater(t, len(changed), 10)
	for _, other := range changed {
		require.NotEqual(t, source, other)
		instances, _ := instancesOf(t, other)
		assert.NotEmpty(t, disagreements(t, instances, img))
	}
}
