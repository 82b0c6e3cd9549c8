package nvrtc

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestMisuse: methods of a Compiler that New has not made, with arguments that are nil or zero,
// fail and do not panic.
func TestMisuse(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	for name, c := range map[string]*Compiler{"nil": nil, "zero": new(Compiler)} {
		for method, m := range reflect.ValueOf(c).Methods() {
			t.Run(name+" "+method.Name, func(t *testing.T) {
				args := make([]reflect.Value, m.Type().NumIn())
				for i := range args {
					args[i] = reflect.Zero(m.Type().In(i))
				}
				var results []reflect.Value
				require.NotPanics(t, func() {
					if m.Type().IsVariadic() {
						results = m.CallSlice(args)
					} else {
						results = m.Call(args)
					}
				})
				if last := len(results) - 1; m.Type().Out(last) == reflect.TypeFor[error]() {
					err, _ := results[last].Interface().(error)
					assert.ErrorIs(t, err, cuda.ErrInvalidValue)
				}
			})
		}
	}
	source := &Source{Main: "a.cu", Files: fstest.MapFS{}, Kernels: []string{"k"}}
	variables := &Source{Main: "a.cu", Files: fstest.MapFS{}, Variables: []SourceVariable{{}}}
	for want, load := range map[string]func() (*cuda.Library, error){
		"the source is nil":                     func() (*cuda.Library, error) { return LoadKernels(dev, nil, nil) },
		"or has no files":                       func() (*cuda.Library, error) { return LoadKernels(dev, new(Source), nil) },
		"of 0 kernels, 1 kernels in the source": func() (*cuda.Library, error) { return LoadKernels(dev, source, nil) },
		"of 2 kernels, 1 kernels in the source": func() (*cuda.Library, error) { return LoadKernels(dev, source, make([]cuda.Spec, 2)) },
		"of 0 variables, 1 variables":           func() (*cuda.Library, error) { return LoadKernels(dev, variables, nil) },
		"the compiler is nil or a zero value: make one": func() (*cuda.Library, error) {
			return new(Compiler).LoadKernels(dev, &Source{Files: fstest.MapFS{}}, nil)
		},
		"of 1 variables, 0 variables in the source": func() (*cuda.Library, error) {
			return LoadKernels(dev, &Source{Files: fstest.MapFS{}}, nil, cuda.Spec{})
		},
	} {
		_, err := load()
		assert.ErrorContains(t, err, want)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	}
	_, err = ArchFor(nil)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
}

// TestMetrics: every count is a metric.
func TestMetrics(t *testing.T) {
	var s Stats
	counts := reflect.ValueOf(&s).Elem()
	for i := range counts.NumField() {
		counts.Field(i).SetInt(int64(100 + i))
	}
	metrics := s.Metrics()
	require.Len(t, metrics, counts.NumField())
	for i, m := range metrics {
		assert.Equal(t, "compile"+strings.ToLower(counts.Type().Field(i).Name), strings.ReplaceAll(m.Name, "_", ""))
		assert.Equal(t, uint64(100+i), m.Value)
		assert.NotEmpty(t, m.Help)
		assert.True(t, m.Counter)
	}
}
