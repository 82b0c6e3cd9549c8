// NVRTC declares assert itself; NDEBUG takes it away, as everywhere.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
