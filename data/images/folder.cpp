#include <minima/data/images/folder.h>

#include <minima/data/images/decode.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace minima::data {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view read[] = {".jpg", ".jpeg", ".png"};
constexpr std::string_view not_read[] = {".avif", ".bmp", ".gif", ".heic", ".pgm", ".ppm", ".tif", ".tiff", ".webp"};

template <std::size_t n>
bool is_among(const std::string& extension, const std::string_view (&extensions)[n]) {
  return std::find(std::begin(extensions), std::end(extensions), extension) != std::end(extensions);
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return extension;
}

/// Whether the entry is a folder or a link to one. False for a broken link.
bool is_folder(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_directory(error);
}
bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// `2 .bmp and 1 .webp`
std::string counted(const std::map<std::string, std::int64_t>& extensions) {
  std::string text;
  std::size_t left = extensions.size();
  for (const auto& [extension, count] : extensions)
    text += str(text.empty() ? "" : --left == 1 ? " and " : ", ", count, " ", extension);
  return text;
}

/// The names of the class folders, sorted.
std::vector<std::string> folders_in(const std::string& root) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (is_folder(entry) && !is_hidden(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

/// `above` holds the real paths of the folders that hold this one, so that a link to one of them does not recurse.
void ImageFolder::add_files(const std::string& folder, std::int64_t label, std::vector<std::string>& above) {
  const std::string real = fs::canonical(root_ + "/" + folder).string();
  if (std::find(above.begin(), above.end(), real) != above.end()) return;
  above.push_back(real);
  for (const fs::directory_entry& entry : fs::directory_iterator(real)) {
    const std::string path = folder + "/" + entry.path().filename().string(), extension = extension_of(entry.path());
    if (is_folder(entry)) {
      if (!is_hidden(entry.path())) add_files(path, label, above);
    } else if (is_among(extension, read)) {
      files_.push_back({path, label});
    } else if (is_among(extension, not_read)) {
      ++left_out_[extension];
    }
  }
  above.pop_back();
}

ImageFolder::ImageFolder(const std::string& root, const ImageFolderOptions& options)
    : root_(root), options_(options.decode), classes_(options.classes) {
  std::string empty;
  try {
    const std::vector<std::string> folders = folders_in(root);
    if (classes_.empty()) classes_ = folders;
    for (const std::string& folder : folders) {
      const auto found = std::find(classes_.begin(), classes_.end(), folder);
      if (found == classes_.end())
        throw ValueError(str("ImageFolder: the folder ", minima::detail::printable(folder), " of ", root,
                             " is not among the ", classes_.size(), " classes given"));
      const std::size_t before = files_.size();
      std::vector<std::string> above;
      add_files(folder, found - classes_.begin(), above);
      if (files_.size() == before) empty += str(empty.empty() ? "" : ", ", minima::detail::printable(folder));
    }
  } catch (const fs::filesystem_error& error) {
    throw FileError(str(root, ": cannot read the folder: ", error.code().message()));
  }
  const std::string others =
      left_out_.empty() ? "" : str("; left out ", counted(left_out_), ", which minima does not read");
  if (files_.empty())
    throw ValueError(str("ImageFolder: no .jpg, .jpeg or .png file in the class folders of ", root, others));
  if (!empty.empty() && !options.allow_empty)
    throw ValueError(str("ImageFolder: no .jpg, .jpeg or .png file in these class folders of ", root, ": ", empty,
                         others, " (ImageFolderOptions::allow_empty takes them as classes without images)"));
  if (!others.empty())
    std::fprintf(stderr, "%s\n", str("minima: ImageFolder ", root, " has ", files_.size(), " images", others).c_str());
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
