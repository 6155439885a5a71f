#pragma once

#include <minima/data/datasets/fashion_mnist.h>

#include <string>

// Data sets in MNIST's files: images uint8 [N, 1, 28, 28] and labels int64 [N]. Each reads IDX files, with or without
// `.gz`, from a folder. They throw FileError if a file is missing and FormatError if one is invalid.

namespace minima::data {

/// Handwritten digits (LeCun et al. 1998): 60,000 training and 10,000 test images. torchvision's MNIST.
struct Mnist {
  MINIMA_API static LabelledImages train(const std::string& folder);
  MINIMA_API static LabelledImages test(const std::string& folder);
};

/// Cursive Japanese characters in ten classes (Clanuwat et al. 2018), as many images. torchvision's KMNIST.
struct KMnist {
  static constexpr const char* class_names[10] = {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"};
  MINIMA_API static LabelledImages train(const std::string& folder);
  MINIMA_API static LabelledImages test(const std::string& folder);
};

/// Handwritten letters and digits (Cohen et al. 2017). torchvision's EMNIST, but its files hold images with rows and
/// columns exchanged, which are put right here.
struct EMnist {
  enum class Split : std::uint8_t { byclass, bymerge, balanced, letters, digits, mnist };
  /// Labels count from 0, for `letters` from 1.
  MINIMA_API static LabelledImages train(const std::string& folder, Split split);
  MINIMA_API static LabelledImages test(const std::string& folder, Split split);
  /// One more than the largest label of the split.
  MINIMA_API static std::int64_t classes(Split split);
};

namespace detail {
/// Reads FOLDER/PREFIX-images-idx3-ubyte and -labels-idx1-ubyte; `hint` ends the error about a missing file.
MINIMA_API LabelledImages read_mnist(const char* name, const std::string& folder, const std::string& prefix,
                                     std::int64_t classes, const char* hint);
}  // namespace detail

}  // namespace minima::data
