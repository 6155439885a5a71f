#include <minima/io/state.h>
#include <minima/io/tensors/pt.h>

#include "tests/fuzz/fuzz.h"

namespace {

/// Reads every element, so that a tensor outside its storage is found.
void touch(const minima::PtValue& value) {
  using Kind = minima::PtValue::Kind;
  if (value.kind() == Kind::tensor && value.tensor().numel() <= 10'000 && !minima::is_complex(value.tensor().dtype()))
    static_cast<void>(value.tensor().to_vector<double>());
  if (value.kind() == Kind::dict)
    for (const auto& [key, item] : value.entries()) touch(key), touch(item);
  if (value.kind() == Kind::list || value.kind() == Kind::tuple)
    for (const minima::PtValue& item : value.items()) touch(item);
}

}  // namespace

/// Without checksums, since few inputs pass them. What was read is written and read again. Some inputs are read from a
/// file as well, which takes longer.
FUZZ_TARGET(bytes) {
  if (bytes.size() % 8 == 0) {
    const std::string path = fuzz::as_file(bytes);
    fuzz::refuse_or_read([&] { minima::read_pt_state(path, {.verify = false}); });
    fuzz::refuse_or_read([&] { touch(minima::read_pt(path, {.verify = false})); });
  }
  const minima::PtValue value = minima::read_pt(bytes, "fuzz", {.verify = false});
  touch(value);
  fuzz::refuse_or_read([&] { value.state(); });
  const std::string written = minima::pt_bytes(value);
  touch(minima::read_pt(std::as_bytes(std::span(written.data(), written.size())), "written"));
}
