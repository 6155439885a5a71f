#pragma once

#include <cstdint>

// The records of zip archives (APPNOTE 6.3).

namespace minima::detail::zip {

inline constexpr std::uint32_t local_signature = 0x04034b50, central_signature = 0x02014b50;
inline constexpr std::uint32_t end_signature = 0x06054b50;
inline constexpr std::uint32_t end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
inline constexpr std::uint64_t local_bytes = 30, central_bytes = 46, end_bytes = 22, locator64_bytes = 20;
inline constexpr std::uint64_t in_64 = 0xFFFFFFFF;  ///< stands for a number in the zip64 field

}  // namespace minima::detail::zip
