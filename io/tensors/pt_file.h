#pragma once

#include <minima/io/archives/zip.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/storage/storage.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace minima::detail {

/// How the pickle of a PyTorch file refers to a storage, or to a part of one.
struct PtStorageId {
  const PtElement* element = nullptr;
  std::string key{};
  std::uint64_t count = 0;  ///< elements of the storage
  std::uint64_t first = 0;  ///< of the part
  std::uint64_t size = 0;   ///< elements of the part
};

/// A PyTorch file: its main pickle, not yet interpreted, and its storages.
class PtFile {
 public:
  /// `bytes` must outlive the file. Tensors share `mapping`, which holds the bytes; without one they are copied.
  PtFile(std::span<const std::byte> bytes, std::shared_ptr<MappedFile> mapping, std::string source, bool verify);

  const Pickle& pickle() const { return pickle_; }
  /// The storage that a persistent object of the pickle stands for.
  PtStorageId storage_id(const PickledObject& object) const;
  /// Its whole memory, as elements of this type; `at` is the offset in the pickle, for messages.
  StoragePtr storage(const PtStorageId& id, const PtElement& element, std::uint64_t at);

  /// A tensor that a persistent object of the oldest format stands for; null if it is none.
  struct TensorId {
    PtStorageId storage;
    Shape shape, strides;
    std::uint64_t offset = 0;
  };
  const TensorId* tensor_id(const PickledObject& object) const;

 private:
  struct Data {
    std::uint64_t at = 0;  ///< offset in the source
    std::span<const std::byte> bytes;
    const ZipArchive::Member* member = nullptr;  ///< in a zip archive; `bytes` are its raw ones
    std::uint64_t size() const { return member ? member->size : bytes.size(); }
  };
  void read_zip();
  std::string_view read_member(const std::string& name, bool is_needed);
  void read_stream();
  void read_tar();
  void read_tar_storages(std::string_view text);
  void read_tar_tensors(std::string_view text);
  void add_data(const std::string& key, const Data& data);
  void check_sum(const Data& data) const;
  void read_data(const Data& data, std::byte* to) const;
  StoragePtr map(const Data& data) const;
  StoragePtr convert(const Data& data, const PtElement& element) const;
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;

  std::span<const std::byte> bytes_;
  std::shared_ptr<MappedFile> mapping_;
  std::string source_;
  bool verify_;
  bool big_endian_ = false;
  std::optional<ZipArchive> archive_;
  std::string prefix_;             ///< of the archive's members
  std::deque<std::string> texts_;  ///< what the pickle's views and storages refer to, where that is not in `bytes_`
  Pickle pickle_;
  std::map<std::string, Data, std::less<>> data_;  ///< by key
  std::map<std::string, TensorId, std::less<>> tensors_;
  std::map<std::pair<std::string, const PtElement*>, StoragePtr> storages_;
};

}  // namespace minima::detail
