#pragma once

#include <minima/tensor/base/api.h>

#include <exception>
#include <string>

namespace minima {

/// Base of everything minima throws. The message names the operator, the shapes and dtypes that matter, the failed
/// condition with its numbers, and the likely fix: `matmul: inner sizes differ: a [32, 784] × b [512, 784]; transpose
/// b?`
class MINIMA_API Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

  /// Prepends a module's name on the way up, so that the text starts with the path: `encoder.3.attn: matmul: …`.
  void add_module(const std::string& name);
  /// Appends a line, such as where the forward of a failed backward was.
  void add_note(const std::string& note) { message_ += "\n  " + note; }

  /// Which module the exception left last: the module that called it finds there whose name to put in front.
  const void* module() const { return module_; }
  void set_module(const void* module) { module_ = module; }

 private:
  std::string message_;
  bool in_module_ = false;
  const void* module_ = nullptr;
};

/// Sizes or ranks do not fit together.
class MINIMA_API ShapeError : public Error {
  using Error::Error;
};
/// An operator does not take this dtype.
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
/// An argument has a value that makes no sense here.
class MINIMA_API ValueError : public Error {
  using Error::Error;
};
/// The gradient that was asked for cannot be computed: a freed graph, a changed saved tensor, an in-place misuse.
class MINIMA_API AutogradError : public Error {
  using Error::Error;
};
/// An allocation failed; the program may free something and go on.
class MINIMA_API OutOfMemoryError : public Error {
  using Error::Error;
};
/// A file is not what it should be; the message has its name and the offset.
class MINIMA_API FormatError : public Error {
  using Error::Error;
};
/// A file could not be opened, read, written or renamed.
class MINIMA_API FileError : public Error {
  using Error::Error;
};

}  // namespace minima
