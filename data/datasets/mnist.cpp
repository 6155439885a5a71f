#include <minima/data/datasets/mnist.h>

#include <minima/data/datasets/fashion_mnist.h>
#include <minima/data/datasets/idx.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <cstdint>
#include <string>
#include <utility>

#include <unistd.h>

namespace minima::data {

namespace {

constexpr std::int64_t side = 28;

std::string find_file(const char* name, const std::string& folder, const std::string& file, const char* hint) {
  for (const char* suffix : {"", ".gz"}) {
    const std::string path = folder + "/" + file + suffix;
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  throw FileError(str(name, ": neither ", file, " nor ", file, ".gz is in ", folder, "; ", hint));
}

}  // namespace

namespace detail {

LabelledImages read_mnist(const char* name, const std::string& folder, const std::string& prefix, std::int64_t classes,
                          const char* hint) {
  const PurposeGuard purpose(Purpose::dataset);
  const std::string images_path = find_file(name, folder, prefix + "-images-idx3-ubyte", hint);
  const std::string labels_path = find_file(name, folder, prefix + "-labels-idx1-ubyte", hint);

  const Tensor images = read_idx(images_path);
  if (images.dtype() != DType::uint8 || images.rank() != 3 || images.size(1) != side || images.size(2) != side)
    throw FormatError(str(images_path, ": expected uint8 [N, 28, 28], found ", images));
  const Tensor labels = read_idx(labels_path);
  if (labels.dtype() != DType::uint8 || labels.rank() != 1 || labels.size(0) != images.size(0))
    throw FormatError(str(labels_path, ": expected uint8 [", images.size(0), "], one label per image, found ", labels));

  const std::int64_t count = images.size(0);
  Tensor wide = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t label = labels.data<std::uint8_t>()[i];
    if (label >= classes)
      throw FormatError(
          str(labels_path, ": byte ", 8 + i, ": label ", label, ", but the classes are 0 to ", classes - 1));
    wide.data<std::int64_t>()[i] = label;
  }
  const Layout with_channel = Layout::contiguous({count, 1, side, side});
  return {Tensor(new TensorImpl(images.impl()->storage, with_channel, images.dtype())), wide};
}

}  // namespace detail

namespace {

constexpr const char* name_the_folder = "name the folder that holds the four files";

const char* name_of(EMnist::Split split) {
  constexpr const char* names[] = {"byclass", "bymerge", "balanced", "letters", "digits", "mnist"};
  return names[static_cast<int>(split)];
}

LabelledImages read_emnist(const std::string& folder, EMnist::Split split, const char* part) {
  const std::string prefix = str("emnist-", name_of(split), "-", part);
  LabelledImages read = detail::read_mnist("EMNIST", folder, prefix, EMnist::classes(split), name_the_folder);
  auto* pixels = read.images.data<std::uint8_t>();
  for (std::int64_t i = 0; i < read.images.size(0); ++i, pixels += side * side)
    for (std::int64_t row = 0; row < side; ++row)
      for (std::int64_t column = 0; column < row; ++column)
        std::swap(pixels[row * side + column], pixels[column * side + row]);
  return read;
}

}  // namespace

LabelledImages Mnist::train(const std::string& folder) {
  return detail::read_mnist("MNIST", folder, "train", 10, name_the_folder);
}
LabelledImages Mnist::test(const std::string& folder) {
  return detail::read_mnist("MNIST", folder, "t10k", 10, name_the_folder);
}
LabelledImages KMnist::train(const std::string& folder) {
  return detail::read_mnist("KMNIST", folder, "train", 10, name_the_folder);
}
LabelledImages KMnist::test(const std::string& folder) {
  return detail::read_mnist("KMNIST", folder, "t10k", 10, name_the_folder);
}
LabelledImages EMnist::train(const std::string& folder, Split split) { return read_emnist(folder, split, "train"); }
LabelledImages EMnist::test(const std::string& folder, Split split) { return read_emnist(folder, split, "test"); }

std::int64_t EMnist::classes(Split split) {
  constexpr std::int64_t counts[] = {62, 47, 47, 27, 10, 10};
  return counts[static_cast<int>(split)];
}

}  // namespace minima::data
