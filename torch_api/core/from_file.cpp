#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/tensors/mapped_tensor.h>

#include <core/bridge.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace at::bridge {

namespace m = minima;

namespace {

/// Memory that is a file's: changes arrive in the file.
struct SharedMapping {
  SharedMapping(const std::string& path, std::size_t bytes) : size(bytes) {
    const m::detail::Descriptor file = m::detail::open_file(path, O_RDWR | O_CREAT, "cannot open for writing");
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) m::detail::throw_file_error(path, "cannot read the size", errno);
    if (status.st_size < static_cast<off_t>(size) && ::ftruncate(file.number(), static_cast<off_t>(size)) != 0)
      m::detail::throw_file_error(path, "cannot make longer", errno);
    data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (data == MAP_FAILED) m::detail::throw_file_error(path, "cannot map into memory", errno);
  }
  SharedMapping(const SharedMapping&) = delete;
  ~SharedMapping() {
    if (data != MAP_FAILED) ::munmap(data, size);
  }

  void* data = MAP_FAILED;
  std::size_t size;
};

}  // namespace

MT from_file(std::string_view path, std::optional<bool> shared, std::optional<std::int64_t> size,
             minima::TensorOptions options) {
  TORCH_CHECK(options.device.is_cpu(), "from_file: a file is mapped into the CPU's memory; copy the tensor with to()");
  const std::string name(path);
  const std::int64_t count = size.value_or(0);
  TORCH_CHECK(count >= 0, "from_file: size must not be negative, got ", count);
  const std::size_t bytes = static_cast<std::size_t>(count) * m::size_of(options.dtype);
  if (shared.value_or(false) && bytes > 0) {
    auto mapping = std::make_unique<SharedMapping>(name, bytes);
    const auto release = [](void* context) { delete static_cast<SharedMapping*>(context); };
    const MT x =
        m::from_blob(mapping->data, m::Layout::contiguous(count), {.dtype = options.dtype}, release, mapping.get());
    static_cast<void>(mapping.release());  // the tensor's now
    return x;
  }
  const auto file = std::make_shared<m::MappedFile>(name);
  TORCH_CHECK(file->size() >= bytes, "file <", name, "> size <", file->size(),
              "> is smaller than the required mapping size <", bytes, ">");
  return m::detail::map_tensor(file, 0, count, options.dtype);
}

}  // namespace at::bridge
