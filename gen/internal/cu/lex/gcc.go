package lex

import (
	"fmt"
	"strings"
)

// gccMacros are predefined macros of GCC 13 for x86-64 that depend on nothing, besides those
// in fixedMacros: GCC manual, Common Predefined Macros.
const gccMacros = `
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_CONSUME 1
#define __ATOMIC_RELAXED 0
#define __ATOMIC_RELEASE 3
#define __ATOMIC_SEQ_CST 5
#define __BIGGEST_ALIGNMENT__ 16
#define __CHAR16_TYPE__ short unsigned int
#define __CHAR32_TYPE__ unsigned int
#define __DBL_DIG__ 15
#define __DBL_MANT_DIG__ 53
#define __DBL_MAX_EXP__ 1024
#define __DBL_MIN_EXP__ (-1021)
#define __DEPRECATED 1
#define __FINITE_MATH_ONLY__ 0
#define __FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __FLT_DIG__ 6
#define __FLT_EPSILON__ 1.19209289550781250000000000000000000e-7F
#define __FLT_EVAL_METHOD__ 0
#define __FLT_MANT_DIG__ 24
#define __FLT_MAX_EXP__ 128
#define __FLT_MAX__ 3.40282346638528859811704183484516925e+38F
#define __FLT_MIN_EXP__ (-125)
#define __FLT_MIN__ 1.17549435082228750796873653722224568e-38F
#define __FLT_RADIX__ 2
#define __FXSR__ 1
#define __GCC_ATOMIC_BOOL_LOCK_FREE 2
#define __GCC_ATOMIC_CHAR_LOCK_FREE 2
#define __GCC_ATOMIC_INT_LOCK_FREE 2
#define __GCC_ATOMIC_LLONG_LOCK_FREE 2
#define __GCC_ATOMIC_LONG_LOCK_FREE 2
#define __GCC_ATOMIC_POINTER_LOCK_FREE 2
#define __GCC_ATOMIC_SHORT_LOCK_FREE 2
#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_1 1
#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_2 1
#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_4 1
#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8 1
#define __GCC_IEC_559 2
#define __GXX_ABI_VERSION 1017
#define __GXX_EXPERIMENTAL_CXX0X__ 1
#define __GXX_WEAK__ 1
#define __INT16_MAX__ 0x7fff
#define __INT16_TYPE__ short int
#define __INT32_MAX__ 0x7fffffff
#define __INT32_TYPE__ int
#define __INT64_MAX__ 0x7fffffffffffffffL
#define __INT64_TYPE__ long int
#define __INT8_MAX__ 0x7f
#define __INT8_TYPE__ signed char
#define __INTMAX_MAX__ 0x7fffffffffffffffL
#define __INTMAX_TYPE__ long int
#define __INTMAX_WIDTH__ 64
#define __INTPTR_MAX__ 0x7fffffffffffffffL
#define __INTPTR_TYPE__ long int
#define __INTPTR_WIDTH__ 64
#define __INT_FAST16_MAX__ 0x7fffffffffffffffL
#define __INT_FAST16_TYPE__ long int
#define __INT_FAST16_WIDTH__ 64
#define __INT_FAST32_MAX__ 0x7fffffffffffffffL
#define __INT_FAST32_TYPE__ long int
#define __INT_FAST32_WIDTH__ 64
#define __INT_FAST64_MAX__ 0x7fffffffffffffffL
#define __INT_FAST64_TYPE__ long int
#define __INT_FAST64_WIDTH__ 64
#define __INT_FAST8_MAX__ 0x7f
#define __INT_FAST8_TYPE__ signed char
#define __INT_FAST8_WIDTH__ 8
#define __INT_LEAST16_MAX__ 0x7fff
#define __INT_LEAST16_TYPE__ short int
#define __INT_LEAST16_WIDTH__ 16
#define __INT_LEAST32_MAX__ 0x7fffffff
#define __INT_LEAST32_TYPE__ int
#define __INT_LEAST32_WIDTH__ 32
#define __INT_LEAST64_MAX__ 0x7fffffffffffffffL
#define __INT_LEAST64_TYPE__ long int
#define __INT_LEAST64_WIDTH__ 64
#define __INT_LEAST8_MAX__ 0x7f
#define __INT_LEAST8_TYPE__ signed char
#define __INT_LEAST8_WIDTH__ 8
#define __INT_WIDTH__ 32
#define __LONG_LONG_WIDTH__ 64
#define __LONG_WIDTH__ 64
#define __MMX__ 1
#define __NO_INLINE__ 1
#define __ORDER_PDP_ENDIAN__ 3412
#define __PTRDIFF_MAX__ 0x7fffffffffffffffL
#define __PTRDIFF_WIDTH__ 64
#define __REGISTER_PREFIX__
#define __SCHAR_WIDTH__ 8
#define __SHRT_WIDTH__ 16
#define __SIG_ATOMIC_MAX__ 0x7fffffff
#define __SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1)
#define __SIG_ATOMIC_TYPE__ int
#define __SIG_ATOMIC_WIDTH__ 32
#define __SIZEOF_FLOAT128__ 16
#define __SIZEOF_FLOAT80__ 16
#define __SIZEOF_LONG_DOUBLE__ 16
#define __SIZEOF_WINT_T__ 4
#define __SIZE_MAX__ 0xffffffffffffffffUL
#define __SIZE_WIDTH__ 64
#define __STDCPP_THREADS__ 1
#define __STDC_IEC_559__ 1
#define __STDC_ISO_10646__ 201706L
#define __STDC_UTF_16__ 1
#define __STDC_UTF_32__ 1
#define __UINT16_MAX__ 0xffff
#define __UINT16_TYPE__ short unsigned int
#define __UINT32_MAX__ 0xffffffffU
#define __UINT32_TYPE__ unsigned int
#define __UINT64_MAX__ 0xffffffffffffffffUL
#define __UINT64_TYPE__ long unsigned int
#define __UINT8_MAX__ 0xff
#define __UINT8_TYPE__ unsigned char
#define __UINTMAX_MAX__ 0xffffffffffffffffUL
#define __UINTMAX_TYPE__ long unsigned int
#define __UINTPTR_MAX__ 0xffffffffffffffffUL
#define __UINTPTR_TYPE__ long unsigned int
#define __UINT_FAST16_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST16_TYPE__ long unsigned int
#define __UINT_FAST32_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST32_TYPE__ long unsigned int
#define __UINT_FAST64_MAX__ 0xffffffffffffffffUL
#define __UINT_FAST64_TYPE__ long unsigned int
#define __UINT_FAST8_MAX__ 0xff
#define __UINT_FAST8_TYPE__ unsigned char
#define __UINT_LEAST16_MAX__ 0xffff
#define __UINT_LEAST16_TYPE__ short unsigned int
#define __UINT_LEAST32_MAX__ 0xffffffffU
#define __UINT_LEAST32_TYPE__ unsigned int
#define __UINT_LEAST64_MAX__ 0xffffffffffffffffUL
#define __UINT_LEAST64_TYPE__ long unsigned int
#define __UINT_LEAST8_MAX__ 0xff
#define __UINT_LEAST8_TYPE__ unsigned char
#define __USER_LABEL_PREFIX__
#define __WCHAR_MAX__ 0x7fffffff
#define __WCHAR_MIN__ (-__WCHAR_MAX__ - 1)
#define __WCHAR_TYPE__ int
#define __WCHAR_WIDTH__ 32
#define __WINT_MAX__ 0xffffffffU
#define __WINT_MIN__ 0U
#define __WINT_TYPE__ unsigned int
#define __WINT_WIDTH__ 32
#define __code_model_small__ 1
#define __k8 1
#define __k8__ 1
`

