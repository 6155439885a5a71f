#pragma once

#include <minima/io/plots/line_plot.h>
#include <minima/tensor/base/api.h>

#include <map>
#include <string>
#include <vector>

namespace minima {

/// The scalars that a run has logged.
struct RunLog {
  std::string path;
  std::map<std::string, Series> curves;  ///< by tag; x is the step
};

/// Reads the log of a run: an event file, whose name has `tfevents` in it, a CSV file (`.csv`), JSON Lines (`.jsonl`),
/// or a folder with event files or else with one of the others. The steps are the column or member `step`, `steps`,
/// `iteration` or `epoch`, else rows are numbered from 0. A run that was resumed replaces what it had logged of the
/// steps that it repeats. JSON Lines may have what Python's json writes: NaN, Infinity and integers of any size.
///
/// Throws ValueError where there is no such log, FileError, FormatError.
MINIMA_API RunLog read_run_log(const std::string& path);

/// The curve of this tag. Throws a ValueError that lists the tags there are.
MINIMA_API const Series& curve_of(const RunLog& run, const std::string& tag);

/// For a legend, what distinguishes the runs' paths: `a` and `b` for `runs/a/log.csv` and `runs/b/log.csv`.
MINIMA_API std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace minima
