// The kernel of example/linear, beside cuBLAS and cuSOLVER. Matrices are stored by columns, as these have them.

// Equations makes A and b of a plate with size by size points inside of an edge, of which the one above is hot, and the others have 0 degrees: four
// times each temperature less those of its neighbours is what the edge adds.
//
//cudagen:block 256
//cudagen:threads size*size*size*size
//cudagen:len a=size*size*size*size b=size*size
extern "C" __global__ void equations(double *a, double *b, int size, double hot) {
  long long n = (long long)size * size;
  long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (at >= n * n) return;
  long long i = at % n, j = at / n;
  int x = i % size, y = i / size, u = j % size, v = j / size;
  int apart = abs(x - u) + abs(y - v);
  a[at] = apart == 0 ? 4 : apart == 1 ? -1 : 0;
  if (j == 0) b[i] = y == 0 ? hot : 0;
}
