#include <minima/ops/copy/copy.h>

#include <torch/core/tensor.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>

// Tensors as LibTorch's operator<< writes them, with its line breaks: matrix by matrix, each with a width and a scale
// of its own. Elements are printed as doubles.

namespace at {

namespace {

/// Restores the stream's number format.
class SavedFormat {
 public:
  explicit SavedFormat(std::ostream& out) : out_(out), flags_(out.flags()), precision_(out.precision()) {}
  SavedFormat(const SavedFormat&) = delete;
  SavedFormat& operator=(const SavedFormat&) = delete;
  ~SavedFormat() {
    out_.flags(flags_);
    out_.precision(precision_);
  }

 private:
  std::ostream& out_;
  std::ios_base::fmtflags flags_;
  std::streamsize precision_;
};

/// How the numbers of one vector or matrix are written.
struct NumberFormat {
  enum class Style { integer, fixed, scientific };
  Style style = Style::integer;
  int width = 2;
  double scale = 1;

  NumberFormat(const double* values, std::int64_t count) {
    bool all_integers = true;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) continue;
      all_integers = all_integers && values[i] == std::ceil(values[i]);
      low = std::min(low, std::fabs(values[i]));
      high = std::max(high, std::fabs(values[i]));
    }
    if (low > high) low = high = 1;  // no finite number; LibTorch counts a width of one digit
    choose(all_integers, digits_of(low), digits_of(high));
  }

  void write(std::ostream& out, double value) const {
    switch (style) {
      case Style::integer: out << std::defaultfloat; break;
      case Style::fixed: out << std::fixed << std::setprecision(4); break;
      case Style::scientific: out << std::scientific << std::setprecision(4); break;
    }
    out << std::setw(width) << value / scale;
  }

 private:
  /// Digits before the decimal point; negative or 0 below 0.1.
  static int digits_of(double value) { return value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1; }

  void choose(bool all_integers, int low, int high) {
    if (all_integers) {
      style = high > 9 ? Style::scientific : Style::integer;
      width = high > 9 ? 11 : high + 1;
    } else if (high - low > 4) {
      style = Style::scientific;
      width = std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11;
    } else {
      style = Style::fixed;
      const bool is_scaled = high > 5 || high < 0;
      if (is_scaled) scale = std::pow(10.0, high - 1);
      width = is_scaled || high == 0 ? 7 : high + 6;
    }
  }
};

void write_scale(std::ostream& out, double scale) {
  const SavedFormat saved(out);
  out << std::defaultfloat << scale << " *\n";
}

void write_vector(std::ostream& out, const double* values, std::int64_t count) {
  const NumberFormat format(values, count);
  if (format.scale != 1) write_scale(out, format.scale);
  for (std::int64_t i = 0; i < count; ++i) {
    format.write(out, values[i]);
    out << "\n";
  }
}

void write_matrix(std::ostream& out, const double* values, std::int64_t rows, std::int64_t columns,
                  std::int64_t line_size, int indent) {
  const NumberFormat format(values, rows * columns);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::int64_t per_line = std::max<std::int64_t>((line_size - indent) / (format.width + 1), 1);
  out << margin;
  for (std::int64_t first = 0; first < columns; first += per_line) {
    const std::int64_t end = std::min(first + per_line, columns);
    if (per_line < columns) out << (first > 0 ? "\n" : "") << "Columns " << first + 1 << " to " << end << margin;
    if (format.scale != 1) {
      write_scale(out, format.scale);
      out << margin;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = first; column < end; ++column) {
        format.write(out, values[row * columns + column]);
        out << (column + 1 < end ? " " : "\n");
      }
      if (row + 1 < rows) out << margin << (format.scale != 1 ? " " : "");
    }
  }
}

/// The matrices of the last two dimensions, the first dimension running fastest.
void write_matrices(std::ostream& out, const double* values, IntArrayRef sizes, std::int64_t line_size) {
  const std::size_t outer = sizes.size() - 2;
  const std::int64_t rows = sizes[outer], columns = sizes[outer + 1];
  std::vector<std::int64_t> place(outer, 0);
  for (bool is_first = true;; is_first = false) {
    std::int64_t offset = 0;
    out << (is_first ? "(" : "\n(");
    for (std::size_t d = 0; d < outer; ++d) {
      out << place[d] + 1 << ",";
      offset = offset * sizes[d] + place[d];
    }
    out << ".,.) = \n";
    write_matrix(out, values + offset * rows * columns, rows, columns, line_size, 1);
    std::size_t d = 0;
    while (d < outer && ++place[d] == sizes[d]) place[d++] = 0;
    if (d == outer) return;
  }
}

}  // namespace

std::ostream& print(std::ostream& out, const Tensor& tensor, std::int64_t line_size) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  const SavedFormat saved(out);
  const IntArrayRef sizes = tensor.sizes();
  if (tensor.numel() > 0) {
    const std::vector<double> values = tensor.to(kCPU, kDouble).native().to_vector<double>();
    if (sizes.empty()) {
      out << std::defaultfloat << values[0] << "\n";
    } else if (sizes.size() == 1) {
      write_vector(out, values.data(), sizes[0]);
    } else if (sizes.size() == 2) {
      write_matrix(out, values.data(), sizes[0], sizes[1], line_size, 0);
    } else {
      write_matrices(out, values.data(), sizes, line_size);
    }
  }
  return out << "[ " << tensor.toString() << "{" << c10::Join(",", sizes) << "} ]";
}

void print(const Tensor& tensor, std::int64_t line_size) { print(std::cout, tensor, line_size); }

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return print(out, tensor, 80); }

std::ostream& operator<<(std::ostream& out, const Dimname& name) {
  return out << (name.isWildcard() ? "None" : name.symbol().toUnqualString());
}

void Tensor::print() const {
  if (defined()) std::cerr << "[" << toString() << " " << sizes() << "]\n";
  else std::cerr << "[UndefinedTensor]\n";
}

}  // namespace at
