#include "simulated/ptx/comparison.h"

#include "simulated/machine/machine.h"
#include "simulated/machine/memory.h"
#include "simulated/ptx/text/text_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace simulated::ptx {

namespace {

constexpr double apart = std::numeric_limits<double>::infinity();

/// A floating type: its bits, and those of its fraction.
struct Format {
  const char* name;
  unsigned bits, fraction;
};
constexpr std::array<Format, 4> formats{
    {{"double", 64, 52}, {"float", 32, 23}, {"BFloat16", 16, 7}, {"Float16", 16, 10}}};

/// Whether the kernel may write numbers of the type: its signature names it, and not one whose name contains it, as
/// BFloat16 does Float16; or its operands have types that only the launch knows. States of reductions may be wider than
/// what they reduce.
bool may_write(const std::string& signature, const std::string& type) {
  for (const char* const untyped : {"pointwise::Memory<", "minima::DType", "reduction::Results"})
    if (signature.find(untyped) != std::string::npos) return true;
  if (type == "double" && signature.find("::State*") != std::string::npos) return true;
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = signature.find(type); at != std::string::npos; at = signature.find(type, at + 1)) {
    const bool begins = at == 0 || !in_word(signature[at - 1]);
    const std::size_t end = at + type.size();
    if (begins && (end == signature.size() || !in_word(signature[end]))) return true;
  }
  return false;
}

struct Number {
  bool finite = false, nan = false;
  double value = 0;
  std::uint64_t order = 0;  ///< of the numbers of one sign
  bool negative = false;
};
Number decode(std::uint64_t bits, const Format& format) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1), one = std::uint64_t{1} << format.fraction;
  const std::uint64_t order = bits & (sign - 1), infinity = (sign - 1) / one * one;
  const int bias = (1 << (format.bits - format.fraction - 2)) - 1, exponent = static_cast<int>(order / one);
  const std::uint64_t fraction = order % one;
  const double value = std::ldexp(static_cast<double>(exponent == 0 ? fraction : fraction + one),
                                  std::max(exponent, 1) - bias - static_cast<int>(format.fraction));
  return {order<infinity, order> infinity, value, order, (bits & sign) != 0};
}

double ulp_of(double value, const Format& format) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - 1 - static_cast<int>(format.fraction));
}

std::uint64_t element(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, std::min(size, bytes.size() - at));
  return value;
}

/// The largest finite number.
double largest(const std::vector<Bytes>& memory, const Format& format) {
  const std::size_t size = format.bits / 8;
  double result = 0;
  for (const Bytes& part : memory)
    for (std::size_t at = 0; at + size <= part.size(); at += size)
      if (const Number number = decode(element(part, at, size), format); number.finite)
        result = std::max(result, number.value);
  return result;
}

Difference differ(const Number& a, const Number& b, double ulp_of_largest) {
  if (a.nan && b.nan) return {};
  if (!a.finite || !b.finite) {
    if (a.order == b.order && a.negative == b.negative) return {};
    return {.numbers = 1, .ulps = apart, .ulps_of_largest = apart};
  }
  const std::uint64_t ulps = a.negative != b.negative ? a.order + b.order
                             : a.order > b.order      ? a.order - b.order
                                                      : b.order - a.order;
  if (ulps == 0) return {};
  const double distance = std::fabs((a.negative ? -a.value : a.value) - (b.negative ? -b.value : b.value));
  return {.numbers = 1, .ulps = static_cast<double>(ulps), .ulps_of_largest = distance / ulp_of_largest};
}

}  // namespace

std::vector<Part> memory_of(std::span<const std::uint8_t> parameters) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  std::map<char*, std::size_t> found;
  for (std::size_t at = 0; at + sizeof(void*) <= parameters.size(); at += sizeof(void*)) {
    const char* word = nullptr;
    std::memcpy(&word, parameters.data() + at, sizeof word);
    if (const std::optional<Memory::Place> place = machine().memory.find(word); place && place->bytes <= most_bytes)
      found[place->start] = place->bytes;
  }
  std::vector<Part> parts;
  parts.reserve(found.size());
  for (const auto& [start, bytes] : found) parts.emplace_back(reinterpret_cast<std::uint8_t*>(start), bytes);
  return parts;
}

Difference& Difference::operator+=(const Difference& other) {
  launches += other.launches;
  numbers += other.numbers;
  ulps = std::max(ulps, other.ulps);
  ulps_of_largest = std::max(ulps_of_largest, other.ulps_of_largest);
  return *this;
}

Difference compare(const std::string& signature, const Results& results) {
  Difference difference{.launches = 1};
  if (results.source == results.ptx) return difference;
  std::vector<std::pair<Format, double>> possible;  // with an ulp of the largest number
  for (const Format& format : formats)
    if (may_write(signature, format.name)) {
      const double most = std::max(largest(results.before, format), largest(results.ptx, format));
      possible.emplace_back(format, ulp_of(most, format));
    }
  for (std::size_t part = 0; part < results.ptx.size(); ++part) {
    const Bytes &a = results.source[part], &b = results.ptx[part];
    for (std::size_t at = 0; at < a.size(); at += 8) {
      if (element(a, at, 8) == element(b, at, 8)) continue;
      Difference closest{.numbers = 1, .ulps = apart, .ulps_of_largest = apart};
      for (const auto& [format, ulp] : possible) {
        Difference found;
        const std::size_t size = format.bits / 8;
        for (std::size_t i = at; i < std::min(at + 8, a.size()); i += size)
          found += differ(decode(element(a, i, size), format), decode(element(b, i, size), format), ulp);
        if (found.ulps < closest.ulps) closest = found;
      }
      difference += closest;
    }
  }
  return difference;
}

std::map<std::string, Bound> read_bounds(const std::string& file) {
  std::map<std::string, Bound> result;
  const std::optional<std::string> content = read_text_file(file);
  if (!content) throw std::runtime_error(file + ": no such file of bounds");
  std::istringstream in(*content);
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.front() == '#') continue;
    std::istringstream line(text);
    std::string of, ulps, part;
    const bool read = line >> of >> ulps && std::getline(line >> std::ws, part);
    char* end = nullptr;
    const double bound = std::strtod(ulps.c_str(), &end);
    if (!read || *end != 0 || (of != "each" && of != "largest"))
      throw std::runtime_error(file + ": \"each\" or \"largest\", ulps and a part of a signature are needed: " + text);
    result[part] = {bound, of == "largest"};
  }
  return result;
}

Judgement judge(const std::map<std::string, Difference>& by_signature, const std::map<std::string, Bound>& bounds) {
  Judgement result;
  std::uint64_t launches = 0, equal = 0;
  for (const auto& [signature, difference] : by_signature) {
    launches += difference.launches;
    if (difference.numbers == 0) {
      ++equal;
      continue;
    }
    bool kept = false;
    for (const auto& [part, bound] : bounds) {
      const double ulps = bound.of_largest ? difference.ulps_of_largest : difference.ulps;
      kept = kept || (signature.find(part) != std::string::npos && ulps <= bound.ulps);
    }
    if (kept) continue;
    result.kept = false;
    std::ostringstream line;
    line << signature << ": " << difference.numbers << " numbers differ, by up to " << difference.ulps << " ulps, "
         << difference.ulps_of_largest << " of the largest number\n";
    result.report += line.str();
  }
  result.report += std::to_string(by_signature.size()) + " kernels in both executors, " + std::to_string(launches) +
                   " launches; " + std::to_string(equal) + " kernels are equal bit for bit\n";
  return result;
}

}  // namespace simulated::ptx
