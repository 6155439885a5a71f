#include <minima/tensor/cuda/libraries/library_folders.h>

#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace minima::cuda {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The prefixes PREFIX of the first PREFIX/bin/python3 on the PATH: as the path says, and where its links lead. A
/// virtual environment's python3 is a link to another installation's, and both may have packages.
std::vector<std::string> python_prefixes() {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string program = folder + "/python3";
    if (folder.empty() || access(program.c_str(), X_OK) != 0) continue;
    std::vector<std::string> prefixes{parent(folder)};
    if (char* const real = realpath(program.c_str(), nullptr)) {
      prefixes.push_back(parent(parent(real)));
      std::free(real);
    }
    return prefixes;
  }
  return {};
}

}  // namespace

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> found;
  glob_t result{};
  if (glob(pattern.c_str(), 0, nullptr, &result) == 0) found.assign(result.gl_pathv, result.gl_pathv + result.gl_pathc);
  globfree(&result);
  return found;
}

std::vector<std::string> library_folders() {
  constexpr const char* packages = "/lib/python3*/site-packages/nvidia/*/lib";
  std::vector<std::string> patterns{"/usr/local/cuda*/lib64", "/usr/local/cuda*/extras/CUPTI/lib64",
                                    "/usr/local/cuda*/targets/*/lib"};
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
    patterns.push_back(environment + packages);
  for (const std::string& prefix : python_prefixes()) patterns.push_back(prefix + packages);
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) {
    patterns.push_back(conda + "/lib");
    patterns.push_back(conda + packages);
  }
  if (const std::string home = variable("HOME"); !home.empty()) patterns.push_back(home + "/.local" + packages);
  patterns.insert(patterns.end(), {"/usr/local/lib/python3*/dist-packages/nvidia/*/lib",
                                   "/usr/lib/python3/dist-packages/nvidia/*/lib"});
  std::vector<std::string> folders;
  for (const std::string& pattern : patterns)
    for (const std::string& folder : matches(pattern)) folders.push_back(folder);
  return folders;
}

}  // namespace minima::cuda