// libraryMacros are those of the C and C++ libraries that <cuda_runtime.h> includes, which nvcc
// reads before a source: GNU C Library manual, Feature Test Macros; libstdc++ manual, Macros.
const libraryMacros = `
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 39
#define __GNU_LIBRARY__ 6
#define __GLIBC_PREREQ(maj, min) ((__GLIBC__ << 16) + __GLIBC_MINOR__ >= ((maj) << 16) + (min))
#define __GNUC_PREREQ(maj, min) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((maj) << 16) + (min))
#define _GLIBCXX_RELEASE 13
#define __GLIBCXX__ 20240904
#define _GLIBCXX_USE_CXX11_ABI 1
#define _GLIBCXX_HOSTED 1
`

// featureMacros are the feature-test macros of GCC, by the language version from which on they
// have a value: C++ standard, [cpp.predefined].
var featureMacros = []struct{ std, macros string }{
	{"11", `__cpp_alias_templates 200704L, __cpp_attributes 200809L, __cpp_binary_literals 201304L, __cpp_constexpr 200704L, __cpp_decltype 200707L
		__cpp_delegating_constructors 200604L, __cpp_hex_float 201603L, __cpp_inheriting_constructors 201511L, __cpp_initializer_lists 200806L, __cpp_lambdas 200907L
		__cpp_nsdmi 200809L, __cpp_range_based_for 200907L, __cpp_raw_strings 200710L, __cpp_ref_qualifiers 200710L, __cpp_rtti 199711L
		__cpp_runtime_arrays 198712L, __cpp_rvalue_reference 200610L, __cpp_rvalue_references 200610L, __cpp_static_assert 200410L, __cpp_threadsafe_static_init 200806L
		__cpp_unicode_characters 200704L, __cpp_unicode_literals 200710L, __cpp_user_defined_literals 200809L, __cpp_variadic_templates 200704L`},
	{"14", `__cpp_aggregate_nsdmi 201304L, __cpp_constexpr 201304L, __cpp_decltype_auto 201304L, __cpp_digit_separators 201309L, __cpp_generic_lambdas 201304L
		__cpp_init_captures 201304L, __cpp_return_type_deduction 201304L, __cpp_sized_deallocation 201309L, __cpp_variable_templates 201304L`},
	{"17", `__STDCPP_DEFAULT_NEW_ALIGNMENT__ 16, __cpp_aggregate_bases 201603L, __cpp_aligned_new 201606L, __cpp_capture_star_this 201603L, __cpp_constexpr 201603L, __cpp_deduction_guides 201703L
		__cpp_enumerator_attributes 201411L, __cpp_fold_expressions 201603L, __cpp_guaranteed_copy_elision 201606L, __cpp_if_constexpr 201606L, __cpp_inline_variables 201606L
		__cpp_namespace_attributes 201411L, __cpp_nested_namespace_definitions 201411L, __cpp_noexcept_function_type 201510L, __cpp_nontype_template_args 201411L, __cpp_nontype_template_parameter_auto 201606L
		__cpp_range_based_for 201603L, __cpp_static_assert 201411L, __cpp_structured_bindings 201606L, __cpp_template_auto 201606L, __cpp_template_template_args 201611L
		__cpp_unicode_characters 201411L, __cpp_variadic_using 201611L`},
	{"20", `__cpp_aggregate_paren_init 201902L, __cpp_char8_t 201811L, __cpp_concepts 202002L, __cpp_conditional_explicit 201806L, __cpp_consteval 201811L
		__cpp_constexpr 202002L, __cpp_constexpr_dynamic_alloc 201907L, __cpp_constexpr_in_decltype 201711L, __cpp_constinit 201907L, __cpp_deduction_guides 201907L
		__cpp_designated_initializers 201707L, __cpp_generic_lambdas 201707L, __cpp_impl_coroutine 201902L, __cpp_impl_destroying_delete 201806L, __cpp_impl_three_way_comparison 201907L
		__cpp_init_captures 201803L, __cpp_nontype_template_args 201911L, __cpp_nontype_template_parameter_class 201806L, __cpp_using_enum 201907L`},
}

