#pragma once

#include <minima/tensor/base/error.h>

#include <c10/macros/Macros.h>
#include <c10/util/StringUtil.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <variant>

namespace c10 {

/// minima's own base class: `catch (const c10::Error&)` catches everything the library throws, too. A message has no
/// stack trace, so `what()` is LibTorch's `what_without_backtrace()`.
using Error = minima::Error;
using IndexError = minima::IndexError;
using ValueError = minima::ValueError;
using OutOfMemoryError = minima::OutOfMemoryError;
class TypeError : public Error {
  using Error::Error;
};
class NotImplementedError : public Error {
  using Error::Error;
};
class EnforceFiniteError : public Error {
  using Error::Error;
};
class OnnxfiBackendSystemError : public Error {
  using Error::Error;
};
class LinAlgError : public Error {
  using Error::Error;
};
class DistError : public Error {
  using Error::Error;
};

class Warning {
 public:
  struct UserWarning {};
  struct DeprecationWarning {};
  using warning_variant_t = std::variant<UserWarning, DeprecationWarning>;

  Warning(warning_variant_t type, const SourceLocation& source, std::string message, bool verbatim)
      : type_(type), source_(source), message_(std::move(message)), verbatim_(verbatim) {}

  warning_variant_t type() const { return type_; }
  const SourceLocation& source_location() const { return source_; }
  const std::string& msg() const { return message_; }
  bool verbatim() const { return verbatim_; }

 private:
  warning_variant_t type_;
  SourceLocation source_;
  std::string message_;
  bool verbatim_;
};
using UserWarning = Warning::UserWarning;
using DeprecationWarning = Warning::DeprecationWarning;

/// Hands a warning to this thread's handler. The default one writes it to standard error.
void warn(const Warning& warning);

class WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  virtual void process(const Warning& warning);
};

namespace WarningUtils {
/// The handler of this thread; null restores the default one. The caller keeps ownership.
void set_warning_handler(WarningHandler* handler) noexcept;
WarningHandler* get_warning_handler() noexcept;

class WarningHandlerGuard {
 public:
  explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;
  ~WarningHandlerGuard() { set_warning_handler(previous_); }

 private:
  WarningHandler* previous_;
};

/// While on, TORCH_WARN_ONCE warns every time.
void set_warnAlways(bool on) noexcept;
bool get_warnAlways() noexcept;

class WarnAlways {
 public:
  explicit WarnAlways(bool on = true) : previous_(get_warnAlways()) { set_warnAlways(on); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;
  ~WarnAlways() { set_warnAlways(previous_); }

 private:
  bool previous_;
};
}  // namespace WarningUtils

namespace detail {

template <class E = Error>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::string message) {
  throw E(std::move(message));
}
/// The message of a check: the caller's, or one that quotes the condition.
inline std::string check_message(const char* standard) { return standard; }
template <class... Args>
std::string check_message(const char*, const Args&... args) {
  return c10::str(args...);
}
[[gnu::cold]] void warn_user(const SourceLocation& source, std::string message, bool deprecation = false);

}  // namespace detail
}  // namespace c10

// Checks are blocks, not statements: a semicolon after them may be missing, as with LibTorch.
#define TORCH_CHECK_WITH(kind, condition, ...)                                                                \
  if (C10_UNLIKELY(!(condition))) {                                                                           \
    ::c10::detail::fail<kind>(                                                                                \
        ::c10::detail::check_message("Expected " #condition " to be true, but got false.  (Could this error " \
                                     "message be improved?  If so, please report it to "                      \
                                     "the authors of this program.)" __VA_OPT__(, ) __VA_ARGS__));            \
  }
#define TORCH_CHECK_WITH_MSG(kind, condition, type, ...) TORCH_CHECK_WITH(kind, condition, __VA_ARGS__)
#define TORCH_CHECK(condition, ...) TORCH_CHECK_WITH(::c10::Error, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK_WITH(::c10::IndexError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK_WITH(::c10::ValueError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK_WITH(::c10::TypeError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) TORCH_CHECK_WITH(::c10::LinAlgError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TORCH_CHECK_WITH(::c10::NotImplementedError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_ARG(condition, number, ...) TORCH_CHECK(condition, "invalid argument " #number ": ", __VA_ARGS__)
#define TORCH_CHECK_IF_NOT_ON_CUDA(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)

#define TORCH_INTERNAL_ASSERT(condition, ...)                                                                     \
  if (C10_UNLIKELY(!(condition))) {                                                                               \
    ::c10::detail::fail<>(::c10::str(#condition " INTERNAL ASSERT FAILED at \"", __FILE__, "\":", __LINE__, ". ", \
                                     ::c10::detail::check_message("" __VA_OPT__(, ) __VA_ARGS__)));               \
  }
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) static_cast<void>(0)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif

// Deprecated by LibTorch, but still in use.
#define AT_CHECK(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_INTERNAL_ASSERT(condition, __VA_ARGS__)
#define AT_ERROR(...) ::c10::detail::fail<>(::c10::str(__VA_ARGS__))
#define C10_THROW_ERROR(kind, message) throw ::c10::kind(message)

#define MINIMA_TORCH_HERE \
  ::c10::SourceLocation { __func__, __FILE__, static_cast<std::uint32_t>(__LINE__) }
#define TORCH_WARN(...) \
  ::c10::detail::warn_user(MINIMA_TORCH_HERE, ::c10::detail::check_message("" __VA_OPT__(, ) __VA_ARGS__))
#define TORCH_WARN_DEPRECATION(...) \
  ::c10::detail::warn_user(MINIMA_TORCH_HERE, ::c10::detail::check_message("" __VA_OPT__(, ) __VA_ARGS__), true)
#define TORCH_WARN_ONCE(...)                                                     \
  do {                                                                           \
    static bool warned = false;                                                  \
    if (!std::exchange(warned, true) || ::c10::WarningUtils::get_warnAlways()) { \
      TORCH_WARN(__VA_ARGS__);                                                   \
    }                                                                            \
  } while (false)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
