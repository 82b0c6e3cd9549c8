package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDriver(t *testing.T) {
	for _, tt := range []struct {
		name    string
		machine Machine
		visible string // CUDA_VISIBLE_DEVICES
		want    []Problem
	}{
		{"well", Machine{Driver: Driver{Installed: true, CUDA: "13.0"}, Devices: []Device{{}}}, "", nil},
		{"none", Machine{Driver: Driver{Error: "no CUDA driver"}}, "", []Problem{{Note, "driver", "no CUDA driver", ""}}},
		{"broken", Machine{Driver: Driver{Installed: true, Error: "too old"}}, "", []Problem{{Error, "driver", "too old", ""}}},
		{"no GPU", Machine{Driver: Driver{Installed: true, CUDA: "13.0"}}, "", []Problem{{Note, "devices", "the driver shows no GPU", ""}}},
		{"hidden GPUs", Machine{Driver: Driver{Installed: true, CUDA: "13.0"}}, "-1", []Problem{{Note, "devices", "the driver shows no GPU", "unset CUDA_VISIBLE_DEVICES"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := func(name string) string { return map[string]string{"CUDA_VISIBLE_DEVICES": tt.visible}[name] }
			e := examination{env: env, report: &Report{Driver: tt.machine.Driver, Devices: tt.machine.Devices}}
			e.driver()
			assert.Equal(t, tt.want, e.report.Problems)
		})
	}
}

func TestCompilerNewerThanDriver(t *testing.T) {
	for _, tt := range []struct {
		compiler, version, driver string
		want                      bool
	}{
		{"nvcc", "13.2.86", "13.0", true},
		{"nvrtc", "13.0.88", "12.9", true},
		{"nvcc", "13.0.88", "13.0", false},
		{"nvcc", "12.9.1", "13.0", false},
		{"nvcc", "13.0.88", "", false},
		{"nvcc", "", "13.0", false},
		{"clang", "19.1.7", "13.0", false},
	} {
		t.Run(tt.compiler+" "+tt.version+", driver "+tt.driver, func(t *testing.T) {
			e := examination{report: &Report{Driver: Driver{CUDA: tt.driver}}}
			e.compareToDriver(Compiler{Name: tt.compiler, Version: tt.version})
			assert.Len(t, e.report.Problems, map[bool]int{true: 1}[tt.want])
		})
	}
}
