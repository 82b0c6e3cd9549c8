// What NVRTC has to agree with before kernels are loaded. C++11.
namespace cudagen_proof {
template <class T> struct held { T value; };  // a reference in it has 8 bytes
template <class... T> struct list {};
template <unsigned... N> struct numbers {};   // size and alignment of each parameter
template <class L, class N> struct same { static constexpr bool value = false; };
template <> struct same<list<>, numbers<> > { static constexpr bool value = true; };
template <class T, class... Ts, unsigned Size, unsigned Align, unsigned... Ns>
struct same<list<T, Ts...>, numbers<Size, Align, Ns...> > {
  static constexpr bool value = sizeof(held<T>) == Size && alignof(held<T>) == Align && same<list<Ts...>, numbers<Ns...> >::value;
};
template <class F> struct params;
template <class... T> struct params<void (*)(T...)> { typedef list<T...> types; };
#if __cplusplus >= 201703L
template <class... T> struct params<void (*)(T...) noexcept> { typedef list<T...> types; };
#endif
}
static_assert(sizeof(long) == 8 && sizeof(wchar_t) == 4, "the Go code was generated for systems where long has 8 bytes and wchar_t 4: this one is another");
