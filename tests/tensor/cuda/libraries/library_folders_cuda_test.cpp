#include "tests/support/temporary_folder.h"

#include <minima/tensor/cuda/libraries/library_folders.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace minima::cuda::library_folders_cuda_test {
namespace {

namespace fs = std::filesystem;

/// A folder of this test's own, and variables of the environment that it has changed.
class GpuLibraryFolders : public testing::Test {
 protected:
  GpuLibraryFolders() : root_(folder_.path()) {
    for (const char* variable : {"PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const char* const value = std::getenv(variable);
      before_.push_back({variable, value ? value : "", value != nullptr});
      set(variable, "/nowhere");
    }
  }
  ~GpuLibraryFolders() override {
    for (const Variable& variable : before_) {
      if (variable.was_set) setenv(variable.name, variable.value.c_str(), 1);
      else unsetenv(variable.name);
    }
  }

  static void set(const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); }
  /// Makes the folder below this test's.
  std::string make(const std::string& folder) const {
    fs::create_directories(root_ + '/' + folder);
    return root_ + '/' + folder;
  }
  static bool has(const std::string& folder) {
    const std::vector<std::string> all = library_folders();
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return fs::equivalent(one, folder); });
  }

  test::TemporaryFolder folder_;
  std::string root_;

 private:
  struct Variable {
    const char* name;
    std::string value;
    bool was_set;
  };
  std::vector<Variable> before_;
};

TEST_F(GpuLibraryFolders, IncludeThoseOfAnActiveVirtualEnvironment) {
  const std::string cudnn = make("venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
  const std::string cu13 = make("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  EXPECT_FALSE(has(cudnn));
  set("VIRTUAL_ENV", root_ + "/venv");
  EXPECT_TRUE(has(cudnn));
  EXPECT_TRUE(has(cu13));
}

TEST_F(GpuLibraryFolders, IncludeThoseBesideThePythonOnThePathAndWhereItsLinkLeads) {
  const std::string of_venv = make("venv/lib/python3.12/site-packages/nvidia/nccl/lib");
  const std::string of_base = make("base/lib/python3.12/site-packages/nvidia/cu13/lib");
  make("base/bin");
  make("venv/bin");
  fs::copy_file("/bin/sh", root_ + "/base/bin/python3");
  fs::create_symlink(root_ + "/base/bin/python3", root_ + "/venv/bin/python3");
  set("PATH", "/nowhere:" + root_ + "/venv/bin:/usr/bin");
  EXPECT_TRUE(has(of_venv));
  EXPECT_TRUE(has(of_base));
}

TEST_F(GpuLibraryFolders, IncludeThoseOfCondaAndOfTheUsersPackages) {
  const std::string conda = make("conda/lib");
  const std::string user = make("home/.local/lib/python3.11/site-packages/nvidia/cudnn/lib");
  set("CONDA_PREFIX", root_ + "/conda");
  set("HOME", root_ + "/home");
  EXPECT_TRUE(has(conda));
  EXPECT_TRUE(has(user));
}

}  // namespace
}  // namespace minima::cuda::library_folders_cuda_test
