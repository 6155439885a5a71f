#include <minima/io/mapped_file.h>

#include <minima/io/posix_file.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace minima {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  // A FIFO without a writer would block for ever without O_NONBLOCK; for a regular file it means nothing.
  const detail::Descriptor file = detail::open_file(path, O_RDONLY | O_NONBLOCK, "cannot open for reading");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) detail::throw_file_error(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) detail::throw_file_error(path, "cannot read", EISDIR);
  if (!S_ISREG(status.st_mode)) throw FileError(str(path, ": cannot be mapped, it is not a regular file"));
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // mmap refuses an empty range
  void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number(), 0);
  if (mapped == MAP_FAILED) detail::throw_file_error(path, "cannot map into memory", errno);
  data_ = static_cast<std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace minima
