#pragma once
#include "point.h"

namespace wave {
// String is a string under tension.
struct String {
  Point end;
  double tension;
  int points;
};
}  // namespace wave
