#pragma once

// --profile of the examples.

#include "run_options.h"

#include <minima/minima.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/memory_timeline.h>
#include <minima/profiler/profile.h>
#include <minima/profiler/profile_html.h>
#include <minima/profiler/ranges/nvtx_ranges.h>
#include <minima/profiler/roofline.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Profiles 20 steps after the first three if --profile or --memory-report is given. For --profile it then prints where
/// the time is and which operators lose most of it, and writes profile.html, its pictures, profile.json and trace.json
/// into the folder; for --memory-report it draws the steps' memory. Ranks after the first one write their trace only,
/// trace.rank1.json and so on, for `minima-plot --traces`. Where a tool such as Nsight Systems listens, it hears of
/// operators, gradients and modules, with or without these options.
class StepProfile {
 public:
  template <class Network>
  StepProfile(const RunOptions& options, Network& network, int rank = 0)
      : folder_(options.profile), memory_report_(rank == 0 ? options.memory_report : ""), rank_(rank) {
    ranges_.watch(network);
    if (folder_.empty() && memory_report_.empty()) return;
    if (!folder_.empty()) std::filesystem::create_directories(folder_);
    if (!memory_report_.empty()) const minima::AtomicFile probe(memory_report_);  // throws now rather than later
    profile_.emplace(minima::profiler::ProfileOptions{
        .skip = 3, .steps = 20, .stacks = options.profile_stacks, .counters = options.profile_counters});
    profile_->watch(network);
  }
  template <class Loader> void watch_loader(const Loader& loader) {
    if (profile_) profile_->watch_loader(loader);
  }
  /// Ends a step.
  void step() {
    if (profile_ && !is_written_ && !profile_->step()) write();
  }
  /// Reports what there is, unless that was done; a shorter training has fewer steps. `pictures` of the whole run are
  /// added to profile.html.
  void finish(const std::vector<std::string>& pictures = {}) {
    if (!profile_) return;
    if (!is_written_) write();
    if (!pictures.empty() && !folder_.empty() && rank_ == 0) write_html(pictures);
    profile_.reset();
  }

 private:
  void write() {
    is_written_ = true;
    profile_->stop();
    if (!memory_report_.empty()) {
      minima::write_file(memory_report_, minima::profiler::memory_timeline_svg(profile_->recording()));
      std::printf("memory: %s\n", memory_report_.c_str());
    }
    if (!folder_.empty() && rank_ == 0) write_report();
    if (!folder_.empty() && rank_ > 0)
      minima::write_file(folder_ + "/trace.rank" + std::to_string(rank_) + ".json", profile_->chrome_trace());
    std::fflush(stdout);
  }
  void write_html(const std::vector<std::string>& pictures) {
    minima::write_file(folder_ + "/profile.html",
                       minima::profiler::profile_html(profile_->report(), profile_->recording(), pictures));
  }
  void write_report() {
    const minima::profiler::Report report = profile_->report();
    std::printf("\n%s", report.text().c_str());
    minima::write_file(folder_ + "/profile.json", report.json().text(2));
    minima::write_file(folder_ + "/trace.json", profile_->chrome_trace());
    minima::write_file(folder_ + "/roofline.svg", minima::profiler::roofline_svg(report));
    minima::write_file(folder_ + "/flame.svg", minima::profiler::flame_graph_svg(profile_->recording()));
    minima::write_file(folder_ + "/memory.svg", minima::profiler::memory_timeline_svg(profile_->recording()));
    if (!profile_->recording().host.stack_of.empty())
      minima::write_file(folder_ + "/flame_lines.svg",
                         minima::profiler::flame_graph_svg(profile_->recording(), minima::profiler::FlameBy::lines));
    write_html({});
    std::printf(
        "%s: roofline.svg, flame.svg, memory.svg, profile.html, profile.json, and trace.json for "
        "https://ui.perfetto.dev\n",
        folder_.c_str());
  }

  std::string folder_, memory_report_;
  int rank_;
  bool is_written_ = false;
  minima::profiler::NvtxRanges ranges_;
  std::optional<minima::profiler::Profile> profile_;
};
