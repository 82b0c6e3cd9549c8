// The source may have macros of these names, also of keywords.
#undef A
#undef B
#undef C
#undef F
#undef I
#undef N
#undef R
#undef T
#undef To
#undef V
#undef ahead
#undef align
#undef alignof
#undef answer
#undef auto
#undef bool
#undef boxed
#undef char
#undef char16_t
#undef char32_t
#undef char8_t
#undef class
#undef const
#undef constexpr
#undef count
#undef decltype
#undef describe
#undef device
#undef double
#undef extent
#undef extern
#undef false
#undef first
#undef float
#undef friend
#undef int
#undef is
#undef kind
#undef leaf
#undef list
#undef long
#undef measured
#undef members
#undef named
#undef namespace
#undef nullptr
#undef numbers
#undef parameter
#undef parameters
#undef pointee
#undef rest
#undef return
#undef row
#undef rows
#undef said
#undef short
#undef signature
#undef signed
#undef size
#undef sized
#undef sizeof
#undef static
#undef static_assert
#undef static_cast
#undef stored
#undef struct
#undef tag
#undef target
#undef target_align
#undef target_kind
#undef target_size
#undef target_under
#undef template
#undef true
#undef type
#undef type_of
#undef typedef
#undef typename
#undef under
#undef unsigned
#undef value
#undef values
#undef values_of
#undef void
#undef volatile
#undef wchar_t
#undef whole
#undef word
#undef words

