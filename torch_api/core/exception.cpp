#include <c10/util/Exception.h>

#include <atomic>
#include <iostream>

namespace c10 {

namespace {

thread_local WarningHandler* handler = nullptr;
std::atomic<bool> warn_always = false;

WarningHandler& default_handler() {
  static WarningHandler standard;
  return standard;
}

}  // namespace

void warn(const Warning& warning) { WarningUtils::get_warning_handler()->process(warning); }

void WarningHandler::process(const Warning& warning) {
  const SourceLocation& at = warning.source_location();
  std::cerr << "[W " << detail::StripBasename(at.file) << ":" << at.line << "] Warning: " << warning.msg()
            << " (function " << at.function << ")\n";
}

namespace WarningUtils {
void set_warning_handler(WarningHandler* wanted) noexcept { handler = wanted; }
WarningHandler* get_warning_handler() noexcept { return handler ? handler : &default_handler(); }
void set_warnAlways(bool on) noexcept { warn_always = on; }
bool get_warnAlways() noexcept { return warn_always; }
}  // namespace WarningUtils

std::ostream& operator<<(std::ostream& out, const SourceLocation& location) {
  return out << location.function << " at " << location.file << ":" << location.line;
}

std::size_t ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  TORCH_CHECK(!from.empty(), "ReplaceAll: nothing to look for");
  std::size_t count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++count;
  }
  return count;
}

namespace detail {

std::string StripBasename(const std::string& full_path) {
  const std::size_t slash = full_path.rfind('/');
  return slash == std::string::npos ? full_path : full_path.substr(slash + 1);
}
std::string ExcludeFileExtension(const std::string& full_path) { return full_path.substr(0, full_path.rfind('.')); }

void warn_user(const SourceLocation& source, std::string message, bool deprecation) {
  Warning::warning_variant_t type = UserWarning();
  if (deprecation) type = DeprecationWarning();
  warn(Warning(type, source, std::move(message), false));
}

}  // namespace detail
}  // namespace c10
