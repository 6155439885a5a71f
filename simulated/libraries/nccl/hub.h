#pragma once

#include <string>

namespace simulated::nccl {

/// Starts the thread where the ranks of a communicator meet, in the process that asked for the unique id, and returns
/// the name at which it listens: it matches calls, computes results and tells ranks of others that are gone. It ends
/// when all ranks have left. Throws std::system_error.
std::string start_hub();

}  // namespace simulated::nccl
