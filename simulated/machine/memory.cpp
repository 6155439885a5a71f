#include "simulated/machine/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace simulated {

namespace {

constexpr std::size_t host_page = 4096;
constexpr std::size_t most_poisoned = std::size_t{8} << 20;          // of one allocation
constexpr std::size_t most_poisoned_pages = std::size_t{256} << 20;  // of all handles together
constexpr unsigned char poison = 0xFF;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

char* new_range(std::size_t bytes, int protection) {
  void* const start = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
}

/// A block, and a page behind it that faults.
std::size_t range_of(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), host_page) + host_page; }

int protection(bool open) { return open ? PROT_READ | PROT_WRITE : PROT_NONE; }

/// The last entry that starts at or before the address.
template <class Map>
auto before(Map& map, const void* address) {
  auto next = map.upper_bound(static_cast<char*>(const_cast<void*>(address)));
  return next == map.begin() ? map.end() : std::prev(next);
}

}  // namespace

Memory::Memory(std::vector<std::size_t> capacities) : file_(memfd_create("simulated GPU memory", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::bad_alloc();
  for (const std::size_t capacity : capacities) books_.push_back({capacity, 0});
}

Memory::~Memory() {
  for (const auto& [address, block] : blocks_) munmap(address, range_of(block.bytes));
  for (const auto& [address, bytes] : freed_) munmap(address, bytes);
  for (const auto& [address, bytes] : reservations_) munmap(address, bytes);
  close(file_);
}

bool Memory::charge(int device, std::size_t bytes) {
  if (free_bytes(device) < bytes) return false;
  books_[at(device)].used += bytes;
  return true;
}

char* Memory::allocate(Kind kind, int device, std::size_t bytes) {
  const std::size_t charged = kind == Kind::pinned ? 0 : round_up(bytes, 512);
  if (charged > 0 && !charge(device, charged)) return nullptr;
  char* const start = new_range(range_of(bytes), PROT_READ | PROT_WRITE);
  if (!start) {
    books_[at(device)].used -= charged;
    return nullptr;
  }
  mprotect(start + range_of(bytes) - host_page, host_page, PROT_NONE);
  if (filling_ && bytes <= most_poisoned) std::memset(start, poison, bytes);
  if (kind != Kind::pinned && !is_open()) mprotect(start, range_of(bytes) - host_page, PROT_NONE);
  blocks_[start] = {bytes, kind, device};
  return start;
}

void Memory::guard_against_host() {
  is_guarded_ = true;
  protect_all();
}

Memory::Visit::Visit(Memory& memory) : memory_(memory) {
  if (memory.visits_++ == 0 && memory.is_guarded_) memory.protect_all();
}

Memory::Visit::~Visit() {
  if (--memory_.visits_ == 0 && memory_.is_guarded_) memory_.protect_all();
}

/// Neighbouring mappings in one call.
void Memory::protect_all() const {
  const int wanted = protection(is_open());
  for (const auto& [address, block] : blocks_)
    if (block.kind != Kind::pinned) mprotect(address, range_of(block.bytes) - host_page, wanted);
  char *start = nullptr, *end = nullptr;
  for (const auto& [address, mapping] : mappings_) {
    if (mapping.devices.empty()) continue;
    if (address != end) {
      if (start) mprotect(start, static_cast<std::size_t>(end - start), wanted);
      start = address;
    }
    end = address + mapping.bytes;
  }
  if (start) mprotect(start, static_cast<std::size_t>(end - start), wanted);
}

const Memory::Block* Memory::block(const void* address) const {
  const auto found = blocks_.find(static_cast<char*>(const_cast<void*>(address)));
  return found == blocks_.end() ? nullptr : &found->second;
}

void Memory::free(void* address) {
  const auto found = blocks_.find(static_cast<char*>(address));
  const Block& block = found->second;
  if (block.kind != Kind::pinned) books_[at(block.device)].used -= round_up(block.bytes, 512);
  quarantine(found->first, range_of(block.bytes));
  blocks_.erase(found);
}

void Memory::quarantine(char* address, std::size_t bytes) {
  constexpr std::size_t most = 1024;
  mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  freed_[address] = bytes;
  freed_order_.push_back(address);
  if (freed_order_.size() <= most) return;
  const auto oldest = freed_.find(freed_order_.front());
  munmap(oldest->first, oldest->second);
  freed_.erase(oldest);
  freed_order_.pop_front();
}

char* Memory::reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t unit = std::max(alignment, vmm_granularity);
  char* const start = new_range(bytes + unit, PROT_NONE);
  if (!start) return nullptr;
  char* const aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(start), unit));
  if (aligned > start) munmap(start, static_cast<std::size_t>(aligned - start));
  munmap(aligned + bytes, unit - static_cast<std::size_t>(aligned - start));
  reservations_[aligned] = bytes;
  return aligned;
}

bool Memory::unreserve(char* address, std::size_t bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second != bytes) return false;
  const auto mapped = mappings_.lower_bound(address);
  if (mapped != mappings_.end() && mapped->first < address + bytes) return false;
  munmap(address, bytes);
  reservations_.erase(found);
  return true;
}

