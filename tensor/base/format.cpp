#include <minima/tensor/base/format.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <charconv>
#include <cmath>
#include <string>

namespace minima::detail {

namespace {

template <class T>
void append_number(std::string& out, T value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

}  // namespace

void append(std::string& out, const char* text) { out += text; }
void append(std::string& out, const std::string& text) { out += text; }
void append(std::string& out, char value) { out += value; }
void append(std::string& out, long long value) { append_number(out, value); }
void append(std::string& out, unsigned long long value) { append_number(out, value); }

void append(std::string& out, float value) {
  if (std::isnan(value)) out += "nan";
  else append_number(out, value);
}

void append(std::string& out, double value) {
  if (std::isnan(value)) out += "nan";
  else append_number(out, value);
}

void append(std::string& out, DType dtype) { out += name(dtype); }

void append(std::string& out, Device device) {
  out += device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.index);
}

void append(std::string& out, const Shape& shape) {
  out += '[';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ", ";
    append_number(out, shape[i]);
  }
  out += ']';
}

}  // namespace minima::detail
