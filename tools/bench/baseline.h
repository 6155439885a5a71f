#pragma once

#include "table.h"

#include <minima/io/text/json.h>

#include <string>

namespace bench {

/// Earlier figures, as minima-bench --json prints them.
class Baseline {
 public:
  /// Throws minima::Error for a file that cannot be read or is no such object.
  explicit Baseline(const std::string& path);

  struct Comparison {
    int compared = 0;
    std::string worse;  ///< a line for each figure that is worse by more than the threshold
  };
  /// Compares the figures that both have and of which it is known what is better.
  Comparison compare(const Benchmark& benchmark, const Table& table, double threshold) const;

 private:
  minima::Json file_;
};

}  // namespace bench
