#pragma once

#include <minima/minima.h>

#include <string>
#include <vector>

/// A text as a sequence of character ids.
class Text {
 public:
  /// Reads a file; an empty path means Debian's King James Bible. Throws FileError.
  explicit Text(const std::string& path);

  std::int64_t vocabulary() const { return static_cast<std::int64_t>(characters_.size()); }
  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  char character(std::int64_t id) const { return characters_[static_cast<std::size_t>(id)]; }
  /// 0 if the text does not contain the character.
  std::int64_t id(char character) const;

  /// `count` random sequences, and the character after each of theirs; both int64 [count, length] on the CPU.
  struct Batch {
    minima::Tensor text, next;
  };
  Batch draw(std::int64_t count, std::int64_t length, minima::RandomGenerator& generator) const;

 private:
  std::vector<char> characters_;
  std::vector<std::uint8_t> ids_;
};
