#include <minima/io/archives/gzip.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <zlib.h>
#include <algorithm>
#include <climits>

namespace minima {

struct GzipReader::Inflater {
  z_stream stream{};

  explicit Inflater(Kind kind) {
    constexpr int gzip_window = 16 + MAX_WBITS, raw_window = -MAX_WBITS;
    if (::inflateInit2(&stream, kind == Kind::gzip ? gzip_window : raw_window) != Z_OK)
      throw OutOfMemoryError("gzip: out of memory");
  }
  ~Inflater() { ::inflateEnd(&stream); }
};

GzipReader::GzipReader(std::span<const std::byte> compressed, std::string source, Kind kind)
    : rest_(compressed),
      size_(compressed.size()),
      source_(std::move(source)),
      kind_(kind),
      inflater_(std::make_unique<Inflater>(kind)) {}

GzipReader::~GzipReader() = default;

bool GzipReader::is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

void GzipReader::fail(const std::string& what) const {
  detail::throw_format_error(source_, size_ - rest_.size(), what);
}

std::size_t GzipReader::read_some(void* to, std::size_t bytes) {
  z_stream& stream = inflater_->stream;
  std::size_t done = 0;
  while (done < bytes) {
    if (member_ended_) {
      if (kind_ == Kind::raw || !is_gzip(rest_)) break;  // a file may consist of several members
      ::inflateReset(&stream);
      member_ended_ = false;
    }
    const auto input = static_cast<uInt>(std::min<std::size_t>(rest_.size(), UINT_MAX));
    const auto output = static_cast<uInt>(std::min<std::size_t>(bytes - done, UINT_MAX));
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));
    stream.avail_in = input;
    stream.next_out = static_cast<Bytef*>(to) + done;
    stream.avail_out = output;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    rest_ = rest_.subspan(input - stream.avail_in);
    done += output - stream.avail_out;
    if (result == Z_STREAM_END) member_ended_ = true;
    else if (result == Z_BUF_ERROR) fail("the compressed data end too early: truncated?");
    else if (result == Z_MEM_ERROR) throw OutOfMemoryError(str(source_, ": out of memory while inflating"));
    else if (result != Z_OK) fail(str("corrupt compressed data", stream.msg ? ": " : "", stream.msg ? stream.msg : ""));
  }
  return done;
}

void GzipReader::read(void* to, std::size_t bytes) {
  const std::size_t got = read_some(to, bytes);
  if (got < bytes) fail(str("the data end ", bytes - got, " bytes too early"));
}

void GzipReader::expect_end() {
  char more;
  if (read_some(&more, 1) != 0) fail("the data are longer than promised");
  if (!rest_.empty()) fail(str(rest_.size(), " bytes follow the compressed data"));
}

}  // namespace minima
