#pragma once

#include <cstdint>
#include <memory>
#include <vector>

// Discrete Fourier transforms of one length, on many lines at once. Internal.

namespace minima::detail::fourier {

/// `lanes` lines side by side, real and imaginary parts apart: number k of line l is re[k · lanes + l]. Each pointer
/// has room for Plan::room() · lanes numbers. Side by side, any length keeps the vector units busy.
template <class T>
struct Lines {
  T* re;
  T* im;
  T* free_re;  ///< scratch
  T* free_im;
  std::int64_t lanes;
};

/// X[k] = Σ_j x[j]·e^{-2πi·jk/n}. Lengths whose prime factors are at most 13 run in passes of Stockham's algorithm,
/// which need no reordering; others as a convolution (Bluestein) in a longer transform of such a length.
template <class T>
class Plan {
 public:
  explicit Plan(std::int64_t length);

  std::int64_t length() const { return length_; }
  /// The numbers per line that each buffer of Lines holds.
  std::int64_t room() const { return convolution_ ? convolution_->length_ : length_; }
  /// Transforms in place; the pointers may be exchanged. Swapping re and im gives the inverse, without its 1/n.
  void run(Lines<T>& lines) const;

  /// A plan from the cache of the most recent ones.
  static std::shared_ptr<const Plan> of(std::int64_t length);

 private:
  struct Pass {
    int radix;
    std::int64_t rest;                ///< the length that remains after this pass
    std::vector<T> re, im;            ///< e^{-2πi·pk/(radix·rest)} at p · radix + k
    std::vector<T> root_re, root_im;  ///< e^{-2πi·k/radix}
  };

  void convolve(Lines<T>& lines) const;

  std::int64_t length_;
  std::vector<Pass> passes_;
  std::unique_ptr<Plan> convolution_;     ///< of the longer length
  std::vector<T> chirp_re_, chirp_im_;    ///< e^{-πi·k²/n}
  std::vector<T> filter_re_, filter_im_;  ///< the transform of the chirp's conjugate, with the inverse's 1/n
};

}  // namespace minima::detail::fourier
