#include <minima/tensor/base/format.h>
#include <minima/tensor/system/libraries.h>
#include <minima/tensor/system/system_info.h>

#include <build_facts.h>

#include <dlfcn.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#ifdef MINIMA_HAVE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif
#ifdef MINIMA_HAVE_JPEG
#include <jpeglib.h>
#endif
#ifdef MINIMA_HAVE_PNG
#include <png.h>
#endif
#ifdef MINIMA_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef MINIMA_HAVE_UTF8PROC
#include <utf8proc.h>
#endif
#ifdef MINIMA_HAVE_GLOO
#include <gloo/transport/tcp/device.h>
#endif
#ifdef MINIMA_HAVE_LAPACK
extern "C" {
void ilaver_(int* major, int* minor, int* patch);
double dnrm2_(const int* n, const double* x, const int* stride);  // of the BLAS behind LAPACK
}
#endif

namespace minima::detail {

namespace {

/// The library was there when minima was built, so it is there now.
void found(LibraryInfo& library, const void* function, std::string version) {
  library.is_available = true;
  library.path = file_of(function);
  library.version = std::move(version);
}

template <class R, class... P>
const void* address(R (*function)(P...)) {
  return reinterpret_cast<const void*>(function);
}

[[maybe_unused]] void left_out(LibraryInfo& library, const char* package) {
  library.reason = str("minima was built without it; install ", package, " and build again");
}

#ifdef MINIMA_HAVE_ONEDNN
std::string isa_text(dnnl_cpu_isa_t isa) {
  switch (isa) {
    case dnnl_cpu_isa_sse41: return "SSE4.1";
    case dnnl_cpu_isa_avx: return "AVX";
    case dnnl_cpu_isa_avx2: return "AVX2";
    case dnnl_cpu_isa_avx2_vnni: return "AVX2 with VNNI";
    case dnnl_cpu_isa_avx512_core: return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni: return "AVX-512 with VNNI";
    case dnnl_cpu_isa_avx512_core_bf16: return "AVX-512 with bfloat16";
    case dnnl_cpu_isa_avx512_core_amx: return "AVX-512 with AMX";
    default: return str("instruction set ", static_cast<int>(isa), " of dnnl_cpu_isa_t");
  }
}
#endif

LibraryInfo onednn() {
  LibraryInfo library{.name = "oneDNN",
                      .purpose = "float32 convolutions and matrix products on the CPU",
                      .built_with = built::onednn,
                      .consequence = "Eigen computes them, more slowly"};
#ifdef MINIMA_HAVE_ONEDNN
  const dnnl_version_t* const v = dnnl_version();
  found(library, address(dnnl_version), str(v->major, ".", v->minor, ".", v->patch));
  library.detail = str("uses ", isa_text(dnnl_get_effective_cpu_isa()));
#else
  left_out(library, "oneDNN (Debian: libdnnl-dev)");
#endif
  return library;
}

LibraryInfo jpeg() {
  LibraryInfo library{
      .name = "libjpeg", .purpose = "JPEG images", .consequence = "reading or writing a JPEG image throws ValueError"};
#ifdef MINIMA_HAVE_JPEG
#ifdef LIBJPEG_TURBO_VERSION
#define MINIMA_TEXT(x) #x
#define MINIMA_VALUE(x) MINIMA_TEXT(x)
  library.built_with = "turbo " MINIMA_VALUE(LIBJPEG_TURBO_VERSION);
#else
  library.built_with = str(JPEG_LIB_VERSION / 10, ".", JPEG_LIB_VERSION % 10);
#endif
  found(library, address(jpeg_std_error), "");  // it has no function that tells
#else
  left_out(library, "libjpeg (Debian: libjpeg-dev)");
#endif
  return library;
}

LibraryInfo png() {
  LibraryInfo library{.name = "libpng",
                      .purpose = "reading PNG images",
                      .built_with = built::png,
                      .consequence = "reading a PNG image throws ValueError"};
#ifdef MINIMA_HAVE_PNG
  const unsigned v = png_access_version_number();
  found(library, address(png_access_version_number), str(v / 10000, ".", v / 100 % 100, ".", v % 100));
#else
  left_out(library, "libpng (Debian: libpng-dev)");
#endif
  return library;
}

LibraryInfo zstd() {
  LibraryInfo library{.name = "zstd",
                      .purpose = "tar shards compressed with zstd",
                      .built_with = built::zstd,
                      .consequence = "reading such a shard throws ValueError"};
#ifdef MINIMA_HAVE_ZSTD
  found(library, address(ZSTD_versionString), ZSTD_versionString());
#else
  left_out(library, "zstd (Debian: libzstd-dev)");
#endif
  return library;
}

LibraryInfo utf8proc() {
  LibraryInfo library{.name = "utf8proc",
                      .purpose = "the classes of characters that tokenizers cut at",
                      .built_with = built::utf8proc,
                      .consequence = "data::Tokenizer with a splitting pattern throws ValueError"};
#ifdef MINIMA_HAVE_UTF8PROC
  found(library, address(utf8proc_version), utf8proc_version());
#else
  left_out(library, "utf8proc (Debian: libutf8proc-dev)");
#endif
  return library;
}

LibraryInfo gloo() {
  LibraryInfo library{.name = "Gloo",
                      .purpose = "training by several processes on CPUs",
                      .built_with = built::gloo,
                      .consequence = "distributed::init throws for several processes on CPUs"};
#ifdef MINIMA_HAVE_GLOO
  found(library, address(::gloo::transport::tcp::CreateDevice), "");  // it has no function that tells
#else
  left_out(library, "Gloo (Debian: libgloo-dev)");
#endif
  return library;
}

LibraryInfo lapack() {
  LibraryInfo library{.name = "LAPACK",
                      .purpose = "eigenvalues, singular values and QR on the CPU",
                      .consequence = "Eigen computes them, more slowly"};
#ifdef MINIMA_HAVE_LAPACK
  int major = 0, minor = 0, patch = 0;
  ilaver_(&major, &minor, &patch);
  found(library, address(ilaver_), str(major, ".", minor, ".", patch));
  // Debian's alternatives chose the BLAS when the program started.
  std::error_code error;
  const std::string blas = file_of(address(dnrm2_));
  if (!blas.empty()) library.detail = str("with the BLAS ", std::filesystem::canonical(blas, error).string());
#else
  left_out(library, "LAPACK (Debian: liblapack-dev)");
#endif
  return library;
}

LibraryInfo zlib() {
  LibraryInfo library{.name = "zlib", .purpose = "compressed data sets and archives", .built_with = built::zlib};
  found(library, address(zlibVersion), zlibVersion());
  return library;
}

LibraryInfo eigen() {
  return {.name = "Eigen",
          .purpose = "matrix products and factors on the CPU",
          .is_available = true,
          .built_with = built::eigen,
          .version = built::eigen,
          .detail = "headers"};
}

}  // namespace

std::vector<LibraryInfo> linked_libraries() {
  return {onednn(), eigen(), lapack(), gloo(), jpeg(), png(), zlib(), zstd(), utf8proc()};
}

std::string file_of(const void* function) {
  Dl_info there{}, here{};
  if (dladdr(function, &there) == 0 || !there.dli_fname) return "";
  if (dladdr(address(linked_libraries), &here) != 0 && there.dli_fbase == here.dli_fbase) return "";
  return there.dli_fname;
}

}  // namespace minima::detail
