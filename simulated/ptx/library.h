#pragma once

#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulated::ptx {

/// The kernels of some files, by their signatures. nvcc and the compiler of the host write the same signature for a
/// kernel, though not the same symbol: g++ marks static functions.
class Library {
 public:
  /// Objects, libraries, programs or PTX (read_ptx), separated by colons.
  explicit Library(const std::string& files);

  /// Decoded when first asked for; null if there is none.
  const Program* find(const std::string& signature);
  /// All signatures with their entries' symbols.
  const std::map<std::string, std::string>& kernels() const { return symbols_; }
  const Module& module_of(const std::string& signature) const { return *modules_[places_.at(signature)]; }

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, std::string> symbols_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

/// "void k<float>(float const*)" of _Z1kIfEvPKT_; the symbol itself if it is no C++ name.
std::string demangle(const std::string& symbol);

}  // namespace simulated::ptx
