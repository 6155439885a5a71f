#pragma once

#include <string>
#include <vector>

namespace minima::cuda {

/// The folders of this machine that may hold NVIDIA's libraries, in the order in which they are searched after the
/// loader's own: toolkits in /usr/local, the active virtual environment, the installation that `python3` on the PATH
/// belongs to, Conda's environment, and Python's packages of the user and of the system. Only folders that exist.
/// Python is not started: its packages put the libraries into lib/python3*/site-packages/nvidia/*/lib.
std::vector<std::string> library_folders();

/// The files and folders that match a shell pattern, sorted.
std::vector<std::string> matches(const std::string& pattern);

}  // namespace minima::cuda
