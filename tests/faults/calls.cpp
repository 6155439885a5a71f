#include "tests/faults/faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

// The linker prefers these functions over the C library's, for the standard library, too.

namespace {

using faults::What;

struct Plan {
  bool armed = false;
  What what = What::io_error;
  std::size_t nth = 0;
  bool disk_is_full = false;
  faults::Report report;
};
thread_local Plan plan;

/// Whether this call fails; errno is set then.
bool fails(const char* call, bool may_be_interrupted) {
  if (!plan.armed || plan.what == What::no_memory) return false;
  const std::size_t number = ++plan.report.calls;
  const bool fails_now = plan.nth != 0 && (number == plan.nth || (plan.what == What::dead_disk && number > plan.nth));
  if (!fails_now) return false;
  if (!plan.report.failed) plan.report.failed = call;
  errno = plan.what == What::interrupted && may_be_interrupted ? EINTR : plan.what == What::full_quota ? EDQUOT : EIO;
  return true;
}

/// How much of a write is done: all, half, or nothing (-1, errno is set).
ssize_t writable(const char* call, std::size_t bytes) {
  if (plan.armed && plan.disk_is_full) {
    ++plan.report.calls;
    errno = plan.what == What::full_quota ? EDQUOT : ENOSPC;
    return -1;
  }
  if (!fails(call, true)) return static_cast<ssize_t>(bytes);
  if (plan.what != What::full_disk && plan.what != What::full_quota) return -1;
  plan.disk_is_full = true;
  errno = plan.what == What::full_quota ? EDQUOT : ENOSPC;
  return bytes < 2 ? -1 : static_cast<ssize_t>(bytes / 2);
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

bool allocation_fails() {
  if (!plan.armed || plan.what != What::no_memory) return false;
  if (++plan.report.calls != plan.nth) return false;
  plan.report.failed = "operator new";
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocation_fails()) return nullptr;
  if (bytes == 0) bytes = 1;
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(bytes)
             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* block = allocate(bytes, alignment)) return block;
  throw std::bad_alloc();
}

/// Tells the listener of a call that has succeeded.
int heard(const char* call, int result, const char* path, const char* other = "", int file = -1) {
  if (faults::listener && result >= 0) faults::listener({call, path, other, file < 0 ? result : file});
  return result;
}

}  // namespace

void (*faults::listener)(const faults::Call&) = nullptr;

void faults::arm(What what, std::size_t nth) {
  plan = {};
  plan.what = what;
  plan.nth = nth;
  plan.armed = true;
}

faults::Report faults::disarm() {
  plan.armed = false;
  return plan.report;
}

// A failing call has no effect, except that close still frees the descriptor.
#define FAULTY(result, name, parameters, arguments, interruptible, spec) \
  extern "C" result name parameters spec {                               \
    static const auto function = real<result parameters>(#name);         \
    if (fails(#name, interruptible)) return static_cast<result>(-1);     \
    return function arguments;                                           \
  }

FAULTY(ssize_t, read, (int file, void* to, std::size_t bytes), (file, to, bytes), true, )
FAULTY(ssize_t, pread, (int file, void* to, std::size_t bytes, off_t at), (file, to, bytes, at), true, )
FAULTY(int, fchmod, (int file, mode_t mode), (file, mode), false, noexcept)
FAULTY(int, fchown, (int file, uid_t owner, gid_t group), (file, owner, group), false, noexcept)
FAULTY(int, ftruncate, (int file, off_t size), (file, size), true, noexcept)
FAULTY(int, flock, (int file, int operation), (file, operation), false, noexcept)
FAULTY(int, fstat, (int file, struct stat* status), (file, status), false, noexcept)
FAULTY(int, stat, (const char* path, struct stat* status), (path, status), false, noexcept)
FAULTY(off_t, lseek, (int file, off_t at, int whence), (file, at, whence), false, noexcept)
FAULTY(ssize_t, readlink, (const char* path, char* to, std::size_t bytes), (path, to, bytes), false, noexcept)

// The listener hears of these.
#define HEARD(name, parameters, arguments, interruptible, spec, ...) \
  extern "C" int name parameters spec {                              \
    static const auto function = real<int parameters>(#name);        \
    if (fails(#name, interruptible)) return -1;                      \
    return heard(#name, function arguments, __VA_ARGS__);            \
  }

HEARD(fsync, (int file), (file), true, , "", "", file)
HEARD(rename, (const char* from, const char* to), (from, to), false, noexcept, from, to)
HEARD(symlink, (const char* target, const char* path), (target, path), false, noexcept, path, target)
HEARD(unlink, (const char* path), (path), false, noexcept, path)
HEARD(rmdir, (const char* path), (path), false, noexcept, path)
HEARD(mkdir, (const char* path, mode_t mode), (path, mode), false, noexcept, path)

extern "C" int open(const char* path, int flags, ...) {
  static const auto function = real<int(const char*, int, ...)>("open");
  if (fails("open", true)) return -1;
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & O_CREAT) ? va_arg(arguments, mode_t) : mode_t{0};
  va_end(arguments);
  return heard((flags & O_CREAT) ? "create" : "open", function(path, flags, mode), path);
}

extern "C" int close(int file) {
  static const auto function = real<int(int)>("close");
  const bool failed = fails("close", true);
  const int error = errno;
  const int result = function(file);
  errno = failed ? error : errno;
  return failed ? -1 : result;
}

extern "C" DIR* opendir(const char* path) {
  static const auto function = real<DIR*(const char*)>("opendir");
  return fails("opendir", false) ? nullptr : function(path);
}

extern "C" void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  static const auto function = real<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (fails("mmap", false)) return errno = ENOMEM, MAP_FAILED;
  return function(at, bytes, protection, flags, file, offset);
}

extern "C" ssize_t write(int file, const void* data, std::size_t bytes) {
  static const auto function = real<ssize_t(int, const void*, std::size_t)>("write");
  const ssize_t count = writable("write", bytes);
  return count < 0 ? -1 : function(file, data, static_cast<std::size_t>(count));
}

extern "C" ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  static const auto function = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  const ssize_t count = writable("pwrite", bytes);
  return count < 0 ? -1 : function(file, data, static_cast<std::size_t>(count), at);
}

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 0); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
