#include "tests/support/options.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/print.h>

#include <gtest/gtest.h>

namespace minima::tensor_options_test {
namespace {

TEST(Options, OfTensorAreChecked) {
  test::try_options(
      "tensor",
      {
          {"PrintOptions.precision", "[0, 50]", [](int v) { to_string(ones({3}), {.precision = v}); }},
          {"PrintOptions.threshold", "[0, inf)", [](std::int64_t v) { to_string(ones({3}), {.threshold = v}); }},
          {"PrintOptions.edge_items", "[1, inf)",
           [](std::int64_t v) { to_string(ones({3}), {.threshold = 2, .edge_items = v}); }},
      });
}

}  // namespace
}  // namespace minima::tensor_options_test
