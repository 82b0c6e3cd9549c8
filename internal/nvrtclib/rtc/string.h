// NVRTC declares memcpy and memset itself; there is nothing else of <string.h> on a GPU.
