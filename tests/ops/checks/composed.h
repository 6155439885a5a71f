#pragma once

#include "tests/ops/checks/op_cases.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::test {

/// The table of a function made of operators, each of which has its own.
inline OpCases composed(OpCases cases) {
  return cases.without("hidden", "it is made of other operators")
      .without("large", "the tables of its operators have them")
      .without("random", "the tables of its operators have them, and huge numbers overflow between them");
}

/// The elements along one dimension, whatever the coordinates in the others.
using Line = std::vector<double>;

/// A reference: f(lines of the inputs at the same place, results) for each line along `dim`. All inputs have the first
/// one's shape; f leaves in `results` one line for each output, all of one length. A length of 1 is dropped unless it
/// is kept.
template <class F>
Reference over_lines(int dim, bool keep, F f) {
  return [=](const std::vector<Doubles>& in) {
    const Shape& shape = in[0].shape;
    const int along = shape.rank() == 0 ? 0 : (dim + shape.rank()) % shape.rank();
    Shape starts = shape;
    if (starts.rank() > 0) starts[along] = 1;
    std::vector<Doubles> outputs;
    const auto moved = [&](Shape at, std::int64_t i) {
      if (at.rank() > 0) at[along] = i;
      return at;
    };
    const auto length = static_cast<std::size_t>(shape.rank() == 0 ? 1 : shape[along]);
    const auto run = [&](const std::vector<Line>& lines) {
      std::vector<Line> results;
      f(lines, results);
      for (std::size_t o = outputs.size(); o < results.size(); ++o)
        outputs.emplace_back(moved(starts, static_cast<std::int64_t>(results[o].size())));
      return results;
    };
    if (numel(starts) == 0) run(std::vector<Line>(in.size(), Line(length)));  // tells the shapes
    each_index(starts, [&](const Shape& start) {
      std::vector<Line> lines(in.size(), Line(length));
      for (std::size_t x = 0; x < in.size(); ++x)
        for (std::size_t i = 0; i < length; ++i) lines[x][i] = in[x][moved(start, static_cast<std::int64_t>(i))];
      const std::vector<Line> results = run(lines);
      for (std::size_t o = 0; o < results.size(); ++o)
        for (std::size_t i = 0; i < results[o].size(); ++i)
          outputs[o][moved(start, static_cast<std::int64_t>(i))] = results[o][i];
    });
    for (Doubles& y : outputs)
      if (!keep && y.shape.rank() > 0 && y.shape[along] == 1) y.shape.erase(along);
    return outputs;
  };
}

}  // namespace minima::test
