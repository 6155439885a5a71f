#pragma once

/// The exit code when the report cannot be made or written.
inline constexpr int could_not_report = 1;

/// A build for newer processors dies of its first instruction that this one lacks. From now on the program says so on
/// standard error and exits with `could_not_report`.
void explain_illegal_instructions();
