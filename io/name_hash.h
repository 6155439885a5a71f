#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string_view>

namespace minima::detail {

/// SipHash-1-3 (Aumasson and Bernstein 2012), which Python and Rust use for the same purpose: without the key no one
/// can choose names of equal hashes.
MINIMA_API std::uint64_t sip_hash(std::string_view text, std::uint64_t key0, std::uint64_t key1);

/// The hash for tables of names that come from files, with a key drawn once per process. It differs from run to run, so
/// nothing may depend on its order.
MINIMA_API std::uint64_t name_hash(std::string_view name);

}  // namespace minima::detail
