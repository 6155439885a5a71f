#pragma once

#include <minima/tensor/memory/device/memory_driver.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace minima::device_memory {

/// A simulated GPU with limited memory and streams that lag. It collects `faults`: memory unmapped, or bytes given to
/// another stream, before a stream has passed its last use of them.
class SimulatedDriver final : public MemoryDriver {
 public:
  explicit SimulatedDriver(std::size_t total, std::size_t page_bytes = std::size_t{2} << 20)
      : total_(total), page_bytes_(page_bytes) {}

  Memory memory() override { return {total_ - taken_, total_}; }
  std::size_t page_bytes() override { return page_bytes_; }
  char* reserve(std::size_t bytes) override;
  void unreserve(char* address, std::size_t bytes) override;
  Page create_page() override;
  void destroy_page(Page page) override;
  bool map(char* address, const Page* pages, std::size_t count) override;
  void unmap(char* address, std::size_t count) override;
  char* allocate(std::size_t bytes) override;
  void free(char* address) override;
  Mark record(StreamToken stream) override;
  bool reached(Mark mark) override;
  void synchronize() override;
  void fill(StreamToken, char*, std::size_t, unsigned char) override {}
  std::int64_t find_foreign(StreamToken, const char*, std::size_t, unsigned char) override { return -1; }

  /// Submits work that uses this memory to the stream.
  void use(StreamToken stream, const char* address, std::size_t bytes);
  /// Completes up to `steps` pieces of the stream's work.
  void advance(StreamToken stream, std::uint64_t steps);
  bool is_behind(StreamToken stream) { return streams_[stream].done < streams_[stream].given; }

  std::size_t taken() const { return taken_; }  ///< bytes of physical memory
  std::vector<std::string> faults;
  int synchronizations = 0;
  int records = 0;
  int queries = 0;                         ///< of marks
  int failing_map = 0, failing_unmap = 0;  ///< counts down; the call that makes it 0 throws
  std::size_t reservations() const { return reserved_.size(); }
  bool capturing = false;  ///< querying progress is then a fault

 private:
  struct Progress {
    std::uint64_t given = 0, done = 0;
  };
  /// The last piece of a stream's work that uses a part of a page or of a whole allocation.
  struct Use {
    std::uint64_t begin, end;  ///< addresses
    StreamToken stream;
    std::uint64_t when;
  };
  using Uses = std::vector<Use>;

  Uses* uses_at(const char* address);
  void note_use(Uses& uses, const Use& use);
  void expect_unused(const Uses& uses, const char* what);
  bool is_done(const Use& use) { return streams_[use.stream].done >= use.when; }

  std::size_t total_, page_bytes_, taken_ = 0;
  std::uint64_t next_address_ = std::uint64_t{1} << 40, next_page_ = 1, next_mark_ = 1;
  std::unordered_map<Page, Uses> pages_;
  std::unordered_map<std::uint64_t, Page> page_at_;  ///< by address / page_bytes
  std::set<Page> mapped_;
  std::map<char*, std::size_t> reserved_;
  std::map<const char*, std::pair<std::size_t, Uses>> allocations_;
  std::map<StreamToken, Progress> streams_;
  std::unordered_map<Mark, std::pair<StreamToken, std::uint64_t>> marks_;
};

}  // namespace minima::device_memory
