package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

const steps = 20

// alone trains in one process.
func alone(t *testing.T, gpus int) string {
	t.Helper()
	t.Setenv("CUDAGEN_SIM_DEVICES", fmt.Sprint(gpus))
	return trained(t, func(string) string { return "" }, gpus)
}

// trained returns the checksum that a process prints.
func trained(t *testing.T, getenv func(string) string, gpus int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // for a machine that others use
	defer cancel()
	var out bytes.Buffer
	assert.NoError(t, run(ctx, getenv, gpus, steps, &out)) // not always on the test's goroutine
	_, sum, _ := strings.Cut(out.String(), "weights ")
	return strings.TrimSpace(sum)
}

// TestSameForAnyNumber: as many GPUs as there may be have the same weights in the end.
func TestSameForAnyNumber(t *testing.T) {
	testenv.Need(t, testenv.Long)
	want := alone(t, 1)
	require.Len(t, want, 16)
	for _, gpus := range []int{2, 3, 5} {
		assert.Equal(t, want, alone(t, gpus), gpus)
	}
}

// TestLaunched: so have ranks that a launcher started.
func TestLaunched(t *testing.T) {
	want := alone(t, 1)
	address := testenv.FreeAddress(t)
	sums := make([]string, 2)
	var wg sync.WaitGroup
	for rank := range sums {
		wg.Go(func() {
			sums[rank] = trained(t, func(name string) string {
				return map[string]string{"RANK": fmt.Sprint(rank), "WORLD_SIZE": "2", "LOCAL_RANK": fmt.Sprint(rank), "CUDAGEN_NCCL_ADDRESS": address}[name]
			}, 0)
		})
	}
	wg.Wait()
	assert.Equal(t, []string{want, ""}, sums)
}

// TestTrains: the error becomes less.
func TestTrains(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Setenv("CUDAGEN_SIM_DEVICES", "2")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), func(string) string { return "" }, 2, 200, &out))
	var first, second float64
	_, err := fmt.Sscanf(out.String(), "step 100: error %f, %f%% right\n", &first, new(float64))
	require.NoError(t, err, out.String())
	_, rest, _ := strings.Cut(out.String(), "\n")
	_, err = fmt.Sscanf(rest, "step 200: error %f, %f%% right\n", &second, new(float64))
	require.NoError(t, err, out.String())
	assert.Less(t, second, first)
}
