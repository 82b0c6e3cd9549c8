package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// checkFormulas compares formulas with Go.
func checkFormulas(t *testing.T, dev *cuda.Device) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	for formula, want := range map[string]func(float64) float64{
		"x*x - 1":          func(x float64) float64 { return x*x - 1 },
		"exp(-x) + sin(x)": func(x float64) float64 { return math.Exp(-x) + math.Sin(x) },
		"x < 0 ? 1 : 2": func(x float64) float64 {
			if x < 0 {
				return 1
			}
			return 2
		},
	} {
		y, err := evaluate(t.Context(), dev, formula, -2, 2, 101)
		require.NoError(t, err, formula)
		require.Len(t, y, 101)
		for i, got := range y {
			assert.InDelta(t, want(-2+float64(i)*4/100), got, 1e-12, "%s at %d", formula, i)
		}
	}
}

func TestEvaluate(t *testing.T) { checkFormulas(t, simtest.New(t)) }

func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	checkFormulas(t, dev)
}

// The message has the place in the formula.
func TestWrongFormula(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	_, err := evaluate(t.Context(), simtest.New(t), "x * frequency", 0, 1, 2)
	assert.ErrorContains(t, err, "formula:1")
	assert.ErrorContains(t, err, "frequency")
}

// asProgram makes the test binary the program.
const asProgram = "FORMULA_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Without NVRTC the program says what is missing, and how to install it.
func TestWithoutNVRTC(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "x")
	cmd.Env = append(os.Environ(), asProgram+"=1", "CUDAGEN_DEVICE=sim", "NVRTC_LIB="+filepath.Join(t.TempDir(), "none.so"))
	out, err := cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "formula: ")
	assert.Contains(t, string(out), "NVRTC_LIB")
	assert.Contains(t, string(out), "This program compiles at run time.")
}

func TestPlot(t *testing.T) {
	var out strings.Builder
	plot(&out, []float64{0, 1, math.NaN(), 2, math.Inf(1)}, 3)
	assert.Equal(t, "         2 |   *\n           | *\n         0 |*\n", out.String())
	out.Reset()
	plot(&out, []float64{math.NaN()}, 3)
	assert.Equal(t, "no value is a finite number\n", out.String())
	out.Reset()
	plot(&out, []float64{5, 5}, 2)
	assert.Equal(t, "         5 |**\n         5 |\n", out.String())
}
