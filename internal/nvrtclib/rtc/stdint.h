// The integer types of the C standard library as nvcc sees them, for NVRTC, which has no
// headers: int64_t is long on Linux, and its kernels' names are the same as nvcc's.
#ifndef CUDAGEN_RTC_STDINT_H
#define CUDAGEN_RTC_STDINT_H

#ifdef _WIN64
#define CUDAGEN_RTC_INT64 long long
#define CUDAGEN_RTC_FAST int
#define INT64_C(c) c##LL
#define UINT64_C(c) c##ULL
#else
#define CUDAGEN_RTC_INT64 long
#define CUDAGEN_RTC_FAST long
#define INT64_C(c) c##L
#define UINT64_C(c) c##UL
#endif

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef CUDAGEN_RTC_INT64 int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned CUDAGEN_RTC_INT64 uint64_t;

typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;

typedef signed char int_fast8_t;
typedef CUDAGEN_RTC_FAST int_fast16_t;
typedef CUDAGEN_RTC_FAST int_fast32_t;
typedef int64_t int_fast64_t;
typedef unsigned char uint_fast8_t;
typedef unsigned CUDAGEN_RTC_FAST uint_fast16_t;
typedef unsigned CUDAGEN_RTC_FAST uint_fast32_t;
typedef uint64_t uint_fast64_t;

typedef CUDAGEN_RTC_INT64 intptr_t;
typedef unsigned CUDAGEN_RTC_INT64 uintptr_t;
typedef CUDAGEN_RTC_INT64 intmax_t;
typedef unsigned CUDAGEN_RTC_INT64 uintmax_t;

#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##U
#define INTMAX_C(c) INT64_C(c)
#define UINTMAX_C(c) UINT64_C(c)

#define INT8_MIN (-128)
#define INT16_MIN (-32767 - 1)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-INT64_C(9223372036854775807) - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX INT64_C(9223372036854775807)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX UINT64_C(18446744073709551615)
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX

#endif
