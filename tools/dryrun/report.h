#pragma once

#include "tools/dryrun/dry_run.h"

#include <minima/io/text/json.h>

#include <string>

namespace minima {

/// What one wants to know, a line each; then kernels by time, memory by purpose, fallbacks, and calls of the host.
/// `kernels`: how many groups are listed.
std::string text_report(const DryRunReport& report, int kernels = 30);
/// All numbers of the text, in bytes, FLOPs and milliseconds.
Json to_json(const DryRunReport& report);
/// A picture of the step: a row for each stream, kernels coloured by kind over the predicted time.
std::string timeline_svg(const DryRunReport& report);

}  // namespace minima
