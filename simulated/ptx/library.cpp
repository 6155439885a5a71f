#include "simulated/ptx/library.h"

#include "simulated/ptx/text/fat_binary.h"

#include <cxxabi.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace simulated::ptx {

std::string demangle(const std::string& symbol) {
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), std::free);
  return plain ? plain.get() : symbol;
}

Library::Library(const std::string& files) {
  std::istringstream list(files);
  for (std::string file; std::getline(list, file, ':');)
    for (std::string& text : read_ptx(file)) {
      modules_.push_back(std::make_unique<Module>(std::move(text)));
      for (const Function& function : modules_.back()->functions()) {
        if (!function.entry || function.body.empty()) continue;
        const std::string signature = demangle(function.name);
        if (symbols_.emplace(signature, function.name).second) places_[signature] = modules_.size() - 1;
      }
    }
}

const Program* Library::find(const std::string& signature) {
  const auto symbol = symbols_.find(signature);
  if (symbol == symbols_.end()) return nullptr;
  std::unique_ptr<Program>& program = programs_[signature];
  if (!program) program = std::make_unique<Program>(module_of(signature), symbol->second);
  return program.get();
}

}  // namespace simulated::ptx