namespace cudagen_probe {

typedef unsigned long long word;

// kind<T>::is is what T is, as a letter: probe.go has the list.
template <class T> struct kind { static constexpr word is = __is_union(T) ? 'u' : __is_class(T) ? 's' : __is_enum(T) ? 'e' : '?'; };
template <> struct kind<void> { static constexpr word is = 'v'; };
template <> struct kind<bool> { static constexpr word is = 'b'; };
template <> struct kind<char> { static constexpr word is = char(-1) < char(0) ? 'i' : 'n'; };
template <> struct kind<signed char> { static constexpr word is = 'i'; };
template <> struct kind<short> { static constexpr word is = 'i'; };
template <> struct kind<int> { static constexpr word is = 'i'; };
template <> struct kind<long> { static constexpr word is = 'i'; };
template <> struct kind<long long> { static constexpr word is = 'i'; };
template <> struct kind<unsigned char> { static constexpr word is = 'n'; };
template <> struct kind<unsigned short> { static constexpr word is = 'n'; };
template <> struct kind<unsigned> { static constexpr word is = 'n'; };
template <> struct kind<unsigned long> { static constexpr word is = 'n'; };
template <> struct kind<unsigned long long> { static constexpr word is = 'n'; };
template <> struct kind<wchar_t> { static constexpr word is = wchar_t(-1) < wchar_t(0) ? 'i' : 'n'; };
template <> struct kind<char16_t> { static constexpr word is = 'n'; };
template <> struct kind<char32_t> { static constexpr word is = 'n'; };
#ifdef __cpp_char8_t
template <> struct kind<char8_t> { static constexpr word is = 'n'; };
#endif
#if defined(__SIZEOF_INT128__) || defined(__CUDACC_RTC_INT128__) // NVRTC has the latter, with --device-int128
template <> struct kind<__int128> { static constexpr word is = 'i'; };
template <> struct kind<unsigned __int128> { static constexpr word is = 'n'; };
#endif
template <> struct kind<float> { static constexpr word is = 'f'; };
template <> struct kind<double> { static constexpr word is = 'f'; };
template <> struct kind<long double> { static constexpr word is = 'f'; };
template <> struct kind<decltype(nullptr)> { static constexpr word is = 'p'; };
template <class T> struct kind<T *> { static constexpr word is = 'p'; };
template <class T> struct kind<T &> { static constexpr word is = 'r'; };
template <class T, class C> struct kind<T C::*> { static constexpr word is = 'm'; };
template <class T, word N> struct kind<T[N]> { static constexpr word is = 'a'; };
template <class T> struct kind<T[]> { static constexpr word is = 'a'; };
template <class R, class... A> struct kind<R(A...)> { static constexpr word is = 'F'; };
template <class R, class... A> struct kind<R(A..., ...)> { static constexpr word is = 'F'; };
template <class T> struct kind<const T> : kind<T> {};
template <class T> struct kind<volatile T> : kind<T> {};
template <class T> struct kind<const volatile T> : kind<T> {};
template <class T, word N> struct kind<const T[N]> { static constexpr word is = 'a'; };
template <class T, word N> struct kind<volatile T[N]> { static constexpr word is = 'a'; };

// extent<T> has the size and the alignment of T, 0 when T has none or is only declared.
template <class T, word = 0> struct extent { static constexpr word size = 0, align = 0; };
template <class T> struct extent<T, sizeof(T) * 0> { static constexpr word size = sizeof(T), align = alignof(T); };

// sized<T> has them for what lies in a parameter block: a reference is an address there.
template <class T> struct sized : extent<T> {};
template <class T> struct sized<T &> { static constexpr word size = 8, align = 8; };
template <class R, class... A> struct sized<R(A...)> { static constexpr word size = 0, align = 0; };
template <> struct sized<void> { static constexpr word size = 0, align = 0; };
template <> struct sized<const void> : sized<void> {};
template <> struct sized<volatile void> : sized<void> {};
template <> struct sized<const volatile void> : sized<void> {};

// under<T>::is is the kind of the type below an enumeration, 0 for other types.
template <class T, bool = __is_enum(T)> struct under { static constexpr word is = 0; };
template <class T> struct under<T, true> { static constexpr word is = kind<__underlying_type(T)>::is; };

template <class T> struct target { typedef void type; };
template <class T> struct target<T *> { typedef T type; };
template <class T> struct target<T *const> { typedef T type; };
template <class T> struct target<T &> { typedef T type; };

struct row { word size, align, kind, under, target_size, target_align, target_kind, target_under; };

template <class T, class To> struct describe {
  static constexpr __attribute__((device)) row words() {
    return row{sized<T>::size, sized<T>::align, kind<T>::is, under<T>::is, sized<To>::size, sized<To>::align, kind<To>::is, under<To>::is};
  }
};

// measured<A...>::is is 1, and has completed the types A and their targets.
template <class... A> struct measured { static constexpr word is = 1; };
template <class A, class... B> struct measured<A, B...> {
  static constexpr word is = sized<A>::size * 0 + sized<typename target<A>::type>::size * 0 + measured<B...>::is;
};

// answer<F> describes the parameters of the function pointer F.
template <class F> struct answer;
template <class... A> struct answer<void (*)(A...)> {
  word count;
  row rows[sizeof...(A) + 1];
  constexpr __attribute__((device)) answer()
      : count(sizeof...(A)), rows{describe<A, typename target<A>::type>::words()..., row{0, 0, 'x', 0, 0, 0, 0, 0}} {}
};

// parameter<I, F>::type is the type of the parameter I of the function pointer F.
template <word I, class F> struct parameter;
template <class A, class... B> struct parameter<0, void (*)(A, B...)> { typedef A type; };
template <word I, class A, class... B> struct parameter<I, void (*)(A, B...)> : parameter<I - 1, void (*)(B...)> {};

// leaf<T>::type is the type at the end of pointers, references, arrays and qualifiers.
template <class T> struct leaf { typedef T type; };
template <class T> struct leaf<const T> : leaf<T> {};
template <class T> struct leaf<volatile T> : leaf<T> {};
template <class T> struct leaf<const volatile T> : leaf<T> {};
template <class T> struct leaf<T *> : leaf<T> {};
template <class T> struct leaf<T *const> : leaf<T> {};
template <class T> struct leaf<T *volatile> : leaf<T> {};
template <class T> struct leaf<T *const volatile> : leaf<T> {};
template <class T> struct leaf<T &> : leaf<T> {};
template <class T> struct leaf<T &&> : leaf<T> {};
template <class T> struct leaf<T[]> : leaf<T> {};
template <class T, word N> struct leaf<T[N]> : leaf<T> {};
template <class T, word N> struct leaf<const T[N]> : leaf<T> {};
template <class T, word N> struct leaf<volatile T[N]> : leaf<T> {};
template <class T, word N> struct leaf<const volatile T[N]> : leaf<T> {};

// boxed<T> is complete: a compiler describes a class that it only points at when that is so.
template <class T> struct boxed { T value; };

// signature<F> has the parameters of the function pointer F as members, and the classes that they point at, as far as
// these can be.
template <class T, bool = sized<T>::size != 0> struct whole { static constexpr bool is = false; };
template <class T> struct whole<T, true> { static constexpr bool is = (__is_class(T) || __is_union(T)) && !__is_abstract(T); };
template <class T, bool = whole<T>::is> struct pointee {};
template <class T> struct pointee<T, true> { T value; };
template <class... A> struct members {};
template <class A, class... B> struct members<A, B...> {
  A value;
  pointee<typename leaf<A>::type> target;
  members<B...> rest;
};
template <class F> struct signature;
template <class... A> struct signature<void (*)(A...)> { members<A...> parameters; };

// ahead<F> is complete when the parameters of the function pointer F are, and their targets.
template <class F> struct ahead;
template <class... A> struct ahead<void (*)(A...)> { word values[measured<A...>::is]; };

// stored<T>::type is T as far as it can be a variable: nvcc gives some classes another size there than sizeof says.
template <class T, bool = whole<T>::is> struct stored { typedef unsigned char type[sized<T>::size + (sized<T>::size == 0)]; };
template <class T> struct stored<T, true> { typedef T type; };

template <word N> struct list { word values[N]; };

// Names of private members may stand in explicit instantiations, and nowhere else: C++ standard,
// [temp.spec]. So a type, or values, are said there, and a friend hands them out.
template <word I> struct tag {};
template <class T> struct said { typedef T type; };
#if __cplusplus >= 201402L
template <word I, class T> struct named {
  friend constexpr __attribute__((device)) auto type_of(tag<I>) { return said<T>{}; }
};
template <word I, word... V> struct numbers {
  friend constexpr __attribute__((device)) list<sizeof...(V)> values_of(tag<I>) { return list<sizeof...(V)>{{V...}}; }
};
#endif

}  // namespace cudagen_probe

