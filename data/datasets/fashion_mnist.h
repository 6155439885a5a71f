#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima::data {

/// Images and their classes.
struct LabelledImages {
  Tensor images;  ///< uint8 [N, channels, height, width]
  Tensor labels;  ///< int64 [N]
};

/// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): 60,000 training and 10,000 test images of clothes, grey, 28 × 28, in ten
/// classes. https://github.com/zalandoresearch/fashion-mnist
struct FashionMnist {
  /// The folder of Debian's package dataset-fashion-mnist.
  static constexpr const char* debian_folder = "/usr/share/datasets/fashion-mnist";
  static constexpr const char* class_names[10] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                                  "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

  /// Reads the IDX files, with or without `.gz`, from a folder; an empty name means Debian's. Throws a FileError that
  /// says how to get the data if a file is missing, FormatError if one is invalid.
  MINIMA_API static LabelledImages train(const std::string& folder = "");
  MINIMA_API static LabelledImages test(const std::string& folder = "");
};

}  // namespace minima::data