// features returns the feature-test macros of the language version std, such as 17, as source
// text.
func features(std string) string {
	values := make(map[string]string)
	var order []string
	for _, group := range featureMacros {
		if std == "98" || std == "03" || group.std > std {
			break
		}
		words := strings.Fields(strings.ReplaceAll(group.macros, ",", " "))
		for i := 0; i+1 < len(words); i += 2 {
			name, value := words[i], words[i+1]
			if values[name] == "" {
				order = append(order, name)
			}
			values[name] = value
		}
	}
	var b strings.Builder
	for _, name := range order {
		fmt.Fprintf(&b, "#define %s %s\n", name, values[name])
	}
	return b.String()
}

// knownAttributes are those that __has_cpp_attribute and __has_attribute of GCC 13 know, with
// the value of the former: GCC manual, __has_cpp_attribute.
var knownAttributes = func() map[string]string {
	known := map[string]string{
		"nodiscard": "201907", "maybe_unused": "201603", "deprecated": "201309", "fallthrough": "201603", "noreturn": "200809",
		"likely": "201803", "unlikely": "201803", "no_unique_address": "201803",
	}
	for name := range words(`aligned packed always_inline noinline visibility unused used weak pure const cold hot malloc format nonnull
		warn_unused_result may_alias section constructor alias target flatten no_sanitize no_sanitize_address optimize vector_size mode
		cleanup warning error leaf nothrow returns_nonnull alloc_size artificial gnu_inline noclone noipa abi_tag init_priority
		transparent_union tls_model ifunc destructor assume_aligned`) {
		known[name] = "1"
	}
	return known
}()

// knownBuiltins are builtin functions of GCC 13: GCC manual, __has_builtin.
var knownBuiltins = words(`__builtin_expect __builtin_unreachable __builtin_bit_cast __builtin_is_constant_evaluated __builtin_addressof
	__builtin_launder __builtin_clz __builtin_ctz __builtin_popcount __builtin_bswap16 __builtin_bswap32 __builtin_bswap64
	__builtin_assume_aligned __builtin_trap __builtin_memcpy __builtin_memset __builtin_memcmp __builtin_strlen __builtin_FILE
	__builtin_LINE __builtin_FUNCTION __builtin_source_location __builtin_add_overflow __builtin_sub_overflow __builtin_mul_overflow
	__builtin_prefetch __builtin_nan __builtin_huge_valf __builtin_offsetof __builtin_constant_p __builtin_clzll __builtin_ctzll
	__builtin_popcountll __is_same __is_trivially_copyable __is_enum __is_base_of __is_aggregate
	__has_unique_object_representations __underlying_type __is_constructible __integer_pack __is_final __is_empty __is_union
	__is_class __is_abstract __is_polymorphic __is_standard_layout __is_trivial __is_pod __is_literal_type __is_assignable
	__is_trivially_constructible __is_trivially_assignable`)

// hasAttribute returns the value of the operator called name for what list names.
func hasAttribute(name string, list []Token) string {
	word := ""
	for i := range list {
		word += list[i].Text
	}
	if name == "__has_builtin" {
		if knownBuiltins[word] {
			return "1"
		}
		return "0"
	}
	word, gnu := strings.CutPrefix(word, "gnu::")
	value := knownAttributes[strings.TrimSuffix(strings.TrimPrefix(word, "__"), "__")]
	switch {
	case value == "":
		return "0"
	case name == "__has_attribute", gnu:
		return "1"
	}
	return value
}
