#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima {

/// One line of a plot. A value that is not finite leaves a gap.
struct Series {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool pale = false;  ///< behind the next series that is not, in a light shade of its colour, without a legend
};

/// A plot of named lines with axes, grid and legend. Short series get dots; long ones are reduced to the extremes of
/// each pixel column.
struct LinePlot {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_y = false;                ///< logarithmic y axis; values ≤ 0 leave gaps
  bool whole_x = false;              ///< ticks at integers only: epochs, steps
  std::string note = {};             ///< after the legend
  std::vector<double> y_range = {};  ///< {low, high} that the y axis has at least; empty: as far as the data reach
};

/// An SVG document with the plots in a row. Throws ValueError if a series' x and y differ in length.
///
///     write_file("curve.svg", line_plot_svg({{.title = "Loss", .x_label = "epoch", .series = {{"train", {1, 2}, {0.9,
///     0.4}}}}}));
MINIMA_API std::string line_plot_svg(const std::vector<LinePlot>& plots, double width = 560, double height = 380);

}  // namespace minima
