#include <minima/io/archives/inflate.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#ifdef MINIMA_HAVE_ZSTD

#include <zstd.h>

namespace minima {

namespace {

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::span<const std::byte> bytes, const std::string& source)
      : stream_(::ZSTD_createDStream()), input_{bytes.data(), bytes.size(), 0}, source_(source) {
    if (!stream_) throw OutOfMemoryError("zstd: out of memory");
    // A frame may request a window of gigabytes; zstd's command line tool has the same limit of 128 MiB.
    constexpr int largest_window = 27;
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, largest_window);
  }
  ~ZstdSource() override { ::ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;

  std::size_t read(void* to, std::size_t bytes) override {
    ZSTD_outBuffer output{to, bytes, 0};
    while (output.pos < output.size) {
      const std::size_t before = output.pos, at = input_.pos;
      if (input_.pos == input_.size && !inside_frame_) break;
      const std::size_t left = ::ZSTD_decompressStream(stream_, &output, &input_);
      if (::ZSTD_isError(left)) fail(::ZSTD_getErrorName(left));
      inside_frame_ = left != 0;
      if (output.pos == before && input_.pos == at && inside_frame_)
        fail("the compressed data end too early: truncated?");
    }
    return output.pos;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    detail::throw_format_error(source_, input_.pos, str("zstd: ", what));
  }

  ZSTD_DStream* stream_;
  ZSTD_inBuffer input_;
  bool inside_frame_ = true;
  std::string source_;
};

}  // namespace

std::unique_ptr<ByteSource> detail::open_zstd(std::span<const std::byte> bytes, const std::string& source) {
  return std::make_unique<ZstdSource>(bytes, source);
}

}  // namespace minima

#else

std::unique_ptr<minima::ByteSource> minima::detail::open_zstd(std::span<const std::byte>, const std::string& source) {
  throw ValueError(str(printable(source), ": minima was built without zstd; install libzstd-dev and rebuild"));
}

#endif
