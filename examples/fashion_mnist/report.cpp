#include "report.h"

#include <cstdio>
#include <filesystem>

using namespace minima;

namespace {

std::string path_in(const Options& options, const char* name) {
  std::filesystem::create_directories(options.out);
  return (std::filesystem::path(options.out) / name).string();
}

LinePlot plot(const char* title, const char* y_label, const std::vector<EpochRecord>& records,
              double EpochRecord::* training, double EpochRecord::* validation) {
  LinePlot result{.title = title, .x_label = "epoch", .y_label = y_label, .whole_x = true};
  for (const auto& [name, member] : {std::pair{"training", training}, std::pair{"validation", validation}}) {
    Series& series = result.series.emplace_back();
    series.name = name;
    for (const EpochRecord& record : records) {
      series.x.push_back(record.epoch);
      series.y.push_back(record.*member);
    }
  }
  return result;
}

}  // namespace

std::string loss_text(double loss) {
  char text[32];
  std::snprintf(text, sizeof text, "loss %.4f", loss);
  return text;
}

void report_epoch(const Options& options, const std::vector<EpochRecord>& records) {
  const EpochRecord& r = records.back();
  std::printf("epoch %d/%d  train loss %.4f accuracy %.4f  validation loss %.4f accuracy %.4f  %.0f img/s  %.1f s\n",
              r.epoch, options.epochs, r.train_loss, r.train_accuracy, r.validation_loss, r.validation_accuracy,
              r.images_per_second, r.seconds);
  std::fflush(stdout);

  CsvWriter log(path_in(options, "log.csv"), {"epoch", "train_loss", "train_accuracy", "validation_loss",
                                              "validation_accuracy", "images_per_second", "seconds"});
  for (const EpochRecord& row : records)
    log.row(row.epoch, row.train_loss, row.train_accuracy, row.validation_loss, row.validation_accuracy,
            row.images_per_second, row.seconds);
  write_file(
      path_in(options, "learning_curve.svg"),
      line_plot_svg(
          {plot("Cross entropy", "loss", records, &EpochRecord::train_loss, &EpochRecord::validation_loss),
           plot("Accuracy", "accuracy", records, &EpochRecord::train_accuracy, &EpochRecord::validation_accuracy)}));
}

void draw_misclassified(const Options& options, const data::LabelledImages& set, const Evaluation& evaluation) {
  constexpr std::size_t most = 36;
  ImageGrid grid{.title = "Misclassified test images"};
  const std::vector<std::int64_t> labels = set.labels.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < labels.size() && grid.images.size() < most; ++i) {
    if (evaluation.predictions[i] == labels[i]) continue;
    CaptionedImage& image = grid.images.emplace_back();
    image.pixels = set.images[static_cast<std::int64_t>(i)].to_vector<std::uint8_t>();
    image.height = image.width = 28;
    image.caption = data::FashionMnist::class_names[labels[i]];
    image.note = std::string("taken for ") + data::FashionMnist::class_names[evaluation.predictions[i]];
  }
  write_file(path_in(options, "misclassified.svg"), image_grid_svg(grid));
}

Tensor misclassified(const data::LabelledImages& set, const Evaluation& evaluation, std::size_t most) {
  const std::vector<std::int64_t> labels = set.labels.to_vector<std::int64_t>();
  std::vector<Tensor> images;
  for (std::size_t i = 0; i < labels.size() && images.size() < most; ++i)
    if (evaluation.predictions[i] != labels[i]) images.push_back(set.images[static_cast<std::int64_t>(i)]);
  return images.empty() ? slice(set.images, 0, 0, static_cast<std::int64_t>(most)) : stack(images);
}

State Records::state_dict() const {
  State state;
  state.set_integer("count", static_cast<std::int64_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EpochRecord& r = rows[i];
    State row;
    row.set_number("train_loss", r.train_loss);
    row.set_number("train_accuracy", r.train_accuracy);
    row.set_number("validation_loss", r.validation_loss);
    row.set_number("validation_accuracy", r.validation_accuracy);
    row.set_number("images_per_second", r.images_per_second);
    row.set_number("seconds", r.seconds);
    state.add(std::to_string(i), row);
  }
  return state;
}

void Records::load_state_dict(const State& state) {
  rows.clear();
  for (std::int64_t i = 0; i < state.integer("count"); ++i) {
    const State row = state.sub(std::to_string(i));
    rows.push_back({.epoch = static_cast<int>(i) + 1,
                    .train_loss = row.number("train_loss"),
                    .train_accuracy = row.number("train_accuracy"),
                    .validation_loss = row.number("validation_loss"),
                    .validation_accuracy = row.number("validation_accuracy"),
                    .images_per_second = row.number("images_per_second"),
                    .seconds = row.number("seconds")});
  }
}
