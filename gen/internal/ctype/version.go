package ctype

import "regexp"

// versionNamespace matches the inline namespaces that hold the version of a C++ library:
// thrust::THRUST_300001_SM_750_NS::, cub::CUB_300001_SM_750::, cuda::std::__4::,
// std::__cxx11::, std::__1::. Source does not name them.
var versionNamespace = regexp.MustCompile(`(::|\b)(?:(?:THRUST|CUB|CCCL)_[0-9]\w*|__[0-9]+|__cxx11|__ndk1|__gnu_cxx_ldbl128)::`)

// WithoutVersions returns a qualified name, or a type as demanglers spell it, without the
// inline namespaces that hold the versions of C++ libraries. Names of source, of images and
// of debug information are compared in this form.
func WithoutVersions(spelled string) string {
	return versionNamespace.ReplaceAllString(spelled, "$1")
}