// CUDAGEN_PROBE_WHOLE completes a class where no variable of the device is initialised: there clang takes no function of
// the host, and constructors of classes ask in what they throw, or convert, for such as std::declval.
#define CUDAGEN_PROBE_WHOLE(...) static_assert(sizeof(__VA_ARGS__) > 0, "");

// CUDAGEN_PROBE_NAME declares cudagen_probe_named_I, the given type; CUDAGEN_PROBE_TYPE asks for
// it. CUDAGEN_PROBE_VALUES defines a variable that holds the N values.
#if __cplusplus >= 201402L
#define CUDAGEN_PROBE_NAME(I, ...) \
  namespace cudagen_probe { constexpr __attribute__((device)) auto type_of(tag<I>); } \
  template struct cudagen_probe::named<I, __VA_ARGS__>; \
  typedef decltype(type_of(cudagen_probe::tag<I>{}))::type cudagen_probe_named_##I;
#define CUDAGEN_PROBE_VALUES(variable, I, N, ...) \
  namespace cudagen_probe { constexpr __attribute__((device)) list<N> values_of(tag<I>); } \
  template struct cudagen_probe::numbers<I, __VA_ARGS__>; \
  extern "C" __attribute__((device)) cudagen_probe::list<N> variable = values_of(cudagen_probe::tag<I>{});
#else
#define CUDAGEN_PROBE_NAME(I, ...) typedef __VA_ARGS__ cudagen_probe_named_##I;
#define CUDAGEN_PROBE_VALUES(variable, I, N, ...) extern "C" __attribute__((device)) cudagen_probe::word variable[] = {__VA_ARGS__};
#endif
#define CUDAGEN_PROBE_TYPE(I) \
  CUDAGEN_PROBE_WHOLE(cudagen_probe::boxed<cudagen_probe_named_##I>) \
  extern "C" __attribute__((device)) cudagen_probe::word cudagen_probe_type_##I[] = { \
      cudagen_probe::sized<cudagen_probe_named_##I>::size, cudagen_probe::sized<cudagen_probe_named_##I>::align, \
      cudagen_probe::kind<cudagen_probe_named_##I>::is, cudagen_probe::under<cudagen_probe_named_##I>::is}; \
  extern "C" __attribute__((device)) cudagen_probe::boxed<cudagen_probe_named_##I> *cudagen_probe_described_##I = \
      static_cast<cudagen_probe::boxed<cudagen_probe_named_##I> *>(nullptr) + 0; \
  extern "C" __attribute__((device)) cudagen_probe::stored<cudagen_probe_named_##I>::type cudagen_probe_stored_##I; \
  extern "C" __attribute__((device)) const volatile void *cudagen_probe_storing_##I = __builtin_addressof(cudagen_probe_stored_##I);

// The offset of a field in a type. NVRTC has no offsetof, but what its compiler makes of
// offsetof elsewhere.
#ifdef __CUDACC_RTC__
#define CUDAGEN_PROBE_OFFSET(field, ...) __INTADDR__(&((__VA_ARGS__ *)0)->field)
#else
#define CUDAGEN_PROBE_OFFSET(field, ...) __builtin_offsetof(__VA_ARGS__, field)
#endif
