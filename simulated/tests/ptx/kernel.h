#pragma once

#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/text/module.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// Small kernels written in PTX. Their parameters are pointers.

namespace simulated::ptx {

using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// A kernel `k` with pointers p0, p1, … in %a0, %a1, …, the thread's number in %t (32 bits) and %t4 and %t8 (4 and 8
/// times it, 64 bits).
inline std::string kernel_text(const std::string& body, unsigned pointers, const std::string& variables = "") {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n" + variables + "\n.visible .entry k(";
  for (unsigned i = 0; i < pointers; ++i) text += (i ? ", " : "") + (".param .u64 p" + std::to_string(i));
  text +=
      ")\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n.reg .b64 %d<32>;\n"
      ".reg .f64 %e<16>;\n.reg .b64 %a<8>;\n.reg .b32 %t, %n;\n.reg .b64 %t4, %t8;\n";
  for (unsigned i = 0; i < pointers; ++i)
    text += "ld.param.u64 %a" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  text += "mov.u32 %t, %tid.x;\nmov.u32 %n, %ntid.x;\nmul.wide.u32 %t4, %t, 4;\nmul.wide.u32 %t8, %t, 8;\n" + body +
          "\nret;\n}\n";
  return text;
}

/// Parameters that are pointers to these.
template <class... Arrays> std::vector<std::uint8_t> pointers_to(Arrays&... arrays) {
  std::vector<std::uint8_t> bytes;
  const auto append = [&](const void* pointer) {
    bytes.resize(bytes.size() + sizeof pointer);
    std::memcpy(bytes.data() + bytes.size() - sizeof pointer, &pointer, sizeof pointer);
  };
  (append(arrays.data()), ...);
  return bytes;
}

/// Accepts addresses in these arrays only.
template <class... Arrays> FindRange only(Arrays&... arrays) {
  std::vector<Range> ranges;
  const auto append = [&](const void* begin, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    ranges.push_back({address, address + bytes});
  };
  (append(arrays.data(), arrays.size() * sizeof arrays[0]), ...);
  return [ranges](std::uint64_t address) -> std::optional<Range> {
    for (const Range& range : ranges)
      if (address >= range.begin && address < range.end) return range;
    return std::nullopt;
  };
}

/// Runs `body` on `threads` threads of `blocks` blocks.
template <class... Arrays>
Counts run_text(const std::string& text, Shape shape, Options options, Arrays&... arrays) {
  const Module module(text);
  const Program program(module, "k");
  if (!options.find_range) options.find_range = only(arrays...);
  return run(program, shape, pointers_to(arrays...), options);
}
template <class... Arrays> Counts run_body(const std::string& body, unsigned blocks, unsigned threads,
                                           Arrays&... arrays) {
  return run_text(kernel_text(body, sizeof...(Arrays)), {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, {},
                  arrays...);
}

}  // namespace simulated::ptx
