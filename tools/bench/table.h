#pragma once

#include <minima/minima.h>
#include <minima/tensor/system/processor_use.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// How much of everything a run measures.
struct Settings {
  minima::Device device;
  double seconds = 0.3;         ///< of samples for each figure
  std::int64_t largest = 4096;  ///< the sizes of the largest products; tables leave out what is larger
  bool predicted = false;       ///< the device is a simulated GPU, which computes nothing
};

enum class Better { none, lower, higher };

struct Column {
  std::string name;  ///< with its unit: `time, ms`
  Better better = Better::none;
};

constexpr double missing = NAN;

/// Holds what a benchmark found: a row per case, a figure per column.
struct Table {
  struct Row {
    std::string name;
    std::vector<double> figures;  ///< `missing` where there is none
  };

  std::string rows_are;  ///< the head of the first column
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::vector<std::string> notes = {};
  minima::ProcessorUse processor = {};  ///< while it was made

  void add(std::string name, std::vector<double> figures) { rows.push_back({std::move(name), std::move(figures)}); }
};

/// A table that minima-bench can make.
struct Benchmark {
  const char* key;    ///< on the command line and in JSON
  const char* title;  ///< what it answers
  bool needs_gpu;
  Table (*run)(const Settings& settings);
  bool by_clock = false;      ///< times a loop by the wall clock, which says nothing about a simulated GPU
  bool is_predicted = false;  ///< its figures are no measurements at all
};

/// All of them, in the order in which they run.
const std::vector<Benchmark>& benchmarks();

}  // namespace bench
