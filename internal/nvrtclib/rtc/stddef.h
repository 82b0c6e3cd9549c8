#ifndef CUDAGEN_RTC_STDDEF_H
#define CUDAGEN_RTC_STDDEF_H
typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
#endif
