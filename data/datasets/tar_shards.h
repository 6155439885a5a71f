#pragma once

#include <minima/data/dataset.h>
#include <minima/data/images/folder.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/base/counted.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// WebDataset shards: tar archives in which consecutive files with the same name up to the first dot form one sample:
// `n01/17.jpg`, `n01/17.cls`. Extensions are in lower case, whatever their case in the archive. As in the webdataset
// package, files without a dot (`README`), hidden files at the top and `__NAME__` are passed over, and two files of one
// name in a sample are an error.

namespace minima::data {

/// The files of a sample.
struct TarSample {
  struct Part {
    std::string extension;  ///< after the first dot, in lower case: `jpg`, `seg.png`
    std::string content;
  };
  std::string key;
  std::vector<Part> parts;

  /// The content of the file with this extension; null if there is none.
  MINIMA_API const std::string* find(std::string_view extension) const;
  /// The same; throws a FormatError that names the sample and its extensions.
  MINIMA_API const std::string& at(std::string_view extension) const;
};

/// Brace expansion as in a shell: `train-{0000..0147}.tar`, `{a,b}/x.tar` → all paths, in order. Numbers are padded to
/// the width of the first. Throws ValueError for unmatched or nested braces and for more than a million paths.
MINIMA_API std::vector<std::string> expand_braces(const std::string& pattern);

struct ShardOptions {
  bool shuffle = false;                            ///< shuffle the shards each epoch
  std::int64_t shuffle_buffer = 0;                 ///< draw each sample from a buffer of this many; 0: in order
  std::int64_t max_bytes = std::int64_t{1} << 30;  ///< upper limit for a sample's files together
};

/// Streams the samples of tar shards, plain or compressed with gzip or zstd. A truncated or corrupt shard is always a
/// FormatError with the byte offset, never just fewer samples (see TarReader). Pass it to a DataLoader as
/// `decoded(TarShards(…), f)`, or with a custom collation.
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
  /// Reads only headers, unless samples are shuffled or compressed.
  void skip(std::int64_t samples);

 private:
  struct Reading;
  Reading* reading_;
};

struct TarIndexOptions {
  /// Store each archive's index as SHARD.index (safetensors) in the same folder, so that later programs need not scan
  /// the archive. The index is rewritten when the archive has changed.
  bool keep = false;
};

/// Random access to the samples of uncompressed tar shards. Scans the headers once and reads contents on demand. Throws
/// FormatError for a corrupt shard or index, FileError if an index cannot be written.
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

/// A stream whose workers turn records into samples by `f(record, random)`.
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

/// Decodes the image in `jpg`, `jpeg` or `png` and the class number in `cls`. Throws FormatError.
MINIMA_API LabelledImage labelled_image(const TarSample& sample, DecodeOptions options = {});
/// The same with a transform, which may decode only a part of the image:
///
///     decoded(TarShards("train-{000..147}.tar"), [=](TarSample& sample, RandomStream random) {
///       return labelled_image(sample, crop_and_flip, random, {.min_side = 224});
///     })
template <class Transform>
LabelledImage labelled_image(const TarSample& sample, const Transform& transform, RandomStream random,
                             DecodeOptions options = {}) {
  ImageDecoder image(detail::image_bytes(sample), sample.key, options);
  return {detail::decode_through(transform, image, random), detail::class_number(sample)};
}

}  // namespace minima::data
