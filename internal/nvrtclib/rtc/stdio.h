// NVRTC declares printf itself; there is nothing else of <stdio.h> on a GPU.
