#pragma once

#include <c10/core/DispatchKey.h>

#include <initializer_list>

namespace c10 {

/// A set of keys (DispatchKey.h).
class DispatchKeySet {
 public:
  constexpr DispatchKeySet() = default;
  constexpr explicit DispatchKeySet(DispatchKey key) : bits_(bit(key)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (const DispatchKey key : keys) bits_ |= bit(key);
  }

  constexpr bool has(DispatchKey key) const { return (bits_ & bit(key)) != 0; }
  constexpr bool has_any(DispatchKeySet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool has_all(DispatchKeySet other) const { return (bits_ & other.bits_) == other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr DispatchKeySet add(DispatchKey key) const { return from(bits_ | bit(key)); }
  constexpr DispatchKeySet remove(DispatchKey key) const { return from(bits_ & ~bit(key)); }
  constexpr DispatchKeySet operator|(DispatchKeySet other) const { return from(bits_ | other.bits_); }
  constexpr DispatchKeySet operator&(DispatchKeySet other) const { return from(bits_ & other.bits_); }
  constexpr DispatchKeySet operator-(DispatchKeySet other) const { return from(bits_ & ~other.bits_); }
  constexpr bool operator==(const DispatchKeySet&) const = default;
  constexpr std::uint64_t raw_repr() const { return bits_; }

 private:
  static constexpr std::uint64_t bit(DispatchKey key) {
    return key == DispatchKey::Undefined ? 0 : std::uint64_t{1} << static_cast<int>(key);
  }
  static constexpr DispatchKeySet from(std::uint64_t bits) {
    DispatchKeySet result;
    result.bits_ = bits;
    return result;
  }

  std::uint64_t bits_ = 0;
};

inline constexpr DispatchKeySet autograd_dispatch_keyset{DispatchKey::Autograd, DispatchKey::AutogradOther,
                                                         DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA};

}  // namespace c10
