#include "report.h"

#include <algorithm>
#include <array>
#include <cstdio>

using namespace minima;

namespace {

/// Numbers in [0, 1] as colours from dark blue through green to yellow: uint8 [numel, 3].
std::vector<std::uint8_t> coloured(const Tensor& x) {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  std::vector<std::uint8_t> pixels;
  for (const float value : x.to_vector<float>()) {
    const double place = std::min(std::max(static_cast<double>(value), 0.0), 1.0) * (stops.size() - 1);
    const std::size_t stop = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double part = place - static_cast<double>(stop);
    for (std::size_t c = 0; c < 3; ++c)
      pixels.push_back(static_cast<std::uint8_t>(stops[stop][c] * (1 - part) + stops[stop + 1][c] * part + 0.5));
  }
  return pixels;
}

CaptionedImage picture(const char* caption, const Tensor& x, double low, double high, const std::string& note = "") {
  return {.pixels = coloured((x - low) / (high - low)),
          .height = static_cast<int>(x.size(-2)),
          .width = static_cast<int>(x.size(-1)),
          .channels = 3,
          .caption = caption,
          .note = note};
}

}  // namespace

std::string fields_svg(const DarcyFields& fields, const Tensor& predicted) {
  constexpr std::int64_t most = 3;
  ImageGrid grid{.title = "Darcy flow: held-out fields", .columns = 4, .cell = 128};
  for (std::int64_t i = 0; i < std::min(most, fields.a.size(0)); ++i) {
    const Tensor a = fields.a[i], u = fields.u[i], guess = predicted[i];
    const Tensor error = abs(guess - u);
    const double high = amax(u).item<double>(), worst = amax(error).item<double>();
    char note[48];
    std::snprintf(note, sizeof note, "up to %.1f %%", 100 * worst / high);
    grid.images.push_back(picture("permeability", a, amin(a).item<double>(), amax(a).item<double>()));
    grid.images.push_back(picture("pressure", u, 0, high));
    grid.images.push_back(picture("predicted", guess, 0, high));
    grid.images.push_back(picture("error", error, 0, worst, note));
  }
  return image_grid_svg(grid);
}
