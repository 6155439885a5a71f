#pragma once

#include <minima/data/dataset.h>
#include <minima/data/images/folder.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/base/counted.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Shards as WebDataset lays them out: tar archives in which consecutive files of one name up to its first dot are one
// sample: `n01/17.jpg`, `n01/17.cls`.

namespace minima::data {

/// The files of a sample.
struct TarSample {
  struct Part {
    std::string extension;  ///< what follows the first dot: `jpg`, `seg.png`
    std::string content;
  };
  std::string key;
  std::vector<Part> parts;

  /// The content of the part with this extension; null if there is none.
  MINIMA_API const std::string* find(std::string_view extension) const;
  /// The same; throws FormatError naming the sample and what it has.
  MINIMA_API const std::string& at(std::string_view extension) const;
};

/// `train-{0000..0147}.tar`, `{a,b}/x.tar` → all paths, in order. A range keeps the width of its first number. Throws
/// ValueError for braces that do not match and for more than a million paths.
MINIMA_API std::vector<std::string> expand_braces(const std::string& pattern);

struct ShardOptions {
  bool shuffle = false;                             ///< the order of the shards, by seed and epoch
  std::int64_t shuffle_buffer = 0;                  ///< samples from which the next one is drawn; 0 keeps their order
  std::int64_t most_bytes = std::int64_t{1} << 30;  ///< of one sample, its files together; a larger one is refused
};

/// A stream of the samples of shards, plain or compressed with gzip or zstd, read from front to back through the page
/// cache. A shard that was cut off or of which a piece is lost is a FormatError with the byte (see TarReader), also
/// where it would seem to have only fewer samples. Give it to a DataLoader as `decoded(TarShards(…), f)`, or use the
/// parts as they are with a collation.
class MINIMA_API TarShards {
 public:
  explicit TarShards(const std::string& pattern, ShardOptions options = {})
      : TarShards(expand_braces(pattern), options) {}
  explicit TarShards(std::vector<std::string> paths, ShardOptions options = {});

  class Stream;
  Stream open(const FetchContext& context) const;
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  ShardOptions options_;
};

class MINIMA_API TarShards::Stream {
 public:
  using Record = TarSample;
  Stream(std::vector<std::string> paths, ShardOptions options, RandomStream random);
  Stream(Stream&&) noexcept;
  ~Stream();
  bool next(TarSample& sample);
  /// Does not read the contents, unless they are shuffled or compressed.
  void skip(std::int64_t samples);

 private:
  struct Reading;
  Reading* reading_;
};

struct TarIndexOptions {
  /// Keep where the files of an archive lie in SHARD.index beside it (safetensors), so that the next program need not
  /// go through the archive. An index of an archive that has changed since is written anew.
  bool keep = false;
};

/// The samples of uncompressed shards by index: their headers are read once, contents when they are asked for. Throws
/// FormatError for a broken shard or index, as TarShards does, and FileError also where an index cannot be written.
class MINIMA_API IndexedTar {
 public:
  explicit IndexedTar(const std::string& pattern, TarIndexOptions options = {})
      : IndexedTar(expand_braces(pattern), options) {}
  explicit IndexedTar(const std::vector<std::string>& paths, TarIndexOptions options = {});
  IndexedTar(const IndexedTar&);
  IndexedTar(IndexedTar&&) noexcept;
  ~IndexedTar();

  std::int64_t size() const;
  TarSample get(std::int64_t index) const;
  /// `train-0003.tar: n01/17`
  std::string describe(std::int64_t index) const;

 private:
  struct Index;
  Ref<Counted> index_;
  const Index& index() const;
};

/// A stream whose records go through `f(record, random)` on the workers.
template <class Dataset, class F>
struct Decoded {
  Dataset dataset;
  F f;
  auto open(const FetchContext& context) const { return dataset.open(context); }
  template <class Record>
  auto decode(Record& record, RandomStream random) const {
    return f(record, random);
  }
};
/// Decoded{dataset, f}, as a function.
template <class Dataset, class F>
Decoded<Dataset, F> decoded(Dataset dataset, F f) {
  return {std::move(dataset), std::move(f)};
}

namespace detail {
MINIMA_API std::span<const std::byte> image_bytes(const TarSample& sample);
MINIMA_API std::int64_t class_number(const TarSample& sample);
}  // namespace detail

/// The image in `jpg`, `jpeg` or `png` and the number in `cls`. Throws FormatError.
MINIMA_API LabelledImage labelled_image(const TarSample& sample, DecodeOptions options = {});
/// The same with the image going through a transform, which need not decode all of it:
///
///     decoded(TarShards("train-{000..147}.tar"), [=](TarSample& sample, RandomStream random) {
///       return labelled_image(sample, crop_and_flip, random, {.least_side = 224});
///     })
template <class Transform>
LabelledImage labelled_image(const TarSample& sample, const Transform& transform, RandomStream random,
                             DecodeOptions options = {}) {
  ImageDecoder image(detail::image_bytes(sample), sample.key, options);
  return {detail::decode_through(transform, image, random), detail::class_number(sample)};
}

}  // namespace minima::data
