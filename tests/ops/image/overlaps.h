#pragma once

#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace minima::test::boxes {

/// Two boxes, by their definitions.
struct Overlap {
  double low[2][2], high[2][2];  ///< [box][x or y]

  double size(int box, int side) const { return high[box][side] - low[box][side]; }
  double common() const {
    double area = 1;
    for (const int side : {0, 1})
      area *= std::max(0.0, std::min(high[0][side], high[1][side]) - std::max(low[0][side], low[1][side]));
    return area;
  }
  double united() const { return size(0, 0) * size(0, 1) + size(1, 0) * size(1, 1) - common(); }
  double iou() const { return common() / united(); }
  /// A side of the smallest box around both.
  double hull(int side) const { return std::max(high[0][side], high[1][side]) - std::min(low[0][side], low[1][side]); }
};

/// Row i of a and row j of b.
inline Overlap pair_of(const Doubles& a, std::int64_t i, const Doubles& b, std::int64_t j) {
  return {{{a[{i, 0}], a[{i, 1}]}, {b[{j, 0}], b[{j, 1}]}}, {{a[{i, 2}], a[{i, 3}]}, {b[{j, 2}], b[{j, 3}]}}};
}

/// torchvision's results, recorded by tests/fixtures/generate_boxes.py.
struct Recorded {
  State file = load(MINIMA_FIXTURES "/boxes.safetensors");
  Tensor operator[](const std::string& key) const { return file.tensor(key).to(test_device()); }
  void expect(const std::string& key, const Tensor& y) const {
    const Closeness close = allclose(y.detach(), file.tensor(key), {.rtol = 1e-12, .atol = 1e-12});
    EXPECT_TRUE(close) << key << ": " << close.message;
  }
};

}  // namespace minima::test::boxes
