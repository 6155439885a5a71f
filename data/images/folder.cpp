#include <minima/data/images/folder.h>

#include <minima/data/images/decode.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace minima::data {

namespace fs = std::filesystem;

namespace {

bool is_image(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

}  // namespace

ImageFolder::ImageFolder(const std::string& root, DecodeOptions options) : root_(root), options_(options) {
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(root))
      if (entry.is_directory()) classes_.push_back(entry.path().filename().string());
    std::sort(classes_.begin(), classes_.end());
    for (std::size_t label = 0; label < classes_.size(); ++label)
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root + "/" + classes_[label]))
        if (entry.is_regular_file() && is_image(entry.path()))
          files_.push_back({entry.path().lexically_relative(root).string(), static_cast<std::int64_t>(label)});
  } catch (const fs::filesystem_error& error) {
    throw FileError(str(root, ": cannot read the folder: ", error.code().message()));
  }
  if (files_.empty()) throw ValueError(str("ImageFolder: no .jpg, .jpeg or .png file in the class folders of ", root));
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.label != b.label ? a.label < b.label : a.path < b.path; });
}

MappedFile ImageFolder::open(std::int64_t index) const {
  if (index < 0 || index >= size()) throw IndexError(str("ImageFolder: index ", index, " of ", size(), " images"));
  return MappedFile(root_ + "/" + files_[static_cast<std::size_t>(index)].path);
}

LabelledImage ImageFolder::get(std::int64_t index) const {
  return get(index, [](ImageDecoder& image) { return image.decode(); });
}

}  // namespace minima::data
