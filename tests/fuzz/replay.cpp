#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// For compilers without libFuzzer: PROGRAM FOLDER [COUNT [SEED]] runs every file in the folder, then COUNT mutations of
// them, always the same.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint64_t state = 1;
std::uint64_t draw(std::uint64_t below) {  // xorshift64*
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (state * 0x2545F4914F6CDD1D >> 16) % below;
}

void mutate(Bytes& input, const std::vector<Bytes>& seeds) {
  const auto place = [&] { return input.begin() + static_cast<std::ptrdiff_t>(draw(input.size() + 1)); };
  for (std::uint64_t left = 1 + draw(4); left > 0; --left) {
    const std::uint64_t kind = draw(8);
    if (kind == 0) {
      input.insert(place(), static_cast<std::uint8_t>(draw(256)));
    } else if (input.empty()) {
      continue;
    } else if (kind == 1) {
      input.resize(draw(input.size()) + 1);
    } else if (kind == 2) {
      input[draw(input.size())] ^= static_cast<std::uint8_t>(1u << draw(8));
    } else if (kind == 3) {
      input[draw(input.size())] = static_cast<std::uint8_t>(draw(256));
    } else if (kind == 4) {  // special numbers
      const std::uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff};
      const std::uint8_t value = extremes[draw(5)];
      const std::size_t at = draw(input.size()),
                        count = std::min<std::size_t>(input.size() - at, std::size_t{1} << draw(4));
      std::fill_n(input.begin() + static_cast<std::ptrdiff_t>(at), count, value);
    } else if (kind == 5) {  // remove a piece
      auto first = place(), last = place();
      if (last < first) std::swap(first, last);
      input.erase(first, last);
    } else if (kind == 6) {  // change a digit
      const std::size_t at = draw(input.size());
      for (std::size_t i = 0; i < input.size(); ++i) {
        std::uint8_t& c = input[(at + i) % input.size()];
        if (c < '0' || c > '9') continue;
        c = static_cast<std::uint8_t>('0' + draw(10));
        break;
      }
    } else {  // splice in a piece of another input
      const Bytes& other = seeds[draw(seeds.size())];
      if (other.empty()) continue;
      const std::size_t at = draw(other.size()), count = std::min<std::size_t>(other.size() - at, draw(64) + 1);
      input.insert(place(), other.begin() + static_cast<std::ptrdiff_t>(at),
                   other.begin() + static_cast<std::ptrdiff_t>(at + count));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [COUNT [SEED]]\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> seeds;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(seeds.back().data(), seeds.back().size());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "%s has no seeds\n", argv[1]);
    return 1;
  }
  const long count = argc > 2 ? std::atol(argv[2]) : 0;
  state = argc > 3 ? static_cast<std::uint64_t>(std::atol(argv[3])) * 2 + 1 : 1;
  for (long i = 0; i < count; ++i) {
    Bytes input = seeds[draw(seeds.size())];
    mutate(input, seeds);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds and %ld mutations\n", seeds.size(), count);
}
