#include "rule.h"

// The bits of the number are the next states for the eight neighbourhoods.
__device__ unsigned char rule(unsigned char left, unsigned char cell, unsigned char right) {
  return number >> (4 * left + 2 * cell + right) & 1;
}
