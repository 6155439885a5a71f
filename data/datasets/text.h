#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::data {

/// The lines of a memory-mapped text file, without their \n or \r\n. Throws FileError.
class MINIMA_API TextLines {
 public:
  explicit TextLines(const std::string& path);
  TextLines(const TextLines&);
  TextLines(TextLines&&) noexcept;
  ~TextLines();

  std::int64_t size() const;
  std::string get(std::int64_t index) const;
  std::string describe(std::int64_t index) const;

 private:
  struct Lines;
  Ref<Counted> lines_;
  const Lines& lines() const;
};

}  // namespace minima::data
