#include <minima/data/datasets/fashion_mnist.h>

#include <minima/data/datasets/mnist.h>

#include <string>

namespace minima::data {

namespace {

LabelledImages read_fashion(const std::string& folder, const char* prefix) {
  return detail::read_mnist(
      "Fashion-MNIST", folder.empty() ? FashionMnist::debian_folder : folder, prefix, 10,
      "install the Debian package dataset-fashion-mnist (apt install dataset-fashion-mnist) or name "
      "the folder that holds the four files");
}

}  // namespace

LabelledImages FashionMnist::train(const std::string& folder) { return read_fashion(folder, "train"); }
LabelledImages FashionMnist::test(const std::string& folder) { return read_fashion(folder, "t10k"); }

}  // namespace minima::data
