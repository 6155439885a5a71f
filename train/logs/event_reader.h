#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// One value of an event file.
struct EventRecord {
  enum class Kind : std::uint8_t {
    scalar,     ///< `value`, also of a tensor of one number, as TensorFlow 2 and JAX write it
    histogram,  ///< `histogram`
    text,       ///< `text`
    image,      ///< `text`: the image file's bytes, mostly PNG; the first one's of several
    version,    ///< `text`: the file's first record
    other,      ///< hyper-parameters, a graph, TensorFlow 2's histograms, …: skipped
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

/// The contents of an event file.
struct EventFile {
  std::vector<EventRecord> events;
  std::uint64_t bytes = 0;  ///< of complete records
  bool torn = false;        ///< the file ends inside a record, as after a crash; `events` holds the earlier ones
};

/// Reads a TensorBoard event file, written by EventWriter or another program:
///
///     for (const EventRecord& event : read_events(path).events)
///       if (event.tag == "train/loss") losses.push_back(event.value);
///
/// Throws FileError, or FormatError with path and offset if a record's checksum is wrong or it is not an event.
MINIMA_API EventFile read_events(const std::string& path);

}  // namespace minima
