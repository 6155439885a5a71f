#pragma once

#include <minima/io/state.h>

#include <string>

namespace minima::train::detail {

/// Describes this process for the state of a run: minima's version and commit, the program's command line, the git
/// commit of the folder it runs in, host, processor, threads, settings and the variables MINIMA_… but secrets. Texts,
/// by name.
MINIMA_API State run_facts();

/// The commit that is checked out in the folder or one above it, read from the files of .git; empty without any.
MINIMA_API std::string git_commit(const std::string& folder);

/// Lists what differs between two lists of texts, `name: OLD, now NEW`, with `none` for a missing one.
MINIMA_API std::vector<std::string> differences(const State& before, const State& now);

}  // namespace minima::train::detail
