#pragma once

// IWYU pragma: begin_exports
#include <minima/data/loader/epoch_order.h>
#include <minima/data/loader/loader.h>
#include <minima/data/loader/pipeline.h>
#include <minima/data/loader/uploader.h>
// IWYU pragma: end_exports

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace minima::data {

struct LoaderBase::Impl {
  LoaderOptions options;
  Ref<LoaderJob> job;
  Ref<detail::LoaderLink> link;
  std::int64_t dataset_size;  ///< -1: a stream

  mutable std::optional<std::uint64_t> chosen_seed;
  std::uint64_t epoch = 0;
  detail::PositionSet delivered;  ///< positions in this epoch's order delivered so far
  Tensor epoch_priorities;        ///< a copy of the priorities from the start of the epoch
  bool in_loop = false;
  bool left_early = false;  ///< by the last loop: the next one starts the next epoch

  // The running loop.
  std::int64_t start = 0;               ///< positions before this one were delivered earlier
  std::int64_t total = 0;               ///< number of positions
  std::vector<std::int64_t> positions;  ///< of the loop's samples if delivered positions have gaps; then start is 0

  std::shared_ptr<Trace> trace;
  std::shared_ptr<Pipeline> pipeline;
  std::unique_ptr<Uploader> uploader;
  int process = 0;  ///< the one that started their threads

  // Loop timing.
  StageStats compute;
  double looped = 0;
  Clock::time_point body_began{}, loop_began{};
  std::int64_t body_number = 0;
  bool in_body = false;

  bool is_stream() const { return dataset_size < 0; }
  bool has_device() const;
  /// Whether this process was forked from the one that started the threads.
  bool is_forked_child() const;
  detail::Share share() const;
  Sampler sampler() const;
  /// The seed in use, which stays the same from the first call on.
  std::uint64_t seed() const;
  EpochPlan make_plan();
  void plan_stream(EpochPlan& plan);
  void plan_samples(EpochPlan& plan);
  std::vector<std::int64_t> epoch_order();
  std::vector<std::int64_t> drop_delivered(std::vector<std::int64_t> order);
  void count(const Pipeline::Item& item);
  void abandon_stuck_workers();
  /// Starts timing the loop's body for a batch that was requested at `asked`.
  void begin_body(Clock::time_point asked, std::int64_t number);
  void end_body(Clock::time_point now);
};

}  // namespace minima::data
