#include <minima/data/datasets/cifar.h>

#include <minima/data/datasets/fashion_mnist.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace minima::data {

namespace {

constexpr std::int64_t cifar_side = 32, channels = 3;
constexpr std::size_t pixel_count = cifar_side * cifar_side * channels;

/// A record is one or two label bytes, then the red, green and blue planes.
struct Format {
  std::size_t label_bytes;
  std::size_t label_at;
  int classes;
  std::size_t record() const { return label_bytes + pixel_count; }
};
constexpr Format cifar_10{1, 0, 10}, cifar_100_fine{2, 1, 100}, cifar_100_coarse{2, 0, 20};

LabelledImages read(const std::string& folder, const std::vector<std::string>& names, const Format& format) {
  std::vector<MappedFile> files;
  std::size_t count = 0;
  for (const std::string& name : names) {
    const MappedFile& file = files.emplace_back(folder + "/" + name);
    if (file.size() % format.record() != 0)
      throw FormatError(str(file.path(), ": byte ", file.size() / format.record() * format.record(),
                            ": the file ends inside a record of ", format.record(),
                            " bytes: cut off, or not the binary version of CIFAR?"));
    count += file.size() / format.record();
  }

  LabelledImages result{
      empty({static_cast<std::int64_t>(count), channels, cifar_side, cifar_side}, {.dtype = DType::uint8}),
      empty({static_cast<std::int64_t>(count)}, {.dtype = DType::int64})};
  auto* pixels = result.images.data<std::uint8_t>();
  auto* label = result.labels.data<std::int64_t>();
  for (const MappedFile& file : files)
    for (std::size_t at = 0; at < file.size(); at += format.record()) {
      *label = static_cast<int>(file.data()[at + format.label_at]);
      if (*label >= format.classes)
        throw FormatError(str(file.path(), ": byte ", at + format.label_at, ": label ", *label,
                              ", but the classes are 0 to ", format.classes - 1));
      std::memcpy(pixels, file.data() + at + format.label_bytes, pixel_count);
      pixels += pixel_count;
      ++label;
    }
  return result;
}

const Format& format_of(Cifar100::Labels labels) {
  return labels == Cifar100::Labels::fine ? cifar_100_fine : cifar_100_coarse;
}

}  // namespace

LabelledImages Cifar10::train(const std::string& folder) {
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back(str("data_batch_", i, ".bin"));
  return read(folder, names, cifar_10);
}

LabelledImages Cifar10::test(const std::string& folder) { return read(folder, {"test_batch.bin"}, cifar_10); }

LabelledImages Cifar100::train(const std::string& folder, Labels labels) {
  return read(folder, {"train.bin"}, format_of(labels));
}

LabelledImages Cifar100::test(const std::string& folder, Labels labels) {
  return read(folder, {"test.bin"}, format_of(labels));
}

}  // namespace minima::data
