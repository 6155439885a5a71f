#pragma once

#include <minima/tensor/memory/device/arena.h>
#include <minima/tensor/memory/device/snapshot.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>

// The memory of one GPU. Blocks belong to a stream: freed in its order, they are given out again in its order without
// waiting. Pages that lie idle in one place are moved to where memory is needed, once the stream has passed their last
// use, before the driver is asked for more.

namespace minima::device_memory {

inline constexpr std::size_t least_mark_interval = std::size_t{16} << 20;

/// The arenas that a stream's requests go to.
struct Arenas {
  Arena small, large;
};

struct StreamMemory {
  StreamToken token = nullptr;
  int order = 0;
  std::uint64_t releases = 0;      ///< blocks taken back so far
  std::uint64_t reached = 0;       ///< the work before this many releases is done
  std::uint64_t at_last_trim = 0;  ///< `releases` then
  struct Recorded {
    Mark mark;
    std::uint64_t releases;  ///< then
  };
  std::deque<Recorded> marks;      ///< not seen to be reached yet, in order
  std::size_t unmarked_bytes = 0;  ///< released since the last one
  Arenas ordinary, plain;
  Arenas* capture = nullptr;  ///< where requests go while work is captured
};

class CachingMemory {
 public:
  explicit CachingMemory(MemoryDriver& driver);
  /// Forgets its books; what the driver gave stays the driver's.
  ~CachingMemory();
  CachingMemory(const CachingMemory&) = delete;
  CachingMemory& operator=(const CachingMemory&) = delete;

  /// The one of a stream; callers keep it.
  StreamMemory& stream(StreamToken token);

  /// Null if there is no room even when the device is idle and nothing is cached. `plain` memory is allocated as a
  /// whole by the driver, as network cards and other processes want it.
  Block* allocate(StreamMemory& stream, std::size_t bytes, Purpose purpose, bool plain = false);
  /// Takes a block back; work of its stream may still be using it.
  void release(Block* block) noexcept;
  /// Counts memory that is taken from the driver and given back by itself.
  void count_direct(std::size_t bytes, Purpose purpose, int sign);
  /// Calls release(context) once the stream has done what it has been given so far.
  void hold(StreamToken stream, void (*release)(void*), void* context);

  /// From now on the stream's requests go to private pool `pool`, whose addresses keep their memory until
  /// release_pool(). In between no other stream's progress is asked for, which would break the capture.
  void begin_capture(StreamMemory& stream, int pool);
  void end_capture(StreamMemory& stream);
  void release_pool(int pool);

  /// Waits for the device and returns what is not used.
  void empty();
  /// Bytes that may be reserved; 0 is all there is.
  void set_limit(std::size_t bytes);
  void reset_peak();

  MemoryDriver& driver() const { return driver_; }
  std::size_t limit() const;
  MemoryStats stats() const;
  CachingStats caching_stats() const;
  MemorySnapshot snapshot() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  Block* allocate_slowly(Arena& arena, std::size_t bytes, Lock& lock);
  bool grow(Arena& arena, std::size_t bytes, bool harvest_all);
  bool add_addresses(Arena& arena);
  bool grow_paged(Arena& arena, std::size_t bytes, bool harvest_all);
  bool add_whole_segment(Arena& arena, std::size_t bytes);
  bool acquire(std::size_t count, std::vector<Page>& pages);
  bool harvest(std::size_t wanted, const Block* keep, bool only_old = false);
  void trim();
  void release_idle();
  void destroy_spare();
  void record_mark(StreamMemory& stream);
  void note_progress(StreamMemory& stream);
  void note_progress();
  void run_holds(Lock& lock);
  void wait_for_device(Lock& lock);
  bool fits(std::size_t more) const;
  bool has_much_idle() const;
  void count_use(const Block& block, int sign);
  void add_reserved(std::int64_t bytes);
  void prepare(Arenas& arenas, StreamMemory& stream, bool paged, bool graph);
  template <class Visit>
  void for_each_arena(const Visit& visit) const;

  struct Held {
    Mark mark;  ///< 0: not recorded yet
    StreamToken stream;
    void (*release)(void*);
    void* context;
  };

  MemoryDriver& driver_;
  const std::size_t page_bytes_;
  const std::size_t total_;
  mutable std::mutex mutex_;
  std::map<StreamToken, std::unique_ptr<StreamMemory>> streams_;
  std::map<std::pair<int, StreamMemory*>, std::unique_ptr<Arenas>> pools_;
  std::vector<Page> spare_;  ///< pages that lie nowhere
  std::deque<Held> held_;
  unsigned calls_since_look_ = 0, calls_since_trim_ = 0;
  std::size_t mark_interval_ = least_mark_interval;  ///< bytes released in between
  int captures_ = 0;
  std::size_t limit_ = 0;
  MemoryStats stats_;
  CachingStats caching_;
};

}  // namespace minima::device_memory
