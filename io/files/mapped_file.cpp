#include <minima/io/files/mapped_file.h>

#include <minima/io/files/posix_file.h>

#include <cstddef>
#include <string>

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>

namespace minima {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const detail::OpenedFile opened = detail::open_regular(path);
  size_ = opened.size;
  if (size_ == 0) return;  // mmap rejects an empty range
  void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, opened.file.number(), 0);
  if (mapped == MAP_FAILED) detail::throw_file_error(path, "cannot map into memory", errno);
  data_ = static_cast<std::byte*>(mapped);
}

void MappedFile::release(std::size_t offset, std::size_t size) const noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = (offset + page - 1) / page * page, end = (offset + size) / page * page;
  if (begin < end && end <= size_) static_cast<void>(::madvise(data_ + begin, end - begin, MADV_DONTNEED));
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace minima
