#pragma once

#include <minima/io/state.h>
#include <minima/io/states/channel.h>
#include <minima/io/states/rank_file.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::detail {

/// A state that is to be written by all ranks, and what this one writes of it.
struct SaveJob {
  std::string folder;
  std::int64_t step = 0;
  double metric = 0;
  State values;             ///< texts
  std::size_t tensors = 0;  ///< number of replicated ones
  std::uint32_t plan = 0;   ///< see checksum_of_plan
  RankFile file;
  const std::byte* block = nullptr;  ///< a copy of the data; null: the tensors are read
  double bytes_per_second = 0;
  std::string refusal;  ///< why this rank has nothing to write; empty: it has
};

/// The outcome of an attempt.
struct Attempt {
  bool saved = false;
  bool may_retry = false;
  std::string error;
  std::string name;       ///< of the state
  std::size_t bytes = 0;  ///< that this rank wrote
};

/// One attempt to save, by all ranks. Nothing is left of one that fails. Throws Error if another rank does not answer.
Attempt attempt_save(Channel& channel, const SaveJob& job);

}  // namespace minima::detail
