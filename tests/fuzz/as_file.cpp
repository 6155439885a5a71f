#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>

std::string fuzz::as_file(std::span<const std::byte> bytes) {
  static const int file = ::memfd_create("fuzz", 0);
  if (file < 0 || ::ftruncate(file, 0) != 0) std::abort();
  if (!bytes.empty() && ::pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}
