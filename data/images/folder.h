#pragma once

#include <minima/data/images/decode.h>
#include <minima/data/sampling/random.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace minima::data {

/// An image and its class.
struct LabelledImage {
  Tensor image;  ///< uint8 [H, W, C]
  std::int64_t label = 0;
  struct Batch {
    Tensor image;  ///< uint8 [B, H, W, C]
    Tensor label;  ///< int64 [B]
  };
};

struct ImageFolderOptions {
  /// The classes in the order of their labels, some of which may have no folder here: `.classes = training.classes()`
  /// gives a validation set the labels of the training set. Empty: the names of the folders, sorted.
  std::vector<std::string> classes = {};
  bool allow_empty = false;  ///< folders without an image are classes too, instead of an error
  DecodeOptions decode = {};
};

/// Images in one folder per class: `ROOT/CLASS/…/FILE`, with files ending in .jpg, .jpeg or .png, in any case. Classes
/// and files are sorted by name. Links are followed, except to a folder that holds the link. Folders whose names begin
/// with a dot are left out at any depth. So are images in other formats, which are counted in `left_out` and reported
/// on stderr. Images keep their sizes; use with_transform (transforms.h) to make them equal. torchvision's ImageFolder.
class MINIMA_API ImageFolder {
 public:
  /// Throws FileError if the folder cannot be read. Throws ValueError if there is no image in it, or in one of its
  /// class folders unless `allow_empty`, and for a folder that is not among `classes`.
  explicit ImageFolder(const std::string& root, DecodeOptions options = {})
      : ImageFolder(root, ImageFolderOptions{.classes = {}, .decode = options}) {}
  ImageFolder(const std::string& root, const ImageFolderOptions& options);

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  const std::vector<std::string>& classes() const { return classes_; }
  /// Images in formats that minima does not read: `.webp` and so on, and how many.
  const std::map<std::string, std::int64_t>& left_out() const { return left_out_; }
  std::int64_t label(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].label; }
  /// The file's path relative to the root.
  std::string describe(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].path; }
  LabelledImage get(std::int64_t index) const;
  /// The same, but `make(decoder)` returns the image; it may decode only a part of the file.
  template <class Make>
  requires std::is_invocable_r_v<Tensor, Make&, ImageDecoder&>
  LabelledImage get(std::int64_t index, Make&& make) const {
    const MappedFile file = open(index);
    ImageDecoder image(file.bytes(), file.path(), options_);
    return {make(image), label(index)};
  }

 private:
  struct File {
    std::string path;
    std::int64_t label;
  };
  MappedFile open(std::int64_t index) const;
  void add_files(const std::string& folder, std::int64_t label, std::vector<std::string>& above);

  std::string root_;
  DecodeOptions options_;
  std::vector<std::string> classes_;
  std::vector<File> files_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace minima::data
