#include "simulated/ptx/text/fat_binary.h"

#include "simulated/ptx/text/text_file.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

// nvcc's fat binaries, in the ELF section .nv_fatbin: a header, then entries of machine code and PTX, each with a
// header of its own. NVIDIA does not document the layout; it has been the same since CUDA 4 but for zstd, new in
// CUDA 12.

namespace simulated::ptx {

namespace {

class File {
 public:
  File(const std::string& name, std::string bytes) : name_(name), bytes_(std::move(bytes)) {}

  template <class T> T at(std::size_t offset) const {
    T result;
    std::memcpy(&result, part(offset, sizeof result).data(), sizeof result);
    return result;
  }
  std::string_view part(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) fail("it is cut off");
    return std::string_view(bytes_).substr(offset, size);
  }
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(name_ + ": " + why); }

 private:
  std::string name_, bytes_;
};

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
constexpr std::uint32_t header_magic = 0xba55ed50u;

struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes, unused;
  std::uint16_t minor, major;
  std::uint32_t architecture, name_offset, name_bytes;
  std::uint64_t flags, zero, plain_bytes;
};
static_assert(sizeof(Entry) == 64);
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

/// zstd's library is opened here, since nothing else of the simulation needs it.
std::string decompress_zstd(const File& file, std::string_view packed, std::size_t bytes) {
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  static const auto decompress =
      library ? reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress")) : Decompress{};
  if (!decompress) file.fail("its PTX is compressed, and libzstd.so.1 is missing: install libzstd1");
  std::string result(bytes, '\0');
  if (decompress(result.data(), bytes, packed.data(), packed.size()) != bytes)
    file.fail("its PTX cannot be decompressed");
  return result;
}

/// The block format of LZ4: literals, then copies of what came before.
std::string decompress_lz4(const File& file, std::string_view packed, std::size_t bytes) {
  std::string result;
  std::size_t at = 0;
  const auto byte = [&] {
    if (at >= packed.size()) file.fail("its PTX is cut off");
    return static_cast<unsigned char>(packed[at++]);
  };
  const auto length = [&](std::size_t nibble) {
    if (nibble != 15) return nibble;
    for (unsigned more = 255; more == 255;) nibble += more = byte();
    return nibble;
  };
  while (result.size() < bytes) {
    const unsigned token = byte();
    const std::size_t literals = length(token >> 4);
    if (literals > packed.size() - at) file.fail("its PTX is cut off");
    result.append(packed.substr(at, literals));
    at += literals;
    if (result.size() >= bytes) break;
    const std::size_t low = byte(), back = low | static_cast<std::size_t>(byte()) << 8;
    const std::size_t count = length(token & 15) + 4;
    if (back == 0 || back > result.size() || count > bytes) file.fail("its PTX cannot be decompressed");
    for (std::size_t i = 0; i < count; ++i) result.push_back(result[result.size() - back]);
  }
  return result;
}

std::string text_of(const File& file, const Entry& entry, std::size_t at) {
  std::string result;
  if (entry.flags & flag_zstd) {
    result = decompress_zstd(file, file.part(at, entry.compressed_bytes), entry.plain_bytes);
  } else if (entry.flags & flag_lz4) {
    result = decompress_lz4(file, file.part(at, entry.compressed_bytes), entry.plain_bytes);
  } else {
    result = file.part(at, entry.bytes);
  }
  result.resize(result.find('\0') == std::string::npos ? result.size() : result.find('\0'));
  return result;
}

void read_section(const File& file, std::size_t begin, std::size_t end, std::vector<std::string>& texts) {
  while (begin + sizeof(Header) <= end) {
    const Header header = file.at<Header>(begin);
    if (header.magic != header_magic) {  // between the fat binaries of a program
      begin += 8;
      continue;
    }
    const std::size_t stop = begin + header.header_bytes + header.bytes;
    std::size_t at = begin + header.header_bytes;
    while (at < stop) {
      const Entry entry = file.at<Entry>(at);
      if (entry.kind == kind_ptx) texts.push_back(text_of(file, entry, at + entry.header_bytes));
      at += entry.header_bytes + entry.bytes;
    }
    begin = stop;
  }
}

void read_object(const File& file, std::vector<std::string>& texts) {
  const Elf64_Ehdr elf = file.at<Elf64_Ehdr>(0);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64)
    file.fail("is no 64-bit ELF file");
  const auto section = [&](std::size_t i) { return file.at<Elf64_Shdr>(elf.e_shoff + i * elf.e_shentsize); };
  for (std::size_t i = 0; i < elf.e_shnum; ++i) {
    const Elf64_Shdr here = section(i);
    const std::size_t at = section(elf.e_shstrndx).sh_offset + here.sh_name;
    constexpr std::string_view wanted = ".nv_fatbin";
    if (here.sh_type != SHT_NOBITS && file.part(at, wanted.size()) == wanted &&
        file.at<char>(at + wanted.size()) == '\0')
      read_section(file, here.sh_offset, here.sh_offset + here.sh_size, texts);
  }
}

constexpr std::string_view archive_magic = "!<arch>\n";

/// Each member has a header of 60 characters, with its size in decimal from the 48th on.
void read_archive(const std::string& name, const File& file, std::size_t size, std::vector<std::string>& texts) {
  for (std::size_t at = archive_magic.size(); at + 60 <= size;) {
    const std::size_t bytes = std::stoul(std::string(file.part(at + 48, 10)));
    const std::string_view member = file.part(at + 60, bytes);
    if (member.starts_with(std::string_view(ELFMAG, SELFMAG))) read_object(File(name, std::string(member)), texts);
    at += 60 + bytes + bytes % 2;
  }
}

}  // namespace

std::vector<std::string> read_ptx(const std::string& name) {
  std::optional<std::string> content = read_text_file(name);
  std::string bytes = content ? *std::move(content) : "";
  const std::size_t size = bytes.size();
  if (bytes.starts_with("//") || bytes.starts_with('.')) return {bytes};
  const File file(name, std::move(bytes));
  if (!content) file.fail("cannot be read");
  std::vector<std::string> texts;
  if (size >= archive_magic.size() && file.part(0, archive_magic.size()) == archive_magic)
    read_archive(name, file, size, texts);
  else read_object(file, texts);
  return texts;
}

}  // namespace simulated::ptx
