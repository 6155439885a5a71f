#include "tests/support/options.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/plots/draw.h>
#include <minima/io/plots/image_grid.h>
#include <minima/io/plots/line_plot.h>
#include <minima/io/plots/tensor_image.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/text/csv_reader.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

namespace minima::io_options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

Tensor image() { return zeros({3, 8, 8}, {.dtype = uint8}); }
Tensor boxes() { return tensor<i64>({{1, 1, 5, 5}}); }
Tensor keypoints() { return tensor<float>({{{1, 1}, {5, 5}}}); }
Tensor batch() { return ones({3, 3, 4, 4}); }
std::vector<CaptionedImage> captioned() { return {{.pixels = {0}, .height = 1, .width = 1}}; }

void open_states(const StateFolderOptions& options) {
  const test::TemporaryFolder folder;
  StateFolder(folder.path(), options);
}

std::vector<OptionRow> rows() {
  return {
      {"CheckpointFolderOptions.keep", "[0, inf)",
       [](int v) { CheckpointFolder(test::TemporaryFolder().path(), {.keep = v}); }},
      {"StateFolderOptions.keep", "[0, inf)", [](int v) { open_states({.keep = v}); }},
      {"StateFolderOptions.keep_best", "[0, inf)", [](int v) { open_states({.keep_best = v}); }},
      {"StateFolderOptions.keep_every", "[0, inf)", [](i64 v) { open_states({.keep_every = v}); }},
      {"StateFolderOptions.bytes_per_second", "[0, inf]", [](double v) { open_states({.bytes_per_second = v}); },
       "no limit"},
      {"StateFolderOptions.retries", "[0, inf)", [](int v) { open_states({.retries = v}); }},
      {"StateFolderOptions.retry_seconds", "[0, inf)", [](double v) { open_states({.retry_seconds = v}); }},
      {"StateFolderOptions.give_up_after", "[0, inf)", [](int v) { open_states({.give_up_after = v}); }},
      {"StateFolderOptions.timeout", "(0, inf]", [](double v) { open_states({.timeout = v}); }, "waits for ever"},
      {"SaveOptions.metric", "any",
       [](double v) {
         const test::TemporaryFolder folder;
         StateFolder(folder.path()).save(1, {}, {.synchronous = true, .metric = v});
       },
       "none"},
      {.name = "WriteOptions", .why = "any number of bytes is a limit; tests/onnx tries 100"},
      {"DrawBoxesOptions.width", "[1, 1000000]", [](i64 v) { draw_bounding_boxes(image(), boxes(), {.width = v}); }},
      {"DrawMasksOptions.alpha", "[0, 1]",
       [](double v) { draw_segmentation_masks(image(), ones({8, 8}, {.dtype = boolean}), {.alpha = v}); }},
      {"DrawKeypointsOptions.connectivity", "[0, 2)",
       [](i64 v) { draw_keypoints(image(), keypoints(), {.connectivity = {{0, v}}}); }, "", "keypoint"},
      {"DrawKeypointsOptions.radius", "[0, 1000000]",
       [](i64 v) { draw_keypoints(image(), keypoints(), {.radius = v}); }},
      {"DrawKeypointsOptions.width", "[1, 1000000]",
       [](i64 v) { draw_keypoints(image(), keypoints(), {.connectivity = {{0, 1}}, .width = v}); }},
      {"MakeGridOptions.columns", "[1, inf)", [](i64 v) { make_grid(batch(), {.columns = v}); }},
      {"MakeGridOptions.padding", "[0, inf)", [](i64 v) { make_grid(batch(), {.padding = v}); }},
      {"MakeGridOptions.low", "(-inf, 1]",
       [](double v) { make_grid(batch(), {.normalize = true, .low = v, .high = 1}); }},
      {"MakeGridOptions.high", "[-1, inf)",
       [](double v) { make_grid(batch(), {.normalize = true, .low = -1, .high = v}); }},
      {"MakeGridOptions.pad_value", "any", [](double v) { make_grid(batch(), {.pad_value = v}); }, "marks the gaps"},
      {"ImageGrid.columns", "[1, inf)", [](int v) { image_grid_svg({.images = captioned(), .columns = v}); }},
      {"ImageGrid.cell", "(0, inf)", [](double v) { image_grid_svg({.images = captioned(), .cell = v}); }},
      {"LinePlot.y_range", "(-inf, inf)",
       [](double v) { line_plot_svg({{.series = {{.x = {0, 1}, .y = {0, 1}}}, .y_range = {v, 2}}}); }},
      {"line_plot_svg.width", "(0, 1000000]",
       [](double v) { line_plot_svg({{.series = {{.x = {0, 1}, .y = {0, 1}}}}}, v); }},
  };
}

TEST(Options, OfIoAreChecked) { test::try_options("io", rows()); }

}  // namespace
}  // namespace minima::io_options_test
