#pragma once

#include <c10/util/ArrayRef.h>

#include <ostream>
#include <vector>

namespace c10 {

enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d, NumOptions };

std::ostream& operator<<(std::ostream& out, MemoryFormat format);

std::vector<std::int64_t> get_channels_last_strides_2d(IntArrayRef sizes);
std::vector<std::int64_t> get_channels_last_strides_3d(IntArrayRef sizes);

}  // namespace c10
