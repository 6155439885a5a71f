#pragma once

// --profile of the examples.

#include "run_options.h"

#include <minima/minima.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/memory_timeline.h>
#include <minima/profiler/profile.h>
#include <minima/profiler/profile_html.h>
#include <minima/profiler/roofline.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

/// Profiles 20 steps after the first three if --profile or --memory-report is given. For --profile it then prints where
/// the time is and which operators lose most of it, and writes profile.html, its pictures, profile.json and trace.json
/// into the folder; for --memory-report it draws the steps' memory.
class StepProfile {
 public:
  template <class Network>
  StepProfile(const RunOptions& options, Network& network, bool is_first)
      : folder_(options.profile), memory_report_(options.memory_report) {
    if ((folder_.empty() && memory_report_.empty()) || !is_first) return;
    if (!folder_.empty()) std::filesystem::create_directories(folder_);
    if (!memory_report_.empty()) const minima::AtomicFile probe(memory_report_);  // throws now rather than later
    profile_.emplace(minima::profiler::ProfileOptions{.skip = 3, .steps = 20});
    profile_->watch(network);
  }
  template <class Loader> void watch_loader(const Loader& loader) {
    if (profile_) profile_->watch_loader(loader);
  }
  /// Ends a step.
  void step() {
    if (profile_ && !profile_->step()) finish();
  }
  /// Reports what there is, unless that was done; a shorter training has fewer steps.
  void finish() {
    if (!profile_) return;
    profile_->stop();
    if (!memory_report_.empty()) {
      minima::write_file(memory_report_, minima::profiler::memory_timeline_svg(profile_->recording()));
      std::printf("memory: %s\n", memory_report_.c_str());
    }
    if (!folder_.empty()) write_report();
    std::fflush(stdout);
    profile_.reset();
  }

 private:
  void write_report() {
    const minima::profiler::Report report = profile_->report();
    std::printf("\n%s", report.text().c_str());
    minima::write_file(folder_ + "/profile.json", report.json().text(2));
    minima::write_file(folder_ + "/trace.json", profile_->chrome_trace());
    minima::write_file(folder_ + "/roofline.svg", minima::profiler::roofline_svg(report));
    minima::write_file(folder_ + "/flame.svg", minima::profiler::flame_graph_svg(profile_->recording()));
    minima::write_file(folder_ + "/memory.svg", minima::profiler::memory_timeline_svg(profile_->recording()));
    minima::write_file(folder_ + "/profile.html", minima::profiler::profile_html(report, profile_->recording()));
    std::printf(
        "%s: roofline.svg, flame.svg, memory.svg, profile.html, profile.json, and trace.json for "
        "https://ui.perfetto.dev\n",
        folder_.c_str());
  }

  std::string folder_, memory_report_;
  std::optional<minima::profiler::Profile> profile_;
};
