#pragma once

#include <minima/io/states/state_index.h>

#include <string>

namespace minima::detail {

/// Makes a state of the files in `written`, a hidden folder inside `folder`:
/// writes and flushes the index, renames the folder, and replaces `latest`. Returns the state's name. Throws FileError.
std::string publish_state(const std::string& folder, const std::string& written, const StateIndex& index);

}  // namespace minima::detail
