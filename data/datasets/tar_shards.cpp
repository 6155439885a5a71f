#include <minima/data/datasets/tar_shards.h>

#include <minima/data/dataset.h>
#include <minima/data/datasets/tar_index.h>
#include <minima/data/images/decode.h>
#include <minima/data/images/folder.h>
#include <minima/data/sampling/random.h>
#include <minima/io/archives/inflate.h>
#include <minima/io/archives/tar.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

/// Reads an archive sample by sample.
class Shard {
 public:
  Shard(const std::string& path, std::uint64_t most)
      : file_(path), bytes_(open_bytes(file_.bytes(), path)), tar_(*bytes_, path), most_(most) {
    advance();
  }
  bool ended() const { return !has_next_; }
  /// Reads the next sample, or skips it if `sample` is null.
  void read(TarSample* sample) {
    std::string key = key_;
    if (sample) {
      sample->key = key;
      sample->parts.clear();
    }
    std::uint64_t bytes = 0;
    detail::RepeatedParts repeated;
    while (has_next_ && key_ == key) {
      repeated.check(key, extension_, file_.path(), entry_.data);
      if (sample) {
        bytes += entry_.size + extension_.size();
        if (bytes > most_ || sample->parts.size() == max_parts) fail(key, bytes, sample->parts.size() + 1);
        tar_.read(entry_, sample->parts.emplace_back(TarSample::Part{extension_, {}}).content, most_);
      }
      advance();
    }
  }

 private:
  // A few kilobytes of compressed archive can hold millions of empty files.
  static constexpr std::size_t max_parts = 10'000;

  [[noreturn]] void fail(const std::string& key, std::uint64_t bytes, std::size_t parts) const {
    minima::detail::throw_format_error(
        file_.path(), entry_.data,
        str("sample ", key, " has ", bytes, " bytes in its first ", parts, " files; the limit is ", most_,
            " bytes (ShardOptions::max_bytes) in ", max_parts, " files"));
  }
  void advance() {
    while ((has_next_ = tar_.next(entry_)))
      if (auto name = detail::split_sample_name(entry_.name)) {
        std::tie(key_, extension_) = std::move(*name);
        return;
      }
  }
  MappedFile file_;
  std::unique_ptr<ByteSource> bytes_;
  TarReader tar_;
  std::uint64_t most_;
  TarReader::Entry entry_;
  std::string key_, extension_;
  bool has_next_ = false;
};

}  // namespace

std::optional<std::pair<std::string, std::string>> detail::split_sample_name(const std::string& name) {
  const std::string_view first = std::string_view(name).substr(0, name.find('/'));
  if (first.size() >= 4 && first.starts_with("__") && first.ends_with("__")) return {};
  const std::size_t start = name.rfind('/') + 1;  // 0 without a folder
  const std::size_t dot = name.find('.', start);
  if (dot == std::string::npos) return {};
  if (dot == start) {
    // webdataset's pattern, ((?:.*/|)[^.]+)[.]([^/]*), takes `a/.x` for the file `x` of the sample `a/`.
    if (start == 0) return {};
    const std::size_t folder = start < 2 ? 0 : name.rfind('/', start - 2) + 1;
    if (name.substr(folder, start - folder).find('.') != std::string::npos) return {};
  }
  std::string extension = name.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::pair(name.substr(0, dot), std::move(extension));
}

void detail::RepeatedParts::check(const std::string& key, const std::string& extension, const std::string& source,
                                  std::uint64_t at) {
  if (!extensions_.insert(extension).second)
    minima::detail::throw_format_error(source, at, str("sample ", key, " has two files .", extension));
}

const std::string* TarSample::find(std::string_view extension) const {
  for (const Part& part : parts)
    if (part.extension == extension) return &part.content;
  return nullptr;
}

const std::string& TarSample::at(std::string_view extension) const {
  if (const std::string* content = find(extension)) return *content;
  std::string has;
  for (const Part& part : parts) has += str(has.empty() ? "" : ", ", part.extension);
  throw FormatError(
      minima::detail::printable(str(key, ": the sample has no .", std::string(extension), ", only ", has)));
}

struct TarShards::Stream::Reading {
  std::vector<std::string> paths;
  ShardOptions options;
  RandomStream random;
  std::size_t next_path = 0;
  std::unique_ptr<Shard> shard;
  std::vector<TarSample> buffer;

  /// Opens the shard with the next sample; false after the last one.
  bool find() {
    while (!shard || shard->ended()) {
      shard.reset();
      if (next_path == paths.size()) return false;
      shard = std::make_unique<Shard>(paths[next_path], static_cast<std::uint64_t>(options.max_bytes));
      ++next_path;
    }
    return true;
  }
};

TarShards::TarShards(std::vector<std::string> paths, ShardOptions options)
    : paths_(std::move(paths)), options_(options) {
  if (options.shuffle_buffer < 0 || options.max_bytes < 1)
    throw ValueError(str("TarShards: shuffle_buffer must be at least 0 and max_bytes at least 1, got ",
                         options.shuffle_buffer, " and ", options.max_bytes));
}

