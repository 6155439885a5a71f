#pragma once

#include <minima/tensor/base/api.h>

#include <exception>
#include <string>

namespace minima {

/// Base of all exceptions that minima throws. The message names the operator, the relevant shapes and dtypes, the
/// failed condition with its numbers, and the likely fix: `matmul: inner sizes differ: a [32, 784] × b [512, 784];
/// transpose b?`
class MINIMA_API Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// The same under the names of LibTorch's c10::Error, which this class is for programs that include torch/torch.h.
  const char* what_without_backtrace() const noexcept { return what(); }
  const std::string& msg() const { return message_; }

  /// Prepends a module's name while the exception propagates, so the text starts with the path:
  /// `encoder.3.attn: matmul: …`.
  void add_module(const std::string& name);
  /// Appends a line, such as the location of the forward call whose backward failed.
  void add_note(const std::string& note) { message_ += "\n  " + note; }

  /// The module that the exception left last. Its caller prepends that module's name.
  const void* module() const { return module_; }
  void set_module(const void* module) { module_ = module; }

 private:
  std::string message_;
  bool in_module_ = false;
  const void* module_ = nullptr;
};

/// Sizes or ranks do not match.
class MINIMA_API ShapeError : public Error {
  using Error::Error;
};
/// An operator does not support a dtype.
class MINIMA_API DTypeError : public Error {
  using Error::Error;
};
/// Tensors are on different devices, or a device is missing.
class MINIMA_API DeviceError : public Error {
  using Error::Error;
};
/// An index or a dimension is out of range.
class MINIMA_API IndexError : public Error {
  using Error::Error;
};
/// An argument has an invalid value.
class MINIMA_API ValueError : public Error {
  using Error::Error;
};
/// A gradient cannot be computed: the graph was freed, a saved tensor was modified, or an in-place operation is
/// invalid.
class MINIMA_API AutogradError : public Error {
  using Error::Error;
};
/// An allocation failed. The program may free memory and continue.
class MINIMA_API OutOfMemoryError : public Error {
  using Error::Error;
};
/// A file is malformed; the message gives its name and the offset.
class MINIMA_API FormatError : public Error {
  using Error::Error;
};
/// A file could not be opened, read, written or renamed.
class MINIMA_API FileError : public Error {
  using Error::Error;
};

}  // namespace minima
