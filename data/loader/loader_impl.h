#pragma once

#include <minima/data/loader/epoch_order.h>
#include <minima/data/loader/loader.h>
#include <minima/data/loader/pipeline.h>
#include <minima/data/loader/uploader.h>

#include <memory>
#include <vector>

namespace minima::data {

struct LoaderBase::Impl {
  LoaderOptions options;
  Ref<LoaderJob> job;
  Ref<detail::LoaderLink> link;
  std::int64_t dataset_size;  ///< -1: a stream

  std::uint64_t epoch = 0;
  detail::PositionSet delivered;  ///< positions in this epoch's order that loops have got
  Tensor epoch_priorities;        ///< as they were when the epoch began
  bool in_pass = false;
  bool broken_off = false;  ///< the last loop was left early: the next one is another epoch

  // Of the running pass.
  std::int64_t start = 0;               ///< positions before it had been delivered when the pass began
  std::int64_t total = 0;               ///< positions
  std::vector<std::int64_t> positions;  ///< of the pass's samples, where they have gaps; then start is 0

  std::shared_ptr<Trace> trace;
  std::shared_ptr<Pipeline> pipeline;
  std::unique_ptr<Uploader> uploader;
  int process = 0;  ///< that started their threads

  // Times of the loop.
  StageStats compute;
  double looped = 0;
  Clock::time_point left{}, pass_began{};
  std::int64_t body_number = 0;
  bool in_body = false;

  bool is_stream() const { return dataset_size < 0; }
  bool has_device() const;
  /// This process is a child that was forked from the one with the threads.
  bool is_without_threads() const;
  detail::Share share() const;
  Sampler sampler() const;
  Pass make_pass();
  void count(const Pipeline::Item& item);
  /// The loop's body begins with this batch, which was asked for then.
  void begin_body(Clock::time_point asked, std::int64_t number);
  void end_body(Clock::time_point now);
};

}  // namespace minima::data