TarShards::Stream TarShards::open(const FetchContext& context) const {
  std::vector<std::string> paths = paths_;
  if (options_.shuffle) {
    const std::vector<std::int64_t> order =
        permutation(static_cast<std::int64_t>(paths.size()), context.seed, context.epoch);
    for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = paths_[static_cast<std::size_t>(order[i])];
  }
  constexpr std::uint64_t buffer_size = 0x627566666572;  // separates these draws from the samples'
  return Stream(std::move(paths), options_, RandomStream(derived_key(context.seed, context.epoch, buffer_size)));
}

TarShards::Stream::Stream(std::vector<std::string> paths, ShardOptions options, RandomStream random)
    : reading_(new Reading{std::move(paths), options, random, 0, nullptr, {}}) {}
TarShards::Stream::Stream(Stream&& other) noexcept : reading_(std::exchange(other.reading_, nullptr)) {}
TarShards::Stream::~Stream() { delete reading_; }

bool TarShards::Stream::next(TarSample& sample) {
  Reading& r = *reading_;
  if (r.options.shuffle_buffer == 0) {
    if (!r.find()) return false;
    r.shard->read(&sample);
    return true;
  }
  while (static_cast<std::int64_t>(r.buffer.size()) < r.options.shuffle_buffer && r.find())
    r.shard->read(&r.buffer.emplace_back());
  if (r.buffer.empty()) return false;
  TarSample& drawn = r.buffer[static_cast<std::size_t>(r.random.below(static_cast<std::int64_t>(r.buffer.size())))];
  std::swap(sample, drawn);
  std::swap(drawn, r.buffer.back());
  r.buffer.pop_back();
  return true;
}

void TarShards::Stream::skip(std::int64_t samples) {
  TarSample passed;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (reading_->options.shuffle_buffer > 0) {
      if (!next(passed)) return;
    } else {
      if (!reading_->find()) return;
      reading_->shard->read(nullptr);
    }
  }
}

std::vector<std::string> expand_braces(const std::string& pattern) {
  constexpr std::size_t max_count = 1'000'000;
  const std::size_t open = pattern.find('{'), close = pattern.find('}');
  if (open == std::string::npos && close == std::string::npos) return {pattern};
  const auto bad = [&](const char* what) { return ValueError(str("expand_braces: \"", pattern, "\" ", what)); };
  if (open == std::string::npos || close == std::string::npos || close < open) throw bad("has an unmatched brace");
  const std::string inside = pattern.substr(open + 1, close - open - 1);
  if (inside.find('{') != std::string::npos) throw bad("has nested braces");
  std::vector<std::string> choices;
  const std::size_t dots = inside.find("..");
  if (dots != std::string::npos) {
    const std::string low = inside.substr(0, dots), high = inside.substr(dots + 2);
    std::uint64_t first = 0, last = 0;
    const auto parse = [&](const std::string& text, std::uint64_t& value) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size()) throw bad("has a range whose ends are not numbers");
    };
    parse(low, first);
    parse(high, last);
    if (last < first || last - first >= max_count) throw bad("has a range that is empty or longer than a million");
    for (std::uint64_t i = first; i <= last; ++i) {
      std::string number = str(i);
      if (number.size() < low.size()) number.insert(0, low.size() - number.size(), '0');
      choices.push_back(std::move(number));
    }
  } else {
    for (std::size_t at = 0; at <= inside.size();) {
      const std::size_t comma = std::min(inside.find(',', at), inside.size());
      choices.push_back(inside.substr(at, comma - at));
      at = comma + 1;
    }
  }
  const std::vector<std::string> rest = expand_braces(pattern.substr(close + 1));
  if (rest.size() * choices.size() > max_count) throw bad("expands to more than a million paths");
  std::vector<std::string> all;
  for (const std::string& choice : choices)
    for (const std::string& end : rest) all.push_back(pattern.substr(0, open) + choice + end);
  return all;
}

std::span<const std::byte> detail::image_bytes(const TarSample& sample) {
  const std::string* bytes = nullptr;
  for (const char* extension : {"jpg", "jpeg", "png"})
    if (!bytes) bytes = sample.find(extension);
  if (!bytes) bytes = &sample.at("jpg");
  return std::as_bytes(std::span(bytes->data(), bytes->size()));
}

std::int64_t detail::class_number(const TarSample& sample) {
  const std::string& label = sample.at("cls");
  std::int64_t number = 0;
  std::size_t size = label.size();
  while (size > 0 && (label[size - 1] == '\n' || label[size - 1] == '\r' || label[size - 1] == ' ')) --size;
  const auto [end, error] = std::from_chars(label.data(), label.data() + size, number);
  if (error != std::errc() || end != label.data() + size)
    minima::detail::throw_format_error(sample.key + ".cls", 0, "not a number");
  return number;
}

LabelledImage labelled_image(const TarSample& sample, DecodeOptions options) {
  const std::span<const std::byte> bytes = detail::image_bytes(sample);
  const std::int64_t label = detail::class_number(sample);
  return {decode_image(bytes, sample.key, options), label};
}

}  // namespace minima::data
