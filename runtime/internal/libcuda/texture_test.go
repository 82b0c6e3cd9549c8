//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestTextureLayoutsAreTheHeaders compares the descriptors of arrays, textures and surfaces, and
// the numbers of formats, modes, flags and limits, with the toolkit's cuda.h.
func TestTextureLayoutsAreTheHeaders(t *testing.T) {
	nvcc, err := filepath.EvalSymlinks(testenv.NVCCPath(t))
	require.NoError(t, err)
	include := filepath.Join(filepath.Dir(nvcc), "..", "include")
	cc := testenv.CCPath(t)
	var (
		a    array3DDescriptor
		r    resourceDesc
		x    textureDesc
		v    resourceViewDesc
		side memcpy3D
	)
	rows := []struct {
		c    string
		inGo uint64
	}{
		{"sizeof(CUDA_ARRAY3D_DESCRIPTOR)", uint64(unsafe.Sizeof(a))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, Width)", uint64(unsafe.Offsetof(a.width))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, Height)", uint64(unsafe.Offsetof(a.height))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, Depth)", uint64(unsafe.Offsetof(a.depth))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, Format)", uint64(unsafe.Offsetof(a.format))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, NumChannels)", uint64(unsafe.Offsetof(a.channels))},
		{"offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags)", uint64(unsafe.Offsetof(a.flags))},

		{"sizeof(CUDA_RESOURCE_DESC)", uint64(unsafe.Sizeof(r))},
		{"offsetof(CUDA_RESOURCE_DESC, resType)", uint64(unsafe.Offsetof(r.kind))},
		{"offsetof(CUDA_RESOURCE_DESC, res.array.hArray)", uint64(unsafe.Offsetof(r.handle))},
		{"offsetof(CUDA_RESOURCE_DESC, res.mipmap.hMipmappedArray)", uint64(unsafe.Offsetof(r.handle))},
		{"offsetof(CUDA_RESOURCE_DESC, res.linear.devPtr)", uint64(unsafe.Offsetof(r.handle))},
		{"offsetof(CUDA_RESOURCE_DESC, res.linear.format)", uint64(unsafe.Offsetof(r.format))},
		{"offsetof(CUDA_RESOURCE_DESC, res.linear.numChannels)", uint64(unsafe.Offsetof(r.channels))},
		{"offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes)", uint64(unsafe.Offsetof(r.bytes))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.devPtr)", uint64(unsafe.Offsetof(r.handle))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.format)", uint64(unsafe.Offsetof(r.format))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.numChannels)", uint64(unsafe.Offsetof(r.channels))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.width)", uint64(unsafe.Offsetof(r.bytes))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.height)", uint64(unsafe.Offsetof(r.height))},
		{"offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)", uint64(unsafe.Offsetof(r.pitch))},
		{"offsetof(CUDA_RESOURCE_DESC, flags)", uint64(unsafe.Offsetof(r.flags))},

		{"sizeof(CUDA_TEXTURE_DESC)", uint64(unsafe.Sizeof(x))},
		{"offsetof(CUDA_TEXTURE_DESC, addressMode)", uint64(unsafe.Offsetof(x.address))},
		{"offsetof(CUDA_TEXTURE_DESC, filterMode)", uint64(unsafe.Offsetof(x.filter))},
		{"offsetof(CUDA_TEXTURE_DESC, flags)", uint64(unsafe.Offsetof(x.flags))},
		{"offsetof(CUDA_TEXTURE_DESC, maxAnisotropy)", uint64(unsafe.Offsetof(x.maxAnisotropy))},
		{"offsetof(CUDA_TEXTURE_DESC, mipmapFilterMode)", uint64(unsafe.Offsetof(x.mipmapFilter))},
		{"offsetof(CUDA_TEXTURE_DESC, mipmapLevelBias)", uint64(unsafe.Offsetof(x.bias))},
		{"offsetof(CUDA_TEXTURE_DESC, minMipmapLevelClamp)", uint64(unsafe.Offsetof(x.minClamp))},
		{"offsetof(CUDA_TEXTURE_DESC, maxMipmapLevelClamp)", uint64(unsafe.Offsetof(x.maxClamp))},
		{"offsetof(CUDA_TEXTURE_DESC, borderColor)", uint64(unsafe.Offsetof(x.border))},

		{"sizeof(CUDA_RESOURCE_VIEW_DESC)", uint64(unsafe.Sizeof(v))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, format)", uint64(unsafe.Offsetof(v.format))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, width)", uint64(unsafe.Offsetof(v.width))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, height)", uint64(unsafe.Offsetof(v.height))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, depth)", uint64(unsafe.Offsetof(v.depth))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, firstMipmapLevel)", uint64(unsafe.Offsetof(v.firstLevel))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, lastMipmapLevel)", uint64(unsafe.Offsetof(v.lastLevel))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, firstLayer)", uint64(unsafe.Offsetof(v.firstLayer))},
		{"offsetof(CUDA_RESOURCE_VIEW_DESC, lastLayer)", uint64(unsafe.Offsetof(v.lastLayer))},

		{"sizeof(CUDA_MEMCPY3D)", uint64(unsafe.Sizeof(side))},
		{"offsetof(CUDA_MEMCPY3D, srcArray)", uint64(unsafe.Offsetof(side.src.array))},
		{"offsetof(CUDA_MEMCPY3D, dstXInBytes)", uint64(unsafe.Offsetof(side.dst))},
		{"offsetof(CUDA_MEMCPY3D, dstArray)", uint64(unsafe.Offsetof(side.dst) + unsafe.Offsetof(side.dst.array))},
		{"CU_MEMORYTYPE_ARRAY", memoryTypeArray},

		{"CU_AD_FORMAT_UNSIGNED_INT8", uint64(driver.FormatUint8)}, {"CU_AD_FORMAT_UNSIGNED_INT16", uint64(driver.FormatUint16)},
		{"CU_AD_FORMAT_UNSIGNED_INT32", uint64(driver.FormatUint32)}, {"CU_AD_FORMAT_SIGNED_INT8", uint64(driver.FormatInt8)},
		{"CU_AD_FORMAT_SIGNED_INT16", uint64(driver.FormatInt16)}, {"CU_AD_FORMAT_SIGNED_INT32", uint64(driver.FormatInt32)},
		{"CU_AD_FORMAT_HALF", uint64(driver.FormatFloat16)}, {"CU_AD_FORMAT_FLOAT", uint64(driver.FormatFloat32)},
		{"CUDA_ARRAY3D_LAYERED", driver.ArrayLayered}, {"CUDA_ARRAY3D_SURFACE_LDST", driver.ArraySurface},
		{"CUDA_ARRAY3D_CUBEMAP", driver.ArrayCube}, {"CUDA_ARRAY3D_TEXTURE_GATHER", driver.ArrayGather},
		{"CU_RESOURCE_TYPE_ARRAY", uint64(driver.ArrayResource)}, {"CU_RESOURCE_TYPE_MIPMAPPED_ARRAY", uint64(driver.MipmappedResource)},
		{"CU_RESOURCE_TYPE_LINEAR", uint64(driver.LinearResource)}, {"CU_RESOURCE_TYPE_PITCH2D", uint64(driver.PitchedResource)},
		{"CU_TR_ADDRESS_MODE_WRAP", driver.AddressWrap}, {"CU_TR_ADDRESS_MODE_CLAMP", driver.AddressClamp},
		{"CU_TR_ADDRESS_MODE_MIRROR", driver.AddressMirror}, {"CU_TR_ADDRESS_MODE_BORDER", driver.AddressBorder},
		{"CU_TR_FILTER_MODE_POINT", driver.FilterPoint}, {"CU_TR_FILTER_MODE_LINEAR", driver.FilterLinear},
		{"CU_TRSF_READ_AS_INTEGER", driver.TextureReadAsInteger}, {"CU_TRSF_NORMALIZED_COORDINATES", driver.TextureNormalized},
		{"CU_TRSF_SRGB", driver.TextureSRGB}, {"CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION", driver.TextureNoTrilinear},
		{"CU_TRSF_SEAMLESS_CUBEMAP", driver.TextureSeamlessCube},
	}
	for name, attribute := range textureLimits {
		rows = append(rows, struct {
			c    string
			inGo uint64
		}{"CU_DEVICE_ATTRIBUTE_" + name, uint64(attribute)})
	}
	var program strings.Builder
	program.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <cuda.h>\nint main(void) {\n")
	for _, row := range rows {
		fmt.Fprintf(&program, "printf(\"%%llu\\n\", (unsigned long long)(%s));\n", row.c)
	}
	program.WriteString("}\n")
	source := filepath.Join(t.TempDir(), "layout.c")
	require.NoError(t, os.WriteFile(source, []byte(program.String()), 0o600))
	binary := strings.TrimSuffix(source, ".c")
	out, err := exec.Command(cc, "-I", include, "-o", binary, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(binary).Output()
	require.NoError(t, err)
	numbers := strings.Fields(string(out))
	require.Len(t, numbers, len(rows))
	for n, row := range rows {
		assert.Equal(t, fmt.Sprint(row.inGo), numbers[n], row.c)
	}
}

var textureLimits = map[string]driver.DeviceAttribute{
	"TEXTURE_ALIGNMENT": driver.TextureAlignment, "TEXTURE_PITCH_ALIGNMENT": driver.TexturePitchAlignment,
	"MAXIMUM_TEXTURE1D_WIDTH": driver.MaxTexture1DWidth, "MAXIMUM_TEXTURE2D_WIDTH": driver.MaxTexture2DWidth, "MAXIMUM_TEXTURE2D_HEIGHT": driver.MaxTexture2DHeight,
	"MAXIMUM_TEXTURE3D_WIDTH": driver.MaxTexture3DWidth, "MAXIMUM_TEXTURE3D_HEIGHT": driver.MaxTexture3DHeight, "MAXIMUM_TEXTURE3D_DEPTH": driver.MaxTexture3DDepth,
	"MAXIMUM_TEXTURE2D_LAYERED_WIDTH": driver.MaxTexture2DLayeredWidth, "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT": driver.MaxTexture2DLayeredHeight,
	"MAXIMUM_TEXTURE2D_LAYERED_LAYERS": driver.MaxTexture2DLayers, "MAXIMUM_TEXTURE1D_LAYERED_WIDTH": driver.MaxTexture1DLayeredWidth,
	"MAXIMUM_TEXTURE1D_LAYERED_LAYERS": driver.MaxTexture1DLayers, "MAXIMUM_TEXTURE2D_GATHER_WIDTH": driver.MaxTexture2DGatherWidth,
	"MAXIMUM_TEXTURE2D_GATHER_HEIGHT": driver.MaxTexture2DGatherHeight, "MAXIMUM_TEXTURECUBEMAP_WIDTH": driver.MaxTextureCubeWidth,
	"MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH": driver.MaxTextureCubeLayeredWidth, "MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS": driver.MaxTextureCubeLayers,
	"MAXIMUM_SURFACE1D_WIDTH": driver.MaxSurface1DWidth, "MAXIMUM_SURFACE2D_WIDTH": driver.MaxSurface2DWidth, "MAXIMUM_SURFACE2D_HEIGHT": driver.MaxSurface2DHeight,
	"MAXIMUM_SURFACE3D_WIDTH": driver.MaxSurface3DWidth, "MAXIMUM_SURFACE3D_HEIGHT": driver.MaxSurface3DHeight, "MAXIMUM_SURFACE3D_DEPTH": driver.MaxSurface3DDepth,
	"MAXIMUM_SURFACE1D_LAYERED_WIDTH": driver.MaxSurface1DLayeredWidth, "MAXIMUM_SURFACE1D_LAYERED_LAYERS": driver.MaxSurface1DLayers,
	"MAXIMUM_SURFACE2D_LAYERED_WIDTH": driver.MaxSurface2DLayeredWidth, "MAXIMUM_SURFACE2D_LAYERED_HEIGHT": driver.MaxSurface2DLayeredHeight,
	"MAXIMUM_SURFACE2D_LAYERED_LAYERS": driver.MaxSurface2DLayers, "MAXIMUM_SURFACECUBEMAP_WIDTH": driver.MaxSurfaceCubeWidth,
	"MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH": driver.MaxSurfaceCubeLayeredWidth, "MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS": driver.MaxSurfaceCubeLayers,
	"MAXIMUM_TEXTURE1D_LINEAR_WIDTH": driver.MaxTexture1DLinearWidth, "MAXIMUM_TEXTURE2D_LINEAR_WIDTH": driver.MaxTexture2DLinearWidth,
	"MAXIMUM_TEXTURE2D_LINEAR_HEIGHT": driver.MaxTexture2DLinearHeight, "MAXIMUM_TEXTURE2D_LINEAR_PITCH": driver.MaxTexture2DLinearPitch,
	"MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH": driver.MaxTexture2DMipmapWidth, "MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT": driver.MaxTexture2DMipmapHeight,
	"MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH": driver.MaxTexture1DMipmapWidth,
}
