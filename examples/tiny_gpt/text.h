#pragma once

#include <minima/minima.h>

#include <string>
#include <vector>

/// A text as numbers: one for each different character.
class Text {
 public:
  /// Reads a file; the name of none means Debian's King James Bible. Throws FileError.
  explicit Text(const std::string& path);

  std::int64_t vocabulary() const { return static_cast<std::int64_t>(characters_.size()); }
  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  char character(std::int64_t id) const { return characters_[static_cast<std::size_t>(id)]; }
  /// 0 for one that the text does not have.
  std::int64_t id(char character) const;

  /// `count` random pieces and what follows each of their characters, both [count, length] of int64 on the CPU.
  struct Batch {
    minima::Tensor text, next;
  };
  Batch draw(std::int64_t count, std::int64_t length, minima::RandomGenerator& generator) const;

 private:
  std::vector<char> characters_;
  std::vector<std::uint8_t> ids_;
};
