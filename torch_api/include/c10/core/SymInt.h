#pragma once

#include <cstdint>
#include <ostream>

namespace c10 {

/// LibTorch's possibly symbolic size; here always a number.
class SymInt {
 public:
  constexpr SymInt() = default;
  constexpr SymInt(std::int64_t value) : value_(value) {}
  constexpr operator std::int64_t() const { return value_; }
  constexpr bool is_symbolic() const { return false; }
  constexpr bool is_heap_allocated() const { return false; }
  constexpr std::int64_t expect_int() const { return value_; }
  constexpr std::int64_t as_int_unchecked() const { return value_; }
  std::int64_t guard_int(const char*, std::int64_t) const { return value_; }
  static constexpr std::int64_t min_representable_int() { return INT64_MIN / 2; }

 private:
  std::int64_t value_ = 0;
};

}  // namespace c10
