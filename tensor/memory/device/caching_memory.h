#pragma once

#include <minima/tensor/memory/device/arena.h>
#include <minima/tensor/memory/device/snapshot.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

// The caching allocator of one GPU. Blocks belong to a stream and are reused in stream order without waiting. Before
// the driver is asked for memory, idle pages are moved to where they are needed, once their stream has passed their
// last use.

namespace minima::device_memory {

inline constexpr std::size_t least_mark_interval = std::size_t{16} << 20;

/// The arenas of a stream.
struct Arenas {
  Arena small, large;
};

struct StreamMemory {
  StreamToken token = nullptr;
  int order = 0;
  std::uint64_t releases = 0;      ///< blocks freed so far
  std::uint64_t reached = 0;       ///< the GPU has finished the work before this many releases
  std::uint64_t at_last_trim = 0;  ///< `releases` at the last trim
  struct Recorded {
    Mark mark;
    std::uint64_t releases;  ///< when the mark was recorded
  };
  std::deque<Recorded> marks;      ///< pending marks, in order
  std::size_t unmarked_bytes = 0;  ///< bytes freed since the last mark
  Arenas ordinary, plain;
  Arenas* capture = nullptr;  ///< the arenas of the private pool while work is captured
};

class CachingMemory {
 public:
  explicit CachingMemory(MemoryDriver& driver);
  /// Frees the bookkeeping only, not the driver's memory.
  ~CachingMemory();
  CachingMemory(const CachingMemory&) = delete;
  CachingMemory& operator=(const CachingMemory&) = delete;

  /// The memory of a stream. The reference stays valid, so callers may cache it.
  StreamMemory& stream(StreamToken token);

  /// Null if there is no memory even after waiting for the device and emptying the cache. `plain` memory is allocated
  /// by the driver as a whole, as network cards and other processes require.
  Block* allocate(StreamMemory& stream, std::size_t bytes, Purpose purpose, bool plain = false);
  /// Frees a block; work of its stream may still be using it.
  void release(Block* block) noexcept;
  /// Counts memory that is allocated or freed (`sign` ±1) directly with the driver.
  void count_direct(std::size_t bytes, Purpose purpose, int sign);
  /// Calls release(context) once the stream has finished all work submitted so far.
  void hold(StreamToken stream, void (*release)(void*), void* context);

  /// Sends the stream's requests to private pool `pool`, whose addresses keep their memory until release_pool(), and
  /// likewise this thread's requests for other streams, which the capture forks to. Waits for the device first, so that
  /// the pool can have all memory that earlier work has freed. During a capture no stream is queried for progress,
  /// which would invalidate the capture.
  void begin_capture(StreamMemory& stream, int pool);
  void end_capture(StreamMemory& stream);
  void release_pool(int pool);

  /// Waits for the device and returns unused memory to the driver.
  void empty();
  /// Limits the reserved bytes; 0 means no limit.
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
  bool create_spare(std::size_t count);
  bool harvest(std::size_t wanted, const Block* keep, bool only_old = false);
  void trim();
  void release_idle();
  void remove_idle_segments(Arena& arena);
  void forget_pools();
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
    Mark mark;  ///< 0 if not recorded yet
    StreamToken stream;
    void (*release)(void*);
    void* context;
    bool is_reached = false;
  };
  /// A capture under way, and the streams that it has reached.
  struct Capture {
    std::thread::id thread;
    int pool;
    std::vector<StreamMemory*> streams;
  };
  void join(Capture& capture, StreamMemory& stream);
  void join_capture(StreamMemory& stream);

  MemoryDriver& driver_;
  const std::size_t page_bytes_;
  const std::size_t total_;
  mutable std::mutex mutex_;
  std::map<StreamToken, std::unique_ptr<StreamMemory>> streams_;
  std::map<std::pair<int, StreamMemory*>, std::unique_ptr<Arenas>> pools_;
  std::vector<Page> spare_;  ///< unmapped pages
  std::deque<Held> held_;
  unsigned calls_since_look_ = 0, calls_since_trim_ = 0;
  unsigned calls_between_trims_ = 4096;
  bool trimmed_ = false;                             ///< the last trim returned pages
  std::int64_t created_at_trim_ = 0;                 ///< pages created before it
  std::size_t mark_interval_ = least_mark_interval;  ///< bytes freed between two marks of a stream
  std::vector<Capture> captures_;
  std::size_t limit_ = 0;
  MemoryStats stats_;
  CachingStats caching_;
};

}  // namespace minima::device_memory
