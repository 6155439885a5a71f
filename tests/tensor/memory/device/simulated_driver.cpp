#include "tests/tensor/memory/device/simulated_driver.h"

#include <algorithm>
#include <stdexcept>

namespace minima::device_memory {

namespace {

std::uint64_t number(const char* address) { return reinterpret_cast<std::uint64_t>(address); }

}  // namespace

char* SimulatedDriver::reserve(std::size_t bytes) {
  auto* const address = reinterpret_cast<char*>(next_address_);
  const std::size_t alignment = std::size_t{2} << 20;
  next_address_ += (bytes + alignment) / alignment * alignment;
  reserved_[address] = bytes;
  return address;
}

void SimulatedDriver::unreserve(char* address, std::size_t bytes) {
  if (reserved_[address] != bytes) faults.push_back("unreserve of what was not reserved so");
  for (std::size_t i = 0; i < bytes / page_bytes_; ++i)
    if (page_at_.count(number(address) / page_bytes_ + i)) faults.push_back("unreserve of mapped addresses");
  reserved_.erase(address);
}

Page SimulatedDriver::create_page() {
  if (taken_ + page_bytes_ > total_) return 0;
  taken_ += page_bytes_;
  pages_[next_page_];
  return next_page_++;
}

void SimulatedDriver::destroy_page(Page page) {
  if (mapped_.count(page)) faults.push_back("a mapped page is destroyed");
  if (pages_.erase(page) != 1) faults.push_back("no such page to destroy");
  taken_ -= page_bytes_;
}

bool SimulatedDriver::map(char* address, const Page* pages, std::size_t count) {
  if (failing_map > 0 && --failing_map == 0) throw std::runtime_error("map");
  for (std::size_t i = 0; i < count; ++i) {
    if (!pages_.count(pages[i])) faults.push_back("no such page to map");
    expect_unused(pages_[pages[i]], "mapped");
    pages_[pages[i]].clear();  // uses are recorded by address, and the addresses have changed
    if (!page_at_.emplace(number(address) / page_bytes_ + i, pages[i]).second || !mapped_.insert(pages[i]).second)
      faults.push_back("mapped twice");
  }
  return true;
}

void SimulatedDriver::unmap(char* address, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (failing_unmap > 0 && --failing_unmap == 0) throw std::runtime_error("unmap");
    const auto found = page_at_.find(number(address) / page_bytes_ + i);
    if (found == page_at_.end()) {
      faults.push_back("unmap of what is not mapped");
      continue;
    }
    expect_unused(pages_[found->second], "unmapped");
    mapped_.erase(found->second);
    page_at_.erase(found);
  }
}

char* SimulatedDriver::allocate(std::size_t bytes) {
  if (taken_ + bytes > total_) return nullptr;
  taken_ += bytes;
  char* const address = reserve(bytes);
  reserved_.erase(address);
  allocations_[address].first = bytes;
  return address;
}

void SimulatedDriver::free(char* address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) {
    faults.push_back("free of what was not allocated");
    return;
  }
  expect_unused(found->second.second, "freed");
  taken_ -= found->second.first;
  allocations_.erase(found);
}

Mark SimulatedDriver::record(StreamToken stream) {
  if (capturing) faults.push_back("an event is recorded during a capture");
  ++records;
  marks_[next_mark_] = {stream, streams_[stream].given};
  return next_mark_++;
}

bool SimulatedDriver::reached(Mark mark) {
  if (capturing) faults.push_back("an event is queried during a capture");
  ++queries;
  const auto found = marks_.find(mark);
  if (found == marks_.end()) {
    faults.push_back("a mark is asked for after it was reached");
    return true;
  }
  if (streams_[found->second.first].done < found->second.second) return false;
  marks_.erase(found);
  return true;
}

void SimulatedDriver::synchronize() {
  if (capturing) faults.push_back("the device is waited for during a capture");
  ++synchronizations;
  for (auto& [token, progress] : streams_) progress.done = progress.given;
}

void SimulatedDriver::advance(StreamToken stream, std::uint64_t steps) {
  Progress& progress = streams_[stream];
  progress.done = std::min(progress.given, progress.done + steps);
}

SimulatedDriver::Uses* SimulatedDriver::uses_at(const char* address) {
  if (page_bytes_) {
    const auto page = page_at_.find(number(address) / page_bytes_);
    if (page != page_at_.end()) return &pages_[page->second];
  }
  auto found = allocations_.upper_bound(address);
  if (found == allocations_.begin()) return nullptr;
  --found;
  return address < found->first + found->second.first ? &found->second.second : nullptr;
}

void SimulatedDriver::use(StreamToken stream, const char* address, std::size_t bytes) {
  const std::uint64_t now = ++streams_[stream].given;
  const std::size_t step = page_bytes_ ? page_bytes_ : std::size_t{2} << 20;
  for (std::uint64_t at = number(address); at < number(address) + bytes; at = at / step * step + step) {
    Uses* const uses = uses_at(reinterpret_cast<const char*>(at));
    if (!uses) {
      faults.push_back("a stream uses addresses without memory");
      return;
    }
    note_use(*uses, {at, std::min(number(address) + bytes, at / step * step + step), stream, now});
  }
}

void SimulatedDriver::note_use(Uses& uses, const Use& use) {
  constexpr std::size_t many = 32;
  const bool tidy = uses.size() > many;
  std::erase_if(uses, [&](const Use& earlier) {
    const bool overlaps = earlier.begin < use.end && use.begin < earlier.end;
    if (overlaps && earlier.stream != use.stream && !is_done(earlier))
      faults.push_back("memory in use by another stream is used");
    return (earlier.begin >= use.begin && earlier.end <= use.end) || (tidy && is_done(earlier));
  });
  uses.push_back(use);
}

void SimulatedDriver::expect_unused(const Uses& uses, const char* what) {
  for (const Use& use : uses)
    if (!is_done(use)) faults.push_back(std::string("memory is ") + what + " while a stream still uses it");
}

}  // namespace minima::device_memory
