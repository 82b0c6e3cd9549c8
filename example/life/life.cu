// Live makes one generation of Conway's game of life. cells and next have rows of width cells, of
// which those in the first and the last row belong to neighbours: they are read, and not written.
// The left and the right edge are joined.
//
//cudagen:kernel
//cudagen:block 32,4
//cudagen:threads width,rows
//cudagen:len cells=width*(rows+2) next=width*(rows+2)
extern "C" __global__ void live(const unsigned char *cells, unsigned char *next, int width, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width || y > rows) return;
  int left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
  int sum = 0;
  for (int row = y - 1; row <= y + 1; row++) sum += cells[row * width + left] + cells[row * width + x] + cells[row * width + right];
  int own = cells[y * width + x];
  next[y * width + x] = sum == 3 || (sum == 4 && own);
}
