#pragma once

#include <minima/io/states/rank_file.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::detail {

/// Copies all data of the file to `block`, which has data_bytes() bytes, at their positions.
void copy_data(const RankFile& file, std::byte* block);

struct WrittenFile {
  std::size_t bytes = 0;
  std::uint32_t start_crc = 0;  ///< CRC-32C of everything before the data, which holds the checksums of the data
};

/// Writes a new file and flushes it to disk. The data are those of `block`, or without it are read from the tensors,
/// through at most 64 MiB for those on a GPU. Writes at most `bytes_per_second`, unless that is 0. Throws FileError
/// with the path and the number of bytes written before; the file may then exist.
WrittenFile write_rank_file(const std::string& path, const RankFile& file, const SaveIdentity& identity,
                            const std::byte* block, double bytes_per_second);

}  // namespace minima::detail
