#include "simulated/dryrun/touched_pages.h"

#include "simulated/machine/machine.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <map>

namespace simulated {

namespace {

constexpr std::size_t page_bytes = 4096;

/// The handler knows these ranges; they are few, so that it can do without locks and memory.
struct Watched {
  struct Range {
    char* begin = nullptr;
    std::size_t bytes = 0;
  };
  std::array<Range, 64> ranges{};
  std::size_t count = 0;
  Touched touched;
  struct sigaction before{};
};
Watched watched;

void open_page(int number, siginfo_t* info, void* context) {
  auto* const address = static_cast<char*>(info->si_addr);
  for (std::size_t i = 0; i < watched.count; ++i) {
    const auto [begin, bytes] = watched.ranges[i];
    if (address < begin || address >= begin + bytes) continue;
    constexpr greg_t write = 2;  // of the page fault's error code
    const bool writes = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & write;
    (writes ? watched.touched.written : watched.touched.read) += page_bytes;
    char* const page = begin + static_cast<std::size_t>(address - begin) / page_bytes * page_bytes;
    mprotect(page, page_bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
    return;
  }
  sigaction(number, &watched.before, nullptr);  // not one of these: it faults again
}

}  // namespace

TouchedPages::TouchedPages(std::span<const std::uint8_t> parameters) {
  watched.count = 0;
  watched.touched = {};
  std::map<char*, std::size_t> places;
  for (std::size_t at = 0; at + sizeof(void*) <= parameters.size(); at += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(&word, parameters.data() + at, sizeof word);
    const Memory& memory = machine().memory;
    // An allocation may be mapped piece by piece.
    for (auto place = memory.find(word); place && place->kind != Memory::Kind::pinned;
         place = memory.find(place->start + place->bytes))
      if (!places.emplace(place->start, place->bytes).second) break;
  }
  for (const auto& [begin, bytes] : places) {
    const Watched::Range* const last = watched.count > 0 ? &watched.ranges[watched.count - 1] : nullptr;
    if (last && last->begin + last->bytes == begin) watched.ranges[watched.count - 1].bytes += bytes;
    else if (watched.count < watched.ranges.size()) watched.ranges[watched.count++] = {begin, bytes};
  }
  struct sigaction action{};
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &watched.before);
  for (std::size_t i = 0; i < watched.count; ++i) mprotect(watched.ranges[i].begin, watched.ranges[i].bytes, PROT_NONE);
}

TouchedPages::~TouchedPages() {
  for (std::size_t i = 0; i < watched.count; ++i)
    mprotect(watched.ranges[i].begin, watched.ranges[i].bytes, PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &watched.before, nullptr);
}

Touched TouchedPages::touched() const { return watched.touched; }

}  // namespace simulated
