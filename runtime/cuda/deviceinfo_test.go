package cuda_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// printDevices says what Devices and DriverVersion return, after change.
func printDevices(change func(*fakecuda.Library)) int {
	if path := os.Getenv("CUDAGEN_LIBCUDA"); path != "" && change != nil {
		library, err := fakecuda.LoadFile(path)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		change(library)
	}
	infos, err := cuda.Devices()
	fmt.Println("devices:", len(infos), err)
	for _, d := range infos {
		fmt.Printf("%d %q %s %d.%d %d\n", d.Ordinal, d.Name, d.UUID, d.Major, d.Minor, d.TotalMemory)
	}
	major, minor, err := cuda.DriverVersion()
	fmt.Printf("version: %d.%d %v\n", major, minor, err)
	return 0
}

func TestDeviceInfo(t *testing.T) {
	good := fakecuda.Build(t, fakecuda.Options{})
	for _, tt := range []struct {
		name, scenario, libcuda string
		want                    []string
	}{
		{"two GPUs", "two devices", good, []string{"devices: 2 <nil>\n", "0 \"Fake GPU 0\" GPU-", "\n1 \"Fake GPU 1\" GPU-", "version: 13.0 <nil>\n"}},
		{"a driver without a GPU", "no devices", good, []string{"devices: 0 <nil>\n", "version: 13.0 <nil>\n"}},
		{"a GPU that does not answer", "silent device", good, []string{"devices: 0 cuda: get device 0: CUDA_ERROR_NOT_SUPPORTED"}},
		{"an old driver", "list", fakecuda.Build(t, fakecuda.Options{Version: 11080}),
			[]string{"devices: 0 cuda: open the CUDA driver: ", "11.8", "version: 0.0 cuda: open the CUDA driver: ", "R525 or newer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := inProcess(t, tt.scenario, "CUDAGEN_LIBCUDA="+tt.libcuda)
			for _, want := range tt.want {
				assert.Contains(t, out, want)
			}
		})
	}
}

// What Devices says of a GPU is what an open Device says.
func TestDeviceInfoIsTheDevices(t *testing.T) {
	dev, _ := openFake(t)
	infos, err := cuda.Devices()
	require.NoError(t, err)
	require.Len(t, infos, 1)
	major, minor, err := dev.ComputeCapability()
	require.NoError(t, err)
	memory, err := dev.TotalMemory()
	require.NoError(t, err)
	uuid, err := dev.UUID()
	require.NoError(t, err)
	assert.Equal(t, cuda.DeviceInfo{Ordinal: dev.Ordinal(), Name: dev.Name(), UUID: uuid, Major: major, Minor: minor, TotalMemory: memory}, infos[0])
}

func TestUUID(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		uuid, err := dev.UUID()
		require.NoError(t, err)
		assert.Regexp(t, `^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, uuid)
	})
}
