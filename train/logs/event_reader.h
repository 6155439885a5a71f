#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// One value of an event file.
struct EventRecord {
  enum class Kind : std::uint8_t {
    scalar,     ///< `value`
    histogram,  ///< `histogram`
    text,       ///< `text`
    version,    ///< `text`: what an event file begins with
    other,      ///< an image, a graph, …: not read
  };
  struct Histogram {
    double low = 0, high = 0, count = 0, sum = 0, squares = 0;
    std::vector<double> limits;  ///< upper bounds of the buckets
    std::vector<double> counts;
  };

  Kind kind = Kind::other;
  std::string tag;
  std::int64_t step = 0;
  double seconds = 0;  ///< since 1970
  double value = 0;
  std::string text;
  Histogram histogram;
};

/// What an event file holds.
struct EventFile {
  std::vector<EventRecord> events;
  std::uint64_t bytes = 0;  ///< of whole records
  bool torn = false;        ///< the file ends inside a record, as a crash leaves it; the ones before are in `events`
};

/// Reads what EventWriter or another writer of TensorBoard's event files wrote:
///
///     for (const EventRecord& event : read_events(path).events)
///       if (event.tag == "train/loss") losses.push_back(event.value);
///
/// Throws FileError, or FormatError with path and offset for a record whose checksum is wrong or that is no event.
MINIMA_API EventFile read_events(const std::string& path);

}  // namespace minima
