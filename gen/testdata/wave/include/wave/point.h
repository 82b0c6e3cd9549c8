#pragma once
namespace wave {
struct Point {
  float height, speed;
};
}  // namespace wave
