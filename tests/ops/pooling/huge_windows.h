#pragma once

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pooling/max_pool.h>

// Windows of pooling with huge attributes, for the tables of one dimension and, with a second of size 1, of two.

namespace minima::test {

/// Adds rows that call `pool` on sequences and on none, with a huge kernel, stride, padding or dilation, and with two
/// of them: `.with(huge_windows([](const Tensor& x, const MaxPool1dOptions& options) { max_pool1d(x, options); }))`.
template <class F>
auto huge_windows(F pool) {
  return [pool](auto& cases) {
    for (const bool up : {false, true})
      for (const std::int64_t batch : {2, 0}) {
        const auto add = [&](auto options) {
          cases.huge([=](std::int64_t v) { pool(ones({batch, 4, 6}), options(v)); });
        };
        add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = v, .ceil_mode = up}; });
        add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .stride = v, .ceil_mode = up}; });
        add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .padding = v, .ceil_mode = up}; });
        add([=](std::int64_t v) { return MaxPool1dOptions{.kernel = 2, .dilation = v, .ceil_mode = up}; });
        add([=](std::int64_t v) {
          return MaxPool1dOptions{.kernel = v, .stride = 1, .padding = v / 2, .ceil_mode = up};
        });
        add([=](std::int64_t v) {
          return MaxPool1dOptions{.kernel = 3, .stride = 2, .padding = v / 2, .dilation = v / 2, .ceil_mode = up};
        });
      }
  };
}

/// The same window over images whose second dimension has size 1.
inline MaxPool2dOptions of_images(const MaxPool1dOptions& o) {
  return {{o.kernel, 1}, Pair{o.stride, 1}, {o.padding, 0}, {o.dilation, 1}, o.ceil_mode};
}

}  // namespace minima::test
