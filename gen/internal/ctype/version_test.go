package ctype_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

func TestWithoutVersions(t *testing.T) {
	for spelled, want := range map[string]string{
		"cuda::std::__4::span<float, 18446744073709551615ul>":                 "cuda::std::span<float, 18446744073709551615ul>",
		"cuda::__4::atomic<int, (cuda::std::__4::__detail::thread_scope)0>*":  "cuda::atomic<int, (cuda::std::__detail::thread_scope)0>*",
		"thrust::THRUST_300001_SM_750_NS::complex<float>":                     "thrust::complex<float>",
		"k<cub::CUB_200200_500_NS::KeyValuePair<int, float>, std::__1::plus>": "k<cub::KeyValuePair<int, float>, std::plus>",
		"std::__cxx11::basic_string<char>":                                    "std::basic_string<char>",
		"void (*)(cuda::std::__4::span<int>&, std::__ndk1::pair<int, int>)":   "void (*)(cuda::std::span<int>&, std::pair<int, int>)",
		"thrust::THRUST_complex":                                              "thrust::THRUST_complex",
		"n::__4":                                                              "n::__4",
		"my__4::x":                                                            "my__4::x",
		"n::__detail::x":                                                      "n::__detail::x",
		"thrust::THRUST::x":                                                   "thrust::THRUST::x",
	} {
		assert.Equal(t, want, ctype.WithoutVersions(spelled), spelled)
	}
}
