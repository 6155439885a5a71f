#include "tests/faults/training/allocations.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace faults {

namespace {

constinit std::atomic<unsigned> armed{0};
constinit std::atomic<std::int64_t> count{0}, failing_number{0}, live{0};

/// A place for a breakpoint.
[[gnu::noinline]] void fault() { asm volatile(""); }

/// oneDNN and its dependencies: some of its functions crash if malloc fails.
struct Code {
  std::uintptr_t begin = 0, end = 0;
};
constexpr int most_codes = 8;
constinit Code spared[most_codes];
constinit int spared_count = 0;

int note_code(dl_phdr_info* info, std::size_t, void*) {
  const char* const name = info->dlpi_name;
  if (!name || (!std::strstr(name, "dnnl") && !std::strstr(name, "gomp") && !std::strstr(name, "/ld-"))) return 0;
  for (int i = 0; i < info->dlpi_phnum && spared_count < most_codes; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    spared[spared_count++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

bool is_spared(const void* caller) {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  for (int i = 0; i < spared_count; ++i)
    if (place >= spared[i].begin && place < spared[i].end) return true;
  return false;
}

bool fails(Source source, const void* caller) {
  if ((armed.load(std::memory_order_relaxed) & source) == 0 || is_spared(caller)) return false;
  if (count.fetch_add(1) + 1 != failing_number.load()) return false;
  fault();
  return true;
}

}  // namespace

void arm(std::int64_t failing, unsigned sources) {
  if (spared_count == 0) dl_iterate_phdr(note_code, nullptr);
  count = 0;
  failing_number = failing;
  armed = sources;
}

std::int64_t disarm() {
  armed = 0;
  return count;
}

std::int64_t live_objects() { return live; }

}  // namespace faults

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  if (!faults::fails(faults::by_malloc, __builtin_return_address(0))) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (faults::fails(faults::by_malloc, __builtin_return_address(0))) return ENOMEM;
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (!faults::fails(faults::by_malloc, __builtin_return_address(0))) return __libc_memalign(alignment, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (faults::fails(faults::by_mmap, __builtin_return_address(0))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, offset));
}

}  // extern "C"

namespace {

void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (faults::fails(faults::by_new, caller)) throw std::bad_alloc();
  void* const block = alignment > 16 ? __libc_memalign(alignment, bytes) : __libc_malloc(bytes);
  if (!block) throw std::bad_alloc();
  ++faults::live;
  return block;
}

void release(void* block) {
  if (block) --faults::live;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 1, __builtin_return_address(0)); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1, __builtin_return_address(0)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
