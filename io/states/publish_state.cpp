#include <minima/io/states/publish_state.h>

#include <minima/io/files/posix_file.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/state_index.h>
#include <minima/tensor/base/format.h>

#include <fcntl.h>
#include <cerrno>
#include <cstdio>
#include <string>

namespace minima::detail {

std::string publish_state(const std::string& folder, const std::string& written, const StateIndex& index) {
  const std::string path = str(written, "/", index_name), text = index.text();
  {
    const Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_EXCL, "cannot create");
    write_all(file, text.data(), text.size(), path);
    sync_file(file, path);
  }
  sync_folder(written);
  const std::string name = new_name(index.step, list_states(folder)).name;
  const std::string path_of_state = str(folder, "/", name);
  if (::rename(written.c_str(), path_of_state.c_str()) != 0)
    throw_file_error(path_of_state, "cannot rename the new state", errno);
  sync_folder(folder);
  point_latest(folder, name);
  return name;
}

}  // namespace minima::detail
