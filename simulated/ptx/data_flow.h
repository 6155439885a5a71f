#pragma once

#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

// These functions tell what statements are made of, and which of a kernel depend on which.

namespace simulated::ptx {

bool is_one_of(const std::string& word, std::initializer_list<const char*> words);
bool is_same(const Operand& a, const Operand& b);

/// Whether the statement reads or writes the register.
bool names(const Statement& statement, const std::string& name);
/// The register that the statement writes, if its only effect is that; else empty.
std::string result_of(const Statement& statement);
/// Whether it does more with the register than write it.
bool reads(const Statement& statement, const std::string& name);

/// The ways that control went in a kernel, by statement.
struct Paths {
  std::vector<bool> ran;
  std::vector<bool> taken;  ///< branches, at least once
};

/// Whether a statement other than ones that only compute depends on the result of statement `at`, by paths that control
/// took.
bool is_read(const Body& body, std::size_t at, const Paths& paths);

/// Whether statement `at`, after the first load from global memory, computes with nothing but numbers from there:
/// it depends on no parameter, and on no thread's or block's index, nor does any global store's address depend on it.
bool computes_with_numbers(const Body& body, std::size_t at);

}  // namespace simulated::ptx
