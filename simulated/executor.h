#pragma once

#include "simulated/simulation.h"

#include <vector_types.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Kernels run as follows. A launch copies its arguments and submits a closure; when its turn comes, the executor runs
// the kernel's threads. register_kernel stands for what nvcc's start-up code does in a program; launches through the
// typed overload of cuda_runtime.h register their kernels themselves.

namespace simulated {

/// The size of a launch.
struct Launch {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
};

/// Runs body() once for each thread of each block, before it returns.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void run(const std::string& kernel, const Launch& launch, const std::function<void()>& body) = 0;
  /// Returns what a launch submits, by default a call of run(). It is called when the launch is made, so it copies what
  /// it needs of the arguments.
  virtual std::function<void()> prepare(const void* function, const std::string& kernel, const Launch& launch,
                                        void** arguments, std::function<void()> body);
};

/// Null restores the default, which runs every thread as a fiber (kernels/simt.h), or with
/// MINIMA_SIMULATED_EXECUTOR=ptx what nvcc compiled (ptx/executor.h).
void set_executor(Executor* executor);
Executor& executor();

/// A launch with copies of its arguments.
struct BoundKernel {
  std::function<void()> body;         ///< one thread
  std::vector<const void*> pointers;  ///< the arguments that are pointers
  std::vector<const void*> written;   ///< those of them that the kernel may write through
  std::vector<const void*> words;     ///< all words of the arguments that could be addresses
};

/// A parameter of a kernel.
struct Parameter {
  std::size_t size, alignment;
  bool is_pointer, is_written;  ///< whether it is one, and whether the kernel may write through it
};
/// The part of a launch that is compiled for every type of kernel. All else is common to them, because every kernel of
/// a library pays for it in seconds of its build.
struct KernelType {
  const Parameter* parameters;
  std::size_t count;
  void (*call)(const void* kernel, void* const* arguments);  ///< runs one thread
};

void register_kernel(const void* function, std::string name, const KernelType& type, RuntimeId runtime = main_runtime);
/// Whether the runtime that this thread calls knows the kernel.
bool is_registered(const void* function);
/// The kernel's own name, without namespaces and template arguments, from the symbol table of its program or library;
/// "kernel" where that has been stripped.
std::string name_of_kernel(const void* function);
/// Its whole signature, as the demangler writes it; empty where the symbols have been stripped.
std::string signature_of_kernel(const void* function);
/// "softmax_kernel" of "void minima::(anonymous namespace)::softmax_kernel<float>(float const*, long)".
std::string name_in(std::string signature);

template <class Indices, class... Parameters> struct TypedKernel;
template <std::size_t... i, class... Parameters> struct TypedKernel<std::index_sequence<i...>, Parameters...> {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "a launch copies arguments bitwise");
  static_assert(((alignof(Parameters) <= alignof(std::max_align_t)) && ...), "arguments are aligned to 16 bytes");
  static constexpr std::array<Parameter, sizeof...(Parameters)> parameters{
      Parameter{sizeof(Parameters), alignof(Parameters), std::is_pointer_v<Parameters>,
                !std::is_const_v<std::remove_pointer_t<Parameters>>}...};
  static void call(const void* kernel, void* const* arguments) {
    reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel))(*static_cast<Parameters*>(arguments[i])...);
  }
};

template <class... Parameters>
void register_kernel(const std::string& name, void (*kernel)(Parameters...), RuntimeId runtime = main_runtime) {
  using Typed = TypedKernel<std::index_sequence_for<Parameters...>, Parameters...>;
  register_kernel(reinterpret_cast<const void*>(kernel), name,
                  KernelType{Typed::parameters.data(), Typed::parameters.size(), Typed::call}, runtime);
}

/// Registers a kernel under its own name before its first launch.
template <class... Parameters>
void register_once(void (*kernel)(Parameters...)) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (!is_registered(function)) register_kernel(name_of_kernel(function), kernel, current_runtime());
}

}  // namespace simulated
