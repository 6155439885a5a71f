#pragma once

#include "simulated/simulation.h"

#include <vector_types.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
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
using Bind = std::function<BoundKernel(void** arguments)>;

void register_kernel(const void* function, std::string name, Bind bind, RuntimeId runtime = main_runtime);
/// Whether the runtime that this thread calls knows the kernel.
bool is_registered(const void* function);
/// The kernel's own name, without namespaces and template arguments, from the symbol table of its program or library;
/// "kernel" where that has been stripped.
std::string name_of_kernel(const void* function);
/// Its whole signature, as the demangler writes it; empty where the symbols have been stripped.
std::string signature_of_kernel(const void* function);
/// "softmax_kernel" of "void minima::(anonymous namespace)::softmax_kernel<float>(float const*, long)".
std::string name_in(std::string signature);

/// The aligned words of a value, some of which may be addresses.
template <class T> void append_words(std::vector<const void*>& words, const T& value) {
  std::array<const void*, sizeof(T) / sizeof(void*)> copy{};
  if constexpr (sizeof(T) >= sizeof(void*)) std::memcpy(copy.data(), &value, sizeof copy);
  words.insert(words.end(), copy.begin(), copy.end());
}

template <class... Parameters>
void register_kernel(const std::string& name, void (*kernel)(Parameters...), RuntimeId runtime = main_runtime) {
  const Bind bind = [kernel](void** arguments) {
    const auto values = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return std::tuple<Parameters...>(*static_cast<Parameters*>(arguments[i])...);
    }(std::index_sequence_for<Parameters...>());
    BoundKernel bound;
    bound.body = [=] { std::apply(kernel, values); };
    std::apply(
        [&](const Parameters&... parameters) {
          const auto look = [&](const auto& parameter) {
            append_words(bound.words, parameter);
            using Type = std::remove_cvref_t<decltype(parameter)>;
            if constexpr (std::is_pointer_v<Type>) {
              bound.pointers.push_back(parameter);
              if constexpr (!std::is_const_v<std::remove_pointer_t<Type>>) bound.written.push_back(parameter);
            }
          };
          (look(parameters), ...);
        },
        values);
    return bound;
  };
  register_kernel(reinterpret_cast<const void*>(kernel), name, bind, runtime);
}

/// Registers a kernel under its own name before its first launch.
template <class... Parameters>
void register_once(void (*kernel)(Parameters...)) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (!is_registered(function)) register_kernel(name_of_kernel(function), kernel, current_runtime());
}

}  // namespace simulated
