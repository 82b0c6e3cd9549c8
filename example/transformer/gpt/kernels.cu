// Kernels of a tiny transformer: forward, backward, and the update of its weights.
//
// One thread makes one element, or one row, and adds up in the order of an index: no result depends
// on the order of threads. Compiled with -fmad=false, each operation rounds once. The file plain.go
// has the same operations in the same order, so its numbers are the same bit by bit.
//
// Matrices are stored row by row. A row is a position: of the batch, and of the text within it.

// exponential returns e^x for x ≤ 0. It is made of operations that Go has, too (Cephes, expf).
__device__ float exponential(float x) {
  if (x < -87.0f) return 0.0f;
  float n = rintf(x * 1.44269504f);
  float r = x - n * 0.693359375f - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return (p * (r * r) + r + 1.0f) * __int_as_float(((int)n + 127) << 23);
}

// Embed writes to x the sum of what the table tokens has for each of ids and what places has for
// its place in the text.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads rows*width
//cudagen:len ids=rows tokens=vocabulary*width places=context*width x=rows*width
extern "C" __global__ void embed(const int *ids, const float *tokens, const float *places, float *x, int rows, int width,
                                 int context, int vocabulary) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * width) return;
  int row = i / width, column = i % width;
  x[i] = tokens[ids[row] * width + column] + places[row % context * width + column];
}

// EmbedBack adds up the gradients of both tables. A thread looks for the rows that used its entry.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads (vocabulary+context)*width
//cudagen:len ids=rows dx=rows*width dTokens=vocabulary*width dPlaces=context*width
extern "C" __global__ void embed_back(const int *ids, const float *dx, float *dTokens, float *dPlaces, int rows, int width,
                                      int context, int vocabulary) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (vocabulary + context) * width) return;
  int entry = i / width, column = i % width;
  bool isToken = entry < vocabulary;
  float sum = 0.0f;
  for (int row = 0; row < rows; row++) {
    if (isToken ? ids[row] == entry : row % context == entry - vocabulary) sum += dx[row * width + column];
  }
  if (isToken)
    dTokens[i] = sum;
  else
    dPlaces[i - vocabulary * width] = sum;
}

// Matmul writes to c the product of a and b, plus base unless that is NULL. A matrix that is
// transposed is stored so: a then has inner rows, b has columns rows.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads rows*columns
//cudagen:len a=rows*inner b=inner*columns base=rows*columns c=rows*columns
//cudagen:nullable base
extern "C" __global__ void matmul(const float *a, const float *b, const float *base, float *c, int rows, int inner, int columns,
                                  bool transposeA, bool transposeB) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  int row = i / columns, column = i % columns;
  const float *pa = transposeA ? a + row : a + row * inner;
  const float *pb = transposeB ? b + column * inner : b + column;
  int stepA = transposeA ? rows : 1, stepB = transposeB ? 1 : columns;
  float sum = base ? base[i] : 0.0f;
  for (int k = 0; k < inner; k++) sum += pa[k * stepA] * pb[k * stepB];
  c[i] = sum;
}

// RmsNorm divides each row of x by the root of its mean square, multiplies it by weights, and keeps
// what it multiplied the row by in scale.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads rows
//cudagen:len x=rows*width weights=width y=rows*width scale=rows
extern "C" __global__ void rms_norm(const float *x, const float *weights, float *y, float *scale, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * width, y += row * width;
  float sum = 0.0f;
  for (int i = 0; i < width; i++) sum += x[i] * x[i];
  float s = 1.0f / sqrtf(sum / width + 1e-5f);
  for (int i = 0; i < width; i++) y[i] = x[i] * s * weights[i];
  scale[row] = s;
}

// RmsNormBack writes to dx the gradient of x, plus base unless that is NULL.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads rows
//cudagen:len x=rows*width weights=width scale=rows dy=rows*width base=rows*width dx=rows*width
//cudagen:nullable base
extern "C" __global__ void rms_norm_back(const float *x, const float *weights, const float *scale, const float *dy, const float *base,
                                     float *dx, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * width, dy += row * width, dx += row * width;
  if (base) base += row * width;
  float s = scale[row], dot = 0.0f;
  for (int i = 0; i < width; i++) dot += dy[i] * weights[i] * x[i];
  float along = dot * s * s * s / width;
  for (int i = 0; i < width; i++) dx[i] = (base ? base[i] : 0.0f) + (dy[i] * weights[i] * s - x[i] * along);
}

// RmsNormWeightsBack writes to dWeights the gradient of the weights of rms_norm.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads width
//cudagen:len x=rows*width scale=rows dy=rows*width dWeights=width
extern "C" __global__ void rms_norm_weights_back(const float *x, const float *scale, const float *dy, float *dWeights, int rows,
                                             int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float sum = 0.0f;
  for (int row = 0; row < rows; row++) sum += dy[row * width + i] * x[row * width + i] * scale[row];
  dWeights[i] = sum;
}

// Attend writes to p how much each place attends to those before it: for each text of the batch and
// each head a square of context × context. A row of qkv has a query, a key and a value of every head.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads batch*heads*context
//cudagen:len qkv=batch*context*3*heads*depth p=batch*heads*context*context
extern "C" __global__ void attend(const float *qkv, float *p, int batch, int heads, int context, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * heads * context) return;
  int t = i % context, head = i / context % heads, width = heads * depth;
  const float *first = qkv + i / (context * heads) * context * 3 * width + head * depth; // of the text
  const float *query = first + t * 3 * width;
  float scale = 1.0f / sqrtf(depth), most = 0.0f, sum = 0.0f;
  p += i * context;
  for (int s = 0; s <= t; s++) {
    const float *key = first + s * 3 * width + width;
    float dot = 0.0f;
    for (int e = 0; e < depth; e++) dot += query[e] * key[e];
    p[s] = dot * scale;
    if (s == 0 || p[s] > most) most = p[s];
  }
  for (int s = 0; s <= t; s++) {
    p[s] = exponential(p[s] - most);
    sum += p[s];
  }
  for (int s = 0; s < context; s++) p[s] = s <= t ? p[s] / sum : 0.0f;
}

