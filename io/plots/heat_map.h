#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima {

/// A table of positive numbers as colours on a logarithmic scale, such as a figure of each layer over a training.
struct HeatMap {
  std::string title = {};
  std::string x_label = {};
  std::vector<double> x = {};                    ///< of the columns, ascending
  std::vector<std::string> rows = {};            ///< their names, from the top
  std::vector<std::vector<double>> values = {};  ///< of each row by column
};

/// An SVG document with the maps below each other, each with a scale of its colours. Infinity is red; NaN and what is
/// not positive stay blank. More than 240 columns share columns, which show the largest of their values. Throws
/// ValueError if rows, columns and values differ in number.
///
///     write_file("rms.svg", heat_map_svg({{.title = "RMS", .x = steps, .rows = names, .values = rms}}));
MINIMA_API std::string heat_map_svg(const std::vector<HeatMap>& maps);

}  // namespace minima
