#pragma once

#include <ATen/core/Generator.h>

namespace at {

/// LibTorch's settings of the process, each forwarded to minima's.
class Context {
 public:
  const Generator& defaultGenerator(Device) const { return detail::getDefaultCPUGenerator(); }
  bool hasCUDA() const;
  bool hasCuDNN() const { return hasCUDA(); }
  bool hasMKL() const { return false; }
  bool hasMAGMA() const { return false; }
  bool hasLAPACK() const { return true; }
  bool hasOpenMP() const { return false; }
  bool hasMPS() const { return false; }
  bool hasXLA() const { return false; }

  void setDeterministicAlgorithms(bool on, bool warn_only);
  bool deterministicAlgorithms() const;
  void setDeterministicCuDNN(bool on) { setDeterministicAlgorithms(on, false); }
  bool deterministicCuDNN() const { return deterministicAlgorithms(); }
  void setBenchmarkCuDNN(bool on);
  bool benchmarkCuDNN() const;
  void setAllowTF32CuBLAS(bool on);
  bool allowTF32CuBLAS() const;
  void setAllowTF32CuDNN(bool on);
  bool allowTF32CuDNN() const;
  void setAllowFP16ReductionCuBLAS(bool on);
  bool allowFP16ReductionCuBLAS() const;
  void setAllowBF16ReductionCuBLAS(bool on) { setAllowFP16ReductionCuBLAS(on); }
  bool allowBF16ReductionCuBLAS() const { return allowFP16ReductionCuBLAS(); }
  // Switches of backends that minima does not choose from: they have no effect.
  void setUserEnabledCuDNN(bool) {}
  bool userEnabledCuDNN() const { return true; }
  void setUserEnabledMkldnn(bool) {}
  bool userEnabledMkldnn() const { return true; }
  void setFlushDenormal(bool) {}
};
Context& globalContext();

inline bool hasCUDA() { return globalContext().hasCUDA(); }
std::size_t getNumGPUs();
inline bool hasOpenMP() { return globalContext().hasOpenMP(); }
// minima computes on CPUs and with CUDA only.
inline bool hasHIP() { return false; }
inline bool hasHPU() { return false; }
inline bool hasIPU() { return false; }
inline bool hasMAIA() { return false; }
inline bool hasMPS() { return false; }
inline bool hasMTIA() { return false; }
inline bool hasXLA() { return false; }
inline bool hasXPU() { return false; }
inline bool hasMKL() { return globalContext().hasMKL(); }
inline bool hasMAGMA() { return false; }
inline bool hasLAPACK() { return globalContext().hasLAPACK(); }

}  // namespace at
