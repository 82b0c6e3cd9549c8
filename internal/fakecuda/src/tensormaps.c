// Tensor maps. What the driver encodes is secret: here a map holds what it was made of, and a mark.

#define TENSOR_MARK 0x70616d726f736e74ull

static const unsigned tensor_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct tensor {
  unsigned type, rank;
  uint64_t address;
  const uint64_t *dims, *strides;
  const uint32_t *steps;
  unsigned interleave, swizzle, promotion, fill;
};

// is_tensor says whether there are maps of that tensor, whose rows in shared memory have so many bytes.
// CUDA Driver API, cuTensorMapEncodeTiled.
static int is_tensor(const uint64_t *map, const struct tensor *t, uint64_t row_bytes) {
  static const unsigned spans[] = {0, 32, 64, 128, 128, 128, 128};
  if (!map || (uintptr_t)map % 64 || t->type > 12 || t->rank < 1 || t->rank > 5) return 0;
  if (t->interleave > 2 || t->swizzle > 6 || t->promotion > 3 || t->fill > 1) return 0;
  unsigned align = t->interleave == 2 ? 32 : 16;
  if (!t->address || t->address % align || (t->interleave && t->rank < 3)) return 0;
  for (unsigned i = 0; i < t->rank; i++) {
    if (t->dims[i] < 1 || t->dims[i] > 1ull << 32 || t->steps[i] < 1 || t->steps[i] > 8) return 0;
    if (i && (t->strides[i - 1] % align || t->strides[i - 1] >= 1ull << 40)) return 0;
  }
  if (!t->interleave && (row_bytes % 16 || (t->swizzle && row_bytes > spans[t->swizzle]))) return 0;
  if (t->interleave == 2 && t->swizzle != 1) return 0;
  return !t->fill || t->type >= 6;
}

static void encode(uint64_t *map, const struct tensor *t, uint64_t shape) {
  memset(map, 0, 128);
  map[0] = TENSOR_MARK, map[1] = t->address, map[2] = t->type | t->rank << 8 | t->interleave << 16 | t->swizzle << 24;
  map[2] |= (uint64_t)t->promotion << 32 | (uint64_t)t->fill << 40;
  map[3] = shape;
  for (unsigned i = 0; i < t->rank; i++) {
    map[4 + i] = t->dims[i] | (uint64_t)(t->steps[i] - 1) << 60;
    if (i) map[9 + i] = t->strides[i - 1];
  }
}

int cuTensorMapEncodeTiled(uint64_t *map, unsigned type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
  struct tensor t = {type, rank, (uintptr_t)address, dims, strides, steps, interleave, swizzle, promotion, fill};
  ENTER("cuTensorMapEncodeTiled");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(type <= 12 && box && is_tensor(map, &t, (uint64_t)box[0] * tensor_bytes[type]), INVALID_VALUE);
  uint64_t shape = 0;
  for (unsigned i = 0; i < rank; i++) {
    REQUIRE(box[i] >= 1 && box[i] <= 256, INVALID_VALUE);
    shape |= (uint64_t)box[i] << 10 * i;
  }
  encode(map, &t, shape);
  return leave(SUCCESS);
}

int cuTensorMapEncodeIm2col(uint64_t *map, unsigned type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                            const int *lower, const int *upper, unsigned channels, unsigned pixels, const uint32_t *steps,
                            unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
  static const int limits[] = {32768, 128, 16};
  struct tensor t = {type, rank, (uintptr_t)address, dims, strides, steps, interleave, swizzle, promotion, fill};
  ENTER("cuTensorMapEncodeIm2col");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(type <= 12 && rank >= 3 && is_tensor(map, &t, (uint64_t)channels * tensor_bytes[type]), INVALID_VALUE);
  REQUIRE(channels >= 1 && channels <= 256 && pixels >= 1 && pixels <= 1024, INVALID_VALUE);
  uint64_t shape = channels | (uint64_t)pixels << 10;
  for (unsigned i = 0; i + 2 < rank; i++) {
    int limit = limits[rank - 3];
    REQUIRE(lower[i] >= -limit && lower[i] < limit && upper[i] >= -limit && upper[i] < limit, INVALID_VALUE);
    shape |= (uint64_t)(lower[i] & 0x1f) << (24 + 10 * i) | (uint64_t)(upper[i] & 0x1f) << (29 + 10 * i);
  }
  encode(map, &t, shape);
  return leave(SUCCESS);
}