std::optional<Memory::Handle> Memory::create(int device, std::size_t bytes, bool exportable) {
  if (!charge(device, bytes)) return std::nullopt;
  const Handle handle = next_handle_++;
  physical_[handle] = {.device = device, .bytes = bytes, .offset = file_bytes_, .exportable = exportable};
  file_bytes_ += static_cast<std::int64_t>(bytes);
  if (ftruncate(file_, file_bytes_) != 0) throw std::bad_alloc();
  if (filling_ && bytes <= most_poisoned && poisoned_bytes_ + bytes <= most_poisoned_pages) {
    physical_[handle].poisoned = true;
    poisoned_bytes_ += bytes;
    const std::vector<unsigned char> filling(bytes, poison);
    if (pwrite(file_, filling.data(), bytes, physical_[handle].offset) != static_cast<std::int64_t>(bytes))
      throw std::bad_alloc();
  }
  return handle;
}

std::size_t Memory::exportable_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [handle, physical] : physical_)
    if (physical.exportable) bytes += physical.bytes;
  return bytes;
}

bool Memory::is_exportable(const char* address) const {
  const auto mapping = mappings_.find(const_cast<char*>(address));
  return mapping != mappings_.end() && physical_.at(mapping->second.handle).exportable;
}

bool Memory::release(Handle handle) {
  const auto found = physical_.find(handle);
  if (found == physical_.end() || found->second.released) return false;
  found->second.released = true;
  drop_if_unused(handle);
  return true;
}

void Memory::drop_if_unused(Handle handle) {
  const Physical& physical = physical_.at(handle);
  if (!physical.released || physical.mappings > 0) return;
  books_[at(physical.device)].used -= physical.bytes;
  if (physical.poisoned) poisoned_bytes_ -= physical.bytes;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, physical.offset,
            static_cast<std::int64_t>(physical.bytes));
  physical_.erase(handle);
}

bool Memory::map(char* address, std::size_t bytes, Handle handle) {
  const auto physical = physical_.find(handle);
  if (physical == physical_.end() || physical->second.released || bytes > physical->second.bytes) return false;
  const auto reservation = before(reservations_, address);
  if (reservation == reservations_.end() || address + bytes > reservation->first + reservation->second) return false;
  const auto below = before(mappings_, address + bytes - 1);
  if (below != mappings_.end() && below->first + below->second.bytes > address) return false;
  if (mmap(address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file_, physical->second.offset) == MAP_FAILED)
    throw std::bad_alloc();
  mappings_[address] = {bytes, handle, {}};
  ++physical->second.mappings;
  return true;
}

bool Memory::is_whole_mappings(const char* address, std::size_t bytes) const {
  const char* const end = address + bytes;
  if (address == end) return false;
  for (const char* at = address; at < end;) {
    const auto mapping = mappings_.find(const_cast<char*>(at));
    if (mapping == mappings_.end() || at + mapping->second.bytes > end) return false;
    at += mapping->second.bytes;
  }
  return true;
}

void Memory::unmap(char* address, std::size_t bytes) {
  for (char* at = address; at < address + bytes;) {
    const auto mapping = mappings_.find(at);
    const std::size_t part = mapping->second.bytes;
    const Handle handle = mapping->second.handle;
    mmap(at, part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    mappings_.erase(mapping);
    --physical_.at(handle).mappings;
    drop_if_unused(handle);
    at += part;
  }
}

bool Memory::set_access(char* address, std::size_t bytes, int device, bool accessible) {
  if (!is_whole_mappings(address, bytes)) return false;
  for (auto mapping = mappings_.find(address); mapping != mappings_.end() && mapping->first < address + bytes;
       ++mapping) {
    std::set<int>& devices = mapping->second.devices;
    if (accessible) devices.insert(device);
    else devices.erase(device);
    mprotect(mapping->first, mapping->second.bytes, protection(is_open() && !devices.empty()));
  }
  return true;
}

std::optional<Memory::Place> Memory::find(const void* address) const {
  const char* const wanted = static_cast<const char*>(address);
  if (const auto found = before(blocks_, address);
      found != blocks_.end() && wanted < found->first + found->second.bytes)
    return Place{found->second.kind, found->second.device, found->first, found->second.bytes};
  if (const auto found = before(mappings_, address);
      found != mappings_.end() && wanted < found->first + found->second.bytes)
    return Place{Kind::device, physical_.at(found->second.handle).device, found->first, found->second.bytes};
  return std::nullopt;
}

bool Memory::is_device_address(const void* address) const {
  if (const auto place = find(address)) return place->kind != Kind::pinned;
  for (const auto* const ranges : {&reservations_, &freed_})
    if (const auto found = before(*ranges, address);
        found != ranges->end() && static_cast<const char*>(address) < found->first + found->second)
      return true;
  return false;
}

bool Memory::is_accessible(int device, const void* address, std::size_t bytes) const {
  const char* const start = static_cast<const char*>(address);
  if (const auto found = before(blocks_, address); found != blocks_.end() && start < found->first + found->second.bytes)
    return start + bytes <= found->first + found->second.bytes &&
           (device < 0 || found->second.kind == Kind::pinned || found->second.device == device);
  for (const char* at = start; at < start + bytes;) {
    const auto found = before(mappings_, at);
    if (found == mappings_.end() || at >= found->first + found->second.bytes) return false;
    const std::set<int>& devices = found->second.devices;
    if (device < 0 ? devices.empty() : !devices.count(device)) return false;
    at = found->first + found->second.bytes;
  }
  return true;
}

}  // namespace simulated
