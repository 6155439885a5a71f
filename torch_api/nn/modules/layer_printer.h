#pragma once

#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <ostream>
#include <type_traits>
#include <vector>

namespace torch::nn {

/// Prints a layer with its options in LibTorch's form: LayerPrinter(stream, "Linear")("in_features", 3)("bias", true)
/// prints torch::nn::Linear(in_features=3, bias=true). The parenthesis closes with the printer's end.
class LayerPrinter {
 public:
  LayerPrinter(std::ostream& stream, const char* name) : stream_(stream) { stream << "torch::nn::" << name << '('; }
  LayerPrinter(const LayerPrinter&) = delete;
  LayerPrinter& operator=(const LayerPrinter&) = delete;
  ~LayerPrinter() { stream_ << ')'; }

  template <class T>
  LayerPrinter& operator()(const char* name, const T& value) {
    separate();
    stream_ << name << '=';
    print(value);
    return *this;
  }
  template <class T>
  LayerPrinter& operator()(const T& value) {
    separate();
    print(value);
    return *this;
  }
  /// Prints values that are not the default alone.
  template <class T>
  LayerPrinter& unless(const T& usual, const char* name, const T& value) {
    return value == usual ? *this : (*this)(name, value);
  }

 private:
  void separate() {
    if (!is_first_) stream_ << ", ";
    is_first_ = false;
  }
  template <class T>
  void print(const T& value) {
    if constexpr (std::is_same_v<T, bool>) stream_ << (value ? "true" : "false");
    else stream_ << value;
  }
  void print(const std::vector<int64_t>& values) { stream_ << c10::IntArrayRef(values); }

  std::ostream& stream_;
  bool is_first_ = true;
};

/// Defines how the layer NAME prints, by calls of a printer.
#define PRINTS(NAME, ...) \
  void NAME##Impl::pretty_print(std::ostream& stream) const { LayerPrinter(stream, #NAME) __VA_ARGS__; }

}  // namespace torch::nn
