#pragma once

#include <minima/io/states/state_index.h>

#include <string>

namespace minima::detail {

/// Makes a state of the files that were written to the folder `written`, which lies in `folder` and has a hidden name:
/// writes and flushes the index, renames the folder, and replaces `latest`. Returns the state's name. Throws FileError.
std::string publish_state(const std::string& folder, const std::string& written, const StateIndex& index);

}  // namespace minima::detail
