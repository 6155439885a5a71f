#pragma once

#include <minima/data/datasets/fashion_mnist.h>
#include <minima/tensor/tensor.h>

#include <string>

namespace minima::data {

/// CIFAR-10 in its "binary version" (Krizhevsky 2009): 50,000 training and 10,000 test images, uint8 [N, 3, 32, 32],
/// ten classes. https://www.cs.toronto.edu/~kriz/cifar.html
struct Cifar10 {
  static constexpr const char* class_names[10] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                  "dog",      "frog",       "horse", "ship", "truck"};
  /// Reads data_batch_1.bin … data_batch_5.bin from the folder `cifar-10-batches-bin`.
  MINIMA_API static LabelledImages train(const std::string& folder);
  /// Reads test_batch.bin.
  MINIMA_API static LabelledImages test(const std::string& folder);
};

/// CIFAR-100 in its "binary version": as many images, in 100 classes grouped into 20 superclasses.
struct Cifar100 {
  enum class Labels { fine, coarse };
  /// Reads train.bin or test.bin from the folder `cifar-100-binary`.
  MINIMA_API static LabelledImages train(const std::string& folder, Labels labels = Labels::fine);
  MINIMA_API static LabelledImages test(const std::string& folder, Labels labels = Labels::fine);
};

}  // namespace minima::data