// Mix writes to out, for each place, the values that it attends to.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads batch*context*heads*depth
//cudagen:len qkv=batch*context*3*heads*depth p=batch*heads*context*context out=batch*context*heads*depth
extern "C" __global__ void mix(const float *qkv, const float *p, float *out, int batch, int heads, int context, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, width = heads * depth;
  if (i >= batch * context * width) return;
  int column = i % width, t = i / width % context, text = i / (width * context);
  const float *value = qkv + text * context * 3 * width + 2 * width + column;
  p += ((text * heads + column / depth) * context + t) * context;
  float sum = 0.0f;
  for (int s = 0; s <= t; s++) sum += p[s] * value[s * 3 * width];
  out[i] = sum;
}

// AttendBack writes to dScores the gradient of what attend takes the exponential of, for which dOut
// is that of the output of mix.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads batch*heads*context
//cudagen:len qkv=batch*context*3*heads*depth p=batch*heads*context*context dOut=batch*context*heads*depth dScores=batch*heads*context*context
extern "C" __global__ void attend_back(const float *qkv, const float *p, const float *dOut, float *dScores, int batch, int heads,
                                       int context, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * heads * context) return;
  int t = i % context, head = i / context % heads, text = i / (context * heads), width = heads * depth;
  const float *value = qkv + text * context * 3 * width + 2 * width + head * depth;
  dOut += (text * context + t) * width + head * depth;
  p += i * context, dScores += i * context;
  float scale = 1.0f / sqrtf(depth), dot = 0.0f;
  for (int s = 0; s <= t; s++) {
    float d = 0.0f;
    for (int e = 0; e < depth; e++) d += dOut[e] * value[s * 3 * width + e];
    dScores[s] = d;
    dot += p[s] * d;
  }
  for (int s = 0; s < context; s++) dScores[s] = s <= t ? p[s] * (dScores[s] - dot) * scale : 0.0f;
}

// QkvBack writes to dQkv the gradients of queries, keys and values.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads batch*context*heads*depth
//cudagen:len qkv=batch*context*3*heads*depth p=batch*heads*context*context dScores=batch*heads*context*context
//cudagen:len dOut=batch*context*heads*depth dQkv=batch*context*3*heads*depth
extern "C" __global__ void qkv_back(const float *qkv, const float *p, const float *dScores, const float *dOut, float *dQkv,
                                    int batch, int heads, int context, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, width = heads * depth;
  if (i >= batch * context * width) return;
  int column = i % width, t = i / width % context, text = i / (width * context);
  qkv += text * context * 3 * width + column;
  dOut += text * context * width + column;
  p += (text * heads + column / depth) * context * context;
  dScores += (text * heads + column / depth) * context * context;
  float dQuery = 0.0f, dKey = 0.0f, dValue = 0.0f;
  for (int s = 0; s <= t; s++) dQuery += dScores[t * context + s] * qkv[s * 3 * width + width];
  for (int s = t; s < context; s++) {
    dKey += dScores[s * context + t] * qkv[s * 3 * width];
    dValue += p[s * context + t] * dOut[s * width];
  }
  dQkv += (text * context + t) * 3 * width + column;
  dQkv[0] = dQuery;
  dQkv[width] = dKey;
  dQkv[2 * width] = dValue;
}

// Relu writes to y what of x is positive.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:len y=n
//cudagen:infer n=len(x)
extern "C" __global__ void relu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

// ReluBack clears the gradients d of what relu cleared.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:len d=n
//cudagen:infer n=len(x)
extern "C" __global__ void relu_back(const float *x, float *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(x[i] > 0.0f)) d[i] = 0.0f;
}

// CrossEntropy writes to p the probabilities that logits stand for, and to dLogits the gradient of
// the mean of -log p of targets.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads rows
//cudagen:len logits=rows*columns targets=rows p=rows*columns dLogits=rows*columns
extern "C" __global__ void cross_entropy(const float *logits, const int *targets, float *p, float *dLogits, int rows,
                                         int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  logits += row * columns, p += row * columns, dLogits += row * columns;
  float most = logits[0], sum = 0.0f;
  for (int i = 1; i < columns; i++)
    if (logits[i] > most) most = logits[i];
  for (int i = 0; i < columns; i++) {
    p[i] = exponential(logits[i] - most);
    sum += p[i];
  }
  for (int i = 0; i < columns; i++) {
    p[i] = p[i] / sum;
    dLogits[i] = (p[i] - (i == targets[row] ? 1.0f : 0.0f)) / rows;
  }
}

// Adam moves weights against gradient. mean and square are what it remembers of gradients;
// meanShare and squareShare are the part of them that the steps so far have filled.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len gradient=n mean=n square=n
//cudagen:infer n=len(weights)
extern "C" __global__ void adam(float *weights, const float *gradient, float *mean, float *square, float rate, float meanShare,
                                float squareShare, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = gradient[i];
  float m = 0.9f * mean[i] + 0.1f * g;
  float v = 0.99f * square[i] + 0.01f * (g * g);
  mean[i] = m;
  square[i] = v;
  weights[i] = weights[i] - rate * (m / meanShare) / (sqrtf(v / squareShare) + 1e-8f);
}
