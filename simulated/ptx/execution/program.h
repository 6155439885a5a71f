#pragma once

#include "simulated/ptx/execution/op.h"
#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simulated::ptx {

/// A kernel, decoded once: its instructions with the functions that it calls put in their place. The module must live
/// as long.
class Program {
 public:
  /// The entry `name` of `module`. Throws std::invalid_argument if there is none, and SyntaxError. An instruction that
  /// is not known becomes one that stops with its text when it is run; see unknown().
  Program(const Module& module, const std::string& name);
  /// The same with another body, for experiments: a mutant.
  Program(const Module& module, const std::string& name, const Body& body);

  struct Parameter {
    std::size_t offset, bytes;
  };

  const std::string& name() const { return name_; }
  const std::vector<Op>& ops() const { return ops_; }
  const std::string& text(std::size_t statement) const { return texts_[statement]; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::size_t parameter_bytes() const { return parameter_bytes_; }
  std::size_t register_bytes() const { return register_bytes_; }
  const std::vector<std::uint8_t>& constants() const { return constants_; }
  const std::vector<std::pair<std::string, Place>>& specials() const { return specials_; }
  /// Static shared memory; the dynamic part follows.
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::size_t local_bytes() const { return local_bytes_; }
  /// The smallest access of these spaces, in bytes.
  unsigned shared_granule() const { return shared_granule_; }
  unsigned global_granule() const { return global_granule_; }
  /// The texts of the instructions that are not known.
  const std::vector<std::string>& unknown() const { return unknown_; }

  /// Instructions between two labels, and what can be known of them without running: how many global loads they have
  /// and how often a warp must wait for some.
  struct Stretch {
    std::uint32_t instructions = 0, loads = 0, waits = 0;
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const Module& module() const { return *module_; }

 private:
  friend class Assembler;
  const Module* module_;
  std::string name_;
  std::vector<Op> ops_;
  std::vector<std::string> texts_, unknown_;
  std::vector<Parameter> parameters_;
  std::vector<std::uint8_t> constants_;
  std::vector<std::pair<std::string, Place>> specials_;
  std::vector<Stretch> stretches_;
  std::size_t parameter_bytes_ = 0, register_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  unsigned shared_granule_ = 8, global_granule_ = 8;
};

}  // namespace simulated::ptx
