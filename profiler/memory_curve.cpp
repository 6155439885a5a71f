#include <minima/profiler/memory_curve.h>

#include <minima/profiler/recording.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/counted_bytes.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace minima::profiler {

namespace {

using Storages = std::unordered_set<const Storage*>;

std::int64_t bytes_of(const Tensor& tensor) {
  return static_cast<std::int64_t>(detail::counted_bytes(*tensor.impl()->storage));
}

/// Moves what is not counted for the purpose yet, of so many bytes, from the activations to it.
void reclassify(std::int64_t bytes, Purpose purpose, MemoryLevel& level) {
  std::int64_t& activations = level.by[static_cast<int>(Purpose::activations)];
  std::int64_t& counted = level.by[static_cast<int>(purpose)];
  const std::int64_t moved = std::clamp<std::int64_t>(bytes - counted, 0, activations);
  activations -= moved;
  counted += moved;
}

/// Marks the allocations between two levels of a device that are gradients at the second.
void mark_born(Recording& recording, std::size_t from, std::size_t to, const std::vector<const Storage*>& gradients) {
  Storages left(gradients.begin(), gradients.end());
  for (std::size_t i = to; i-- > from && !left.empty();) {
    MemoryChange& change = recording.memory[i];
    if (change.bytes > 0 && left.erase(change.storage) > 0 && change.purpose == Purpose::activations)
      change.purpose = Purpose::gradients;
  }
}

/// Gives what frees a gradient the purpose of what allocated it.
void mark_freed(Recording& recording, std::size_t from, std::size_t to, Storages& gradients) {
  for (std::size_t i = from; i < to; ++i) {
    MemoryChange& change = recording.memory[i];
    if (change.bytes > 0 && change.purpose == Purpose::gradients) gradients.insert(change.storage);
    else if (gradients.erase(change.storage) > 0 && change.bytes < 0 && change.purpose == Purpose::activations)
      change.purpose = Purpose::gradients;
  }
}

/// The fullest and the last state of each time.
void append(std::vector<MemoryPoint>& points, const MemoryPoint& point) {
  const std::size_t count = points.size();
  if (count < 2 || points[count - 2].seconds != point.seconds) {
    points.push_back(point);
    return;
  }
  MemoryPoint& last = points[count - 1];
  if (last.total() > points[count - 2].total()) points[count - 2] = last;
  last = point;
}

}  // namespace

std::int64_t MemoryPoint::total() const {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : by) sum += bytes;
  return sum;
}

std::vector<Device> devices_of(const Recording& recording) {
  std::vector<Device> devices;
  for (const MemoryLevel& level : recording.levels)
    if (std::find(devices.begin(), devices.end(), level.device) == devices.end()) devices.push_back(level.device);
  return devices;
}

std::vector<MemoryPoint> memory_curve(const Recording& recording, Device device) {
  std::vector<MemoryPoint> points;
  std::size_t next = 0;
  for (const MemoryLevel& level : recording.levels) {
    if (level.device != device) continue;
    for (; next < level.changes; ++next) {
      const MemoryChange& change = recording.memory[next];
      if (change.device != device || points.empty()) continue;
      MemoryPoint point = points.back();
      point.seconds = change.seconds;
      point.by[static_cast<int>(change.purpose)] += change.bytes;
      append(points, point);
    }
    MemoryPoint point{.seconds = level.seconds};
    std::copy(std::begin(level.by), std::end(level.by), std::begin(point.by));
    append(points, point);
  }
  return points;
}

MemoryLevel level_of(Device device, const std::vector<Tensor>& parameters, std::vector<const Storage*>& gradients) {
  MemoryLevel level{.device = device};
  const MemoryStats stats = memory_stats(device);
  std::copy(std::begin(stats.allocated_by), std::end(stats.allocated_by), std::begin(level.by));
  std::int64_t weights = 0, derived = 0;
  for (const Tensor& parameter : parameters) {
    if (parameter.device() != device) continue;
    weights += bytes_of(parameter);
    const Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    derived += bytes_of(gradient);
    gradients.push_back(gradient.impl()->storage.get());
  }
  reclassify(weights, Purpose::parameters, level);
  reclassify(derived, Purpose::gradients, level);
  return level;
}

void mark_gradients(Recording& recording, const std::vector<std::vector<const Storage*>>& gradients) {
  for (const Device device : devices_of(recording)) {
    Storages alive;
    std::size_t done = 0;
    bool is_first = true;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const MemoryLevel& level = recording.levels[i];
      if (level.device != device) continue;
      if (!is_first) {
        mark_born(recording, done, level.changes, gradients[i]);
        mark_freed(recording, done, level.changes, alive);
      }
      alive.insert(gradients[i].begin(), gradients[i].end());
      done = level.changes;
      is_first = false;
    }
    mark_freed(recording, done, recording.memory.size(), alive);
  }
}

}  // namespace minima::profiler
