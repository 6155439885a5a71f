#include <minima/io/archives/inflate.h>

#include <minima/io/archives/gzip.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace minima {

namespace {

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::size_t read(void* to, std::size_t bytes) override {
    const std::size_t count = std::min(bytes, rest_.size());
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return count;
  }
  bool skip(std::size_t bytes) override {
    const std::size_t count = std::min(bytes, rest_.size());
    rest_ = rest_.subspan(count);
    return count == bytes;
  }

 private:
  std::span<const std::byte> rest_;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::span<const std::byte> bytes, const std::string& source) : reader_(bytes, source) {}
  std::size_t read(void* to, std::size_t bytes) override {
    const std::size_t count = reader_.read_some(to, bytes);
    if (count < bytes) reader_.expect_end();
    return count;
  }

 private:
  GzipReader reader_;
};

bool is_zstd(std::span<const std::byte> bytes) {
  constexpr unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
  return bytes.size() >= sizeof magic && std::memcmp(bytes.data(), magic, sizeof magic) == 0;
}

}  // namespace

ByteSource::~ByteSource() = default;

bool ByteSource::skip(std::size_t bytes) {
  char piece[4096];
  while (bytes > 0) {
    const std::size_t count = read(piece, std::min(bytes, sizeof piece));
    if (count == 0) return false;
    bytes -= count;
  }
  return true;
}

bool detail::is_compressed(std::span<const std::byte> bytes) { return GzipReader::is_gzip(bytes) || is_zstd(bytes); }

std::unique_ptr<ByteSource> open_bytes(std::span<const std::byte> bytes, const std::string& source) {
  if (GzipReader::is_gzip(bytes)) return std::make_unique<GzipSource>(bytes, source);
  if (is_zstd(bytes)) return detail::open_zstd(bytes, source);
  return std::make_unique<PlainSource>(bytes);
}

}  // namespace minima
