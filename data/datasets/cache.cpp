#include <minima/data/datasets/cache.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>
#include <memory>
#include <mutex>

namespace minima::data::detail {

struct Locks::Mutexes {
  std::mutex mutex[64];
};
Locks::Locks() : mutexes_(new Mutexes) {}
Locks::~Locks() { delete mutexes_; }
void Locks::lock(std::int64_t index) { mutexes_->mutex[static_cast<std::uint64_t>(index) % 64].lock(); }
void Locks::unlock(std::int64_t index) noexcept { mutexes_->mutex[static_cast<std::uint64_t>(index) % 64].unlock(); }

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

struct ColumnFile::Writing {
  struct Column {
    Shape shape;  ///< of a row, with the leading 1
    DType dtype;
    std::size_t begin, row_bytes;
  };
  AtomicFile file;
  std::vector<Column> columns;
  std::int64_t rows, written = 0;
};

ColumnFile::ColumnFile(const std::string& path, std::span<const Tensor> first, std::int64_t rows) : writing_(nullptr) {
  std::vector<minima::detail::SafetensorsHeader::TensorInfo> entries;
  for (const Tensor& column : first) {
    Shape shape = column.shape();
    shape[0] = rows;
    entries.push_back({.name = str("column", entries.size()), .dtype = column.dtype(), .shape = shape});
  }
  const minima::detail::SafetensorsLayout layout = minima::detail::lay_out_safetensors(entries, {});
  auto writing = std::unique_ptr<Writing>(new Writing{AtomicFile(path), {}, rows});
  writing->file.write(layout.start);
  for (std::size_t i = 0; i < first.size(); ++i)
    writing->columns.push_back({first[i].shape(), first[i].dtype(), layout.begins[i],
                                static_cast<std::size_t>(first[i].numel()) * first[i].itemsize()});
  writing_ = writing.release();
}

ColumnFile::~ColumnFile() { delete writing_; }

void ColumnFile::add(std::span<const Tensor> row) {
  Writing& w = *writing_;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Writing::Column& column = w.columns[i];
    if (row[i].dtype() != column.dtype)
      throw DTypeError(
          str("packed: field ", i, " of sample ", w.written, " is ", row[i], ", but sample 0 has ", column.dtype));
    if (!(row[i].shape() == column.shape))
      throw ShapeError(str("packed: field ", i, " of sample ", w.written, " is ", row[i], ", but sample 0 has shape ",
                           column.shape, " (dimension 0 is the batch)"));
    w.file.write_at(column.begin + static_cast<std::size_t>(w.written) * column.row_bytes, row[i].raw_data(),
                    column.row_bytes);
  }
  ++w.written;
}

void ColumnFile::commit() {
  if (writing_->written != writing_->rows)
    throw ValueError(str("packed: ", writing_->written, " of ", writing_->rows, " samples were written"));
  writing_->file.commit();
}

std::vector<Tensor> load_columns(const std::string& path, std::size_t count) {
  const State state = read_safetensors(path);
  if (state.tensors().size() != count)
    throw FormatError(str(path, ": byte 0: ", state.tensors().size(), " columns, but samples have ", count,
                          " fields; delete the file to pack the dataset again"));
  std::vector<Tensor> columns;
  columns.reserve(count);
  for (std::size_t i = 0; i < count; ++i) columns.push_back(state.tensor(str("column", i)));
  return columns;
}

}  // namespace minima::data::detail
