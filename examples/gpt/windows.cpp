#include "windows.h"

#include "kjv.h"

#include <minima/data/datasets/tokens.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/format.h>

#include <filesystem>
#include <string_view>

using namespace minima;

namespace {

constexpr const char* debian = "/usr/lib/bible.data";

std::string read_text(const std::string& path) {
  const std::string name = path.empty() ? debian : path;
  if (path.empty() && !std::filesystem::exists(name))
    throw FileError(name + ": no such file; install Debian's bible-kjv-text or pass a text with --text FILE");
  if (std::filesystem::is_directory(name)) throw FileError(name + ": is a folder; --text needs a file");
  const MappedFile file(name);
  std::string bytes(file.text());
  if (bytes.empty()) throw ValueError(name + ": the file is empty; --text needs text to train on");
  return is_kjv(bytes) ? unpack_kjv(bytes) : bytes;
}

/// The offset at which the last tenth begins, at the beginning of a line if there is one.
std::size_t validation_begin(std::string_view text) {
  const std::size_t tenth = text.size() / 10 * 9;
  const std::size_t line = text.find('\n', tenth);
  return line == text.npos ? tenth : line + 1;
}

}  // namespace

Windows::Windows(const Options& options) : Windows(options, read_text(options.text)) {}

Windows::Windows(const Options& options, const std::string& text)
    : Corpus(data::Tokenizer::train_on(std::string_view(text).substr(0, validation_begin(text)),
                                       {.vocabulary = options.dial.vocabulary})),
      length_(options.dial.length),
      seed_(options.seed),
      batches_(options.seed) {
  const std::string_view all = text, train = all.substr(0, validation_begin(all)), rest = all.substr(train.size());
  training_ = tokenizer_.encode(train, {.parse_special = false});
  validation_ = tokenizer_.encode(rest, {.parse_special = false});
  for (const auto* part : {&training_, &validation_})
    if (static_cast<std::int64_t>(part->size()) <= length_)
      throw ValueError(str(options.text.empty() ? debian : options.text, ": the text is too short: ", part->size(),
                           " tokens for ", part == &training_ ? "training" : "validation", ", but a row has ", length_,
                           " and one follows; lower --length"));
  bytes_per_token_ = static_cast<double>(rest.size()) / static_cast<double>(validation_.size());
}

std::string Windows::text() const {
  return str(training_.size(), " training and ", validation_.size(), " validation tokens, ", bytes_text());
}

Corpus::Batch Windows::rows_at(std::span<const std::int64_t> tokens, const std::vector<std::int64_t>& starts) const {
  const Shape shape{static_cast<std::int64_t>(starts.size()), length_};
  Batch batch{empty(shape, {.dtype = int64}), empty(shape, {.dtype = int64}), {}};
  auto *to = batch.tokens.data<std::int64_t>(), *next = batch.targets.data<std::int64_t>();
  for (const std::int64_t start : starts) {
    const auto row = tokens.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length_) + 1);
    to = std::copy(row.begin(), row.end() - 1, to);
    next = std::copy(row.begin() + 1, row.end(), next);
  }
  return batch;
}

std::vector<std::int64_t> Windows::draw_starts(std::int64_t rows, RandomGenerator& generator) const {
  const auto most = static_cast<std::int64_t>(training_.size()) - length_;
  return randint(0, most, {rows}, {.dtype = int64}, &generator).to_vector<std::int64_t>();
}

Corpus::Batch Windows::draw(std::int64_t rows) { return rows_at(training_, draw_starts(rows, batches_)); }

std::int64_t Windows::validation_count() const { return (static_cast<std::int64_t>(validation_.size()) - 1) / length_; }

Corpus::Batch Windows::validation_rows(std::int64_t first, std::int64_t rows) const {
  std::vector<std::int64_t> starts;
  for (std::int64_t row = first; row < first + rows; ++row) starts.push_back(row * length_);
  return rows_at(validation_, starts);
}

void Windows::write_dump(const std::string& folder, std::int64_t rows, std::int64_t draws) const {
  std::filesystem::create_directories(folder);
  data::write_tokens(folder + "/train.bin", training_);
  data::write_tokens(folder + "/val.bin", validation_);
  RandomGenerator batches(seed_);
  std::vector<std::int64_t> starts;
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    const std::vector<std::int64_t> drawn = draw_starts(rows, batches);
    starts.insert(starts.end(), drawn.begin(), drawn.end());
  }
  data::write_tokens(folder + "/starts.bin", starts);
}
