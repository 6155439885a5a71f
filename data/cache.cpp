#include <minima/data/cache.h>

#include <minima/io/safetensors.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <mutex>
#include <unistd.h>

namespace minima::data::detail {

struct Locks::Mutexes {
  std::mutex mutex[64];
};
Locks::Locks() : mutexes_(new Mutexes) {}
Locks::~Locks() { delete mutexes_; }
void Locks::lock(std::int64_t index) { mutexes_->mutex[static_cast<std::uint64_t>(index) % 64].lock(); }
void Locks::unlock(std::int64_t index) noexcept { mutexes_->mutex[static_cast<std::uint64_t>(index) % 64].unlock(); }

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void save_columns(const std::string& path, std::span<const Tensor> columns) {
  State state;
  for (std::size_t i = 0; i < columns.size(); ++i) state.add(str("column", i), columns[i]);
  write_safetensors(path, state);
}

std::vector<Tensor> load_columns(const std::string& path, std::size_t count) {
  const State state = read_safetensors(path);
  if (state.tensors().size() != count)
    throw FormatError(str(path, ": byte 0: ", state.tensors().size(), " columns, the samples have ", count, " fields; remove the file to pack anew"));
  std::vector<Tensor> columns;
  for (std::size_t i = 0; i < count; ++i) columns.push_back(state.tensor(str("column", i)));
  return columns;
}

}  // namespace minima::data::detail
