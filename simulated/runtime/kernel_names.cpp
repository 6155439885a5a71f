#include "simulated/executor.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

// Kernels are hidden functions, which dladdr does not know, so their names come from the full symbol table in the file.

namespace simulated {

namespace {

/// The program or shared library that an address is in.
struct Module {
  std::string path;
  ElfW(Addr) base = 0;
};

Module module_of(const void* address) {
  struct Search {
    ElfW(Addr) wanted;
    Module found;
  } search{reinterpret_cast<ElfW(Addr)>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& [wanted, found] = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const ElfW(Addr) start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || wanted < start || wanted >= start + segment.p_memsz) continue;
          found = {*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", info->dlpi_addr};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

/// The functions of a file by their addresses in it; the names stay in the mapped file.
using Symbols = std::unordered_map<ElfW(Addr), const char*>;

Symbols read_symbols(const std::string& path) {
  Symbols symbols;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return symbols;
  struct stat status{};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0)
    memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return symbols;
  const char* const start = static_cast<const char*>(memory);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(start);
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(start + header.e_shoff);
  for (int i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const names = start + sections[sections[i].sh_link].sh_offset;
    const auto* const entries = reinterpret_cast<const ElfW(Sym)*>(start + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(ElfW(Sym)); ++k)
      if ((entries[k].st_info & 0xf) == STT_FUNC && entries[k].st_value != 0)
        symbols.emplace(entries[k].st_value, names + entries[k].st_name);
  }
  return symbols;
}

}  // namespace

std::string name_in(std::string signature) {
  const std::string anonymous = "(anonymous namespace)";
  for (std::size_t at; (at = signature.find(anonymous)) != std::string::npos;) signature.erase(at, anonymous.size());
  std::string name;
  int depth = 0;
  for (const char c : signature) {
    if (c == '<') ++depth;
    else if (c == '>') --depth;
    else if (depth > 0) continue;
    else if (c == '(') break;
    else if (c == ':' || c == ' ') name.clear();
    else name += c;
  }
  return name;
}

std::string signature_of_kernel(const void* function) {
  static std::mutex mutex;
  static auto* const files = new std::map<std::string, Symbols>;
  const Module module = module_of(function);
  const std::lock_guard lock(mutex);
  const auto [file, is_new] = files->try_emplace(module.path);
  if (is_new) file->second = read_symbols(module.path);
  const auto symbol = file->second.find(reinterpret_cast<ElfW(Addr)>(function) - module.base);
  if (symbol == file->second.end()) return "";
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol->second, nullptr, nullptr, nullptr), std::free);
  return plain ? plain.get() : symbol->second;
}

std::string name_of_kernel(const void* function) {
  const std::string signature = signature_of_kernel(function);
  return signature.empty() ? "kernel" : name_in(signature);
}

}  // namespace simulated
