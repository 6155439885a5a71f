#pragma once

#include "table.h"

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Arguments {
  Settings settings;
  bool json = false, list = false, help = false;
  std::vector<std::string> only;
  std::string baseline;     ///< a file, or empty
  double threshold = 1.25;  ///< how many times slower than the baseline a figure may be
};

extern const char* const usage;

/// Throws minima::ValueError for what it cannot understand.
Arguments parse(int argc, char** argv);

}  // namespace bench
