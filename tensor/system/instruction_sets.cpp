#include <minima/tensor/system/instruction_sets.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minima::detail {

namespace {

struct InstructionSet {
  std::string_view name;  ///< in /proc/cpuinfo
  bool is_compiled;
};

// A macro that is defined expands, to 1; one that is not stands for itself.
#define MINIMA_EXPANDED(macro) #macro
#define MINIMA_IS_DEFINED(macro) (MINIMA_EXPANDED(macro)[0] != '_')

constexpr InstructionSet known[] = {
#if defined(__x86_64__)
    {"avx", MINIMA_IS_DEFINED(__AVX__)},
    {"f16c", MINIMA_IS_DEFINED(__F16C__)},
    {"fma", MINIMA_IS_DEFINED(__FMA__)},
    {"avx2", MINIMA_IS_DEFINED(__AVX2__)},
    {"avx_vnni", MINIMA_IS_DEFINED(__AVXVNNI__)},
    {"avx512f", MINIMA_IS_DEFINED(__AVX512F__)},
    {"avx512bw", MINIMA_IS_DEFINED(__AVX512BW__)},
    {"avx512dq", MINIMA_IS_DEFINED(__AVX512DQ__)},
    {"avx512vl", MINIMA_IS_DEFINED(__AVX512VL__)},
    {"avx512_vnni", MINIMA_IS_DEFINED(__AVX512VNNI__)},
    {"avx512_bf16", MINIMA_IS_DEFINED(__AVX512BF16__)},
    {"avx512_fp16", MINIMA_IS_DEFINED(__AVX512FP16__)},
    {"amx_tile", MINIMA_IS_DEFINED(__AMX_TILE__)},
    {"amx_int8", MINIMA_IS_DEFINED(__AMX_INT8__)},
    {"amx_bf16", MINIMA_IS_DEFINED(__AMX_BF16__)},
#else
    {"asimd", MINIMA_IS_DEFINED(__ARM_NEON)},
    {"asimdhp", MINIMA_IS_DEFINED(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)},
    {"bf16", MINIMA_IS_DEFINED(__ARM_FEATURE_BF16)},
    {"i8mm", MINIMA_IS_DEFINED(__ARM_FEATURE_MATMUL_INT8)},
    {"sve", MINIMA_IS_DEFINED(__ARM_FEATURE_SVE)},
    {"sve2", MINIMA_IS_DEFINED(__ARM_FEATURE_SVE2)},
#endif
};

#undef MINIMA_IS_DEFINED
#undef MINIMA_EXPANDED

/// The value of the first line `key : value`; empty if there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && line.starts_with(key) &&
        line.find_first_not_of(" \t", key.size()) == colon) {
      const std::size_t value = line.find_first_not_of(" \t", colon + 1);
      return value == std::string_view::npos ? "" : line.substr(value);
    }
    at = end + 1;
  }
  return "";
}

}  // namespace

std::vector<std::string> compiled_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : known)
    if (set.is_compiled) names.emplace_back(set.name);
  return names;
}

CpuText read_cpuinfo(std::string_view text) {
  std::string_view flags = value_of(text, "flags");
  if (flags.empty()) flags = value_of(text, "Features");
  const std::vector<std::string> has = words(flags);
  CpuText result{.name = std::string(value_of(text, "model name")), .instruction_sets = {}};
  for (const InstructionSet& set : known)
    if (std::find(has.begin(), has.end(), set.name) != has.end()) result.instruction_sets.emplace_back(set.name);
  return result;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    result.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

}  // namespace minima::detail
