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

#include <unistd.h>

namespace minima::data {

namespace {

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kClasses = 10;

std::string find_file(const std::string& folder, const std::string& name) {
  for (const char* suffix : {"", ".gz"}) {
    const std::string path = folder + "/" + name + suffix;
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  throw FileError(str("Fashion-MNIST: neither ", name, " nor ", name, ".gz is in ", folder,
                      "; install the Debian package dataset-fashion-mnist (apt install dataset-fashion-mnist) or name "
                      "the folder that holds the four files"));
}

LabelledImages read(std::string folder, const std::string& part) {
  const PurposeGuard purpose(Purpose::dataset);
  if (folder.empty()) folder = FashionMnist::debian_folder;
  const std::string images_path = find_file(folder, part + "-images-idx3-ubyte");
  const std::string labels_path = find_file(folder, part + "-labels-idx1-ubyte");

  const Tensor images = read_idx(images_path);
  if (images.dtype() != DType::uint8 || images.rank() != 3 || images.size(1) != kSide || images.size(2) != kSide)
    throw FormatError(str(images_path, ": expected uint8 [N, 28, 28], found ", images));
  const Tensor labels = read_idx(labels_path);
  if (labels.dtype() != DType::uint8 || labels.rank() != 1 || labels.size(0) != images.size(0))
    throw FormatError(str(labels_path, ": expected uint8 [", images.size(0), "], one label per image, found ", labels));

  const std::int64_t count = images.size(0);
  Tensor wide = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t label = labels.data<std::uint8_t>()[i];
    if (label >= kClasses)
      throw FormatError(str(labels_path, ": byte ", 8 + i, ": label ", label, ", but the classes are 0 to 9"));
    wide.data<std::int64_t>()[i] = label;
  }
  const Layout with_channel = Layout::contiguous({count, 1, kSide, kSide});
  return {Tensor(new TensorImpl(images.impl()->storage, with_channel, images.dtype())), wide};
}

}  // namespace

LabelledImages FashionMnist::train(const std::string& folder) { return read(folder, "train"); }
LabelledImages FashionMnist::test(const std::string& folder) { return read(folder, "t10k"); }

}  // namespace minima::data
