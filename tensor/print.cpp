#include <minima/tensor/print.h>

#include <minima/tensor/base/check_option.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace minima {

namespace {

/// The common number format of a tensor's elements, so that columns line up.
struct NumberFormat {
  bool scientific = false;
  bool integral = false;  ///< floating values without fractions: `1.`
  int precision = 4;
  std::size_t width = 0;
};

class Printer {
 public:
  Printer(const Tensor& tensor, PrintOptions options)
      : host_(detail::on_host(tensor)),
        shape_(tensor.shape()),
        dtype_(tensor.dtype()),
        options_(options),
        summarise_(tensor.numel() > options.threshold) {
    detail::check_count("to_string", "precision", options.precision, 0, 50);
    detail::check_count("to_string", "threshold", options.threshold, 0);
    detail::check_count("to_string", "edge_items", options.edge_items, 1);
    for (const std::int64_t size : shape_) summarise_ = summarise_ || size > options.threshold;
    choose_format();
  }

  std::string text() {
    std::string out;
    if (shape_.rank() == 0) return number(0);
    dimension(out, 0, 0);
    return out;
  }

 private:
  /// The indices to print in a dimension; -1 is the ellipsis.
  std::vector<std::int64_t> shown(int dim) const {
    std::vector<std::int64_t> indices;
    const std::int64_t size = shape_[dim], edge = options_.edge_items;
    const bool cut = summarise_ && edge < size - edge;
    for (std::int64_t i = 0; i < size; ++i) {
      if (cut && i == edge) {
        indices.push_back(-1);
        i = size - edge;
      }
      indices.push_back(i);
    }
    return indices;
  }

  template <class F>
  void visit_shown(int dim, std::int64_t position, F&& f) const {
    if (dim == shape_.rank()) return f(position);
    for (const std::int64_t i : shown(dim))
      if (i >= 0) visit_shown(dim + 1, position * shape_[dim] + i, f);
  }

  void choose_format() {
    double largest = 0, smallest = INFINITY;
    bool integral = true;
    const auto see = [&](double signed_x) {
      const double x = std::fabs(signed_x);
      if (!std::isfinite(x)) return;
      integral = integral && x == std::floor(x);
      largest = std::max(largest, x);
      if (x > 0) smallest = std::min(smallest, x);
    };
    visit_shown(0, 0, [&](std::int64_t i) {
      if (!is_complex(dtype_)) return see(value<double>(i));
      const auto z = value<Complex<double>>(i);
      see(z.re);
      see(z.im);
    });
    format_.precision = options_.precision;
    format_.integral = integral && largest < 1e8;
    format_.scientific =
        !format_.integral && largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1e3 * 1e5);
    visit_shown(0, 0, [&](std::int64_t i) { format_.width = std::max(format_.width, plain(i).size()); });
  }

  /// The element at a row-major position. Computed one at a time, since few elements of a large tensor are printed.
  template <class T>
  T value(std::int64_t position) const {
    std::int64_t offset = 0;
    for (int dim = shape_.rank() - 1; dim >= 0; position /= shape_[dim--])
      offset += position % shape_[dim] * host_.strides()[dim];
    T result{};
    dispatch<real_and_complex>(dtype_, "print",
                               [&]<class From> { result = detail::convert<T>(host_.data<From>()[offset]); });
    return result;
  }

  std::string plain(std::int64_t position) const {
    if (dtype_ == DType::boolean) return value<bool>(position) ? "true" : "false";
    if (dtype_ == DType::int64) return std::to_string(value<std::int64_t>(position));  // double would round large ones
    if (is_complex(dtype_)) {
      const auto z = value<Complex<double>>(position);
      const std::string imaginary = floating(z.im);
      return floating(z.re) + (std::signbit(z.im) && !std::isnan(z.im) ? "" : "+") + imaginary + "j";
    }
    const double x = value<double>(position);
    return is_floating(dtype_) ? floating(x) : std::to_string(static_cast<long long>(x));
  }

  std::string floating(double x) const {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    char buffer[400];
    const char* pattern = format_.scientific ? "%.*e" : "%.*f";
    std::snprintf(buffer, sizeof buffer, pattern, format_.integral ? 0 : format_.precision, x);
    return format_.integral ? std::string(buffer) + "." : buffer;
  }

  std::string number(std::int64_t position) const {
    std::string text = plain(position);
    if (text.size() < format_.width) text.insert(0, format_.width - text.size(), ' ');
    return text;
  }

  void dimension(std::string& out, int dim, std::int64_t position) {
    out += '[';
    const bool innermost = dim == shape_.rank() - 1;
    bool first = true;
    for (const std::int64_t i : shown(dim)) {
      if (!first) {
        out += ',';
        if (innermost) out += ' ';
        else
          out.append(static_cast<std::size_t>(shape_.rank() - dim - 1), '\n')
              .append(static_cast<std::size_t>(dim) + 1, ' ');
      }
      first = false;
      if (i < 0) out += "...";
      else if (innermost) out += number(position * shape_[dim] + i);
      else dimension(out, dim + 1, position * shape_[dim] + i);
    }
    out += ']';
  }

  Tensor host_;
  Shape shape_;
  DType dtype_;
  PrintOptions options_;
  bool summarise_;
  NumberFormat format_;
};

}  // namespace

std::string to_string(const Tensor& tensor, PrintOptions options) {
  if (!tensor.defined()) return "undefined";
  return Printer(tensor, options).text() + "  " + str(tensor);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << to_string(tensor); }
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << str(shape); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << str(dtype); }
std::ostream& operator<<(std::ostream& out, Device device) { return out << str(device); }

namespace detail {

void append(std::string& out, const Tensor& tensor) {
  if (!tensor.defined()) {
    out += "undefined";
    return;
  }
  append(out, tensor.dtype());
  out += ' ';
  append(out, tensor.shape());
  if (!tensor.device().is_cpu()) {
    out += " on ";
    append(out, tensor.device());
  }
}

}  // namespace detail

}  // namespace minima
