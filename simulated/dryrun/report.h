#pragma once

#include "simulated/dryrun/dry_run.h"

#include <minima/io/text/json.h>

#include <string>

namespace simulated {

/// The report as text: its main numbers, a line each; then kernels by time, memory by purpose, fallbacks, and calls of
/// the host. It lists `kernels` groups of kernels.
std::string text_report(const DryRunReport& report, int kernels = 30);
/// All numbers of the text report, in bytes, FLOPs and milliseconds.
minima::Json to_json(const DryRunReport& report);
/// A picture of the step: a row for each stream, kernels coloured by kind over the predicted time.
std::string timeline_svg(const DryRunReport& report);

}  // namespace simulated
