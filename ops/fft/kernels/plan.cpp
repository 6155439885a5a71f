#include <minima/ops/fft/kernels/plan.h>

#include <minima/tensor/base/loop_pragmas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::detail::fourier {

namespace {

constexpr std::int64_t largest_radix = 13;

struct Root {
  double re, im;
};

/// e^{-2πi·k/n}, by an angle of at most π/4: those lose no digits.
Root root_of_unity(std::int64_t k, std::int64_t n) {
  k %= n;
  const std::int64_t eighth = 8 * k / n;
  const auto turn = [&](std::int64_t numerator) {
    return std::numbers::pi / 4 * static_cast<double>(numerator) / static_cast<double>(n);
  };
  const double odd = turn((eighth + 1) * n - 8 * k), even = turn(8 * k - eighth * n);
  switch (eighth) {
    case 0: return {std::cos(even), -std::sin(even)};
    case 1: return {std::sin(odd), -std::cos(odd)};
    case 2: return {-std::sin(even), -std::cos(even)};
    case 3: return {-std::cos(odd), -std::sin(odd)};
    case 4: return {-std::cos(even), std::sin(even)};
    case 5: return {-std::sin(odd), std::cos(odd)};
    case 6: return {std::sin(even), std::cos(even)};
    default: return {std::cos(odd), std::sin(odd)};
  }
}

/// The radices of the passes, or nothing if a prime factor is too large.
std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> radices;
  // 16 is 4·4, not 8·2.
  const auto fits = [&](int radix) { return n % radix == 0 && (radix != 8 || n % 16 != 0 || n % 32 == 0); };
  for (const int radix : {8, 4, 2, 3, 5, 7, 11, 13})
    for (; fits(radix); n /= radix) radices.push_back(radix);
  if (n > 1) radices.clear();
  return radices;
}

bool is_smooth(std::int64_t n) {
  for (const int radix : {2, 3, 5})
    while (n % radix == 0) n /= radix;
  return n == 1;
}

/// Butterflies of radix 2, 3, 4, 5 or 8, each at `width` neighbouring positions: of the numbers at p, those of k become
/// to_k = w_k · Σ_j from_j·e^{-2πi·jk/radix}.
template <int radix, class T>
void butterflies(const T* re, const T* im, const T* w_re, const T* w_im, T* to_re, T* to_im, std::int64_t rest,
                 std::int64_t width) {
  const std::int64_t step = rest * width;
  for (std::int64_t p = 0; p < rest; ++p) {
    const auto put = [&](int k, std::int64_t q, T x, T y) __attribute__((always_inline)) {
      to_re[k * width + q] = k == 0 ? x : x * w_re[k] - y * w_im[k];
      to_im[k * width + q] = k == 0 ? y : x * w_im[k] + y * w_re[k];
    };
    // The numbers k, k + by, k + 2·by and k + 3·by: the transform of four.
    const auto put_four = [&](int k, int by, std::int64_t q, const T* a, const T* b) __attribute__((always_inline)) {
      const T sa = a[0] + a[2], sb = b[0] + b[2], da = a[0] - a[2], db = b[0] - b[2];
      const T ta = a[1] + a[3], tb = b[1] + b[3], ua = a[1] - a[3], ub = b[1] - b[3];
      put(k, q, sa + ta, sb + tb);
      put(k + by, q, da + ub, db - ua);
      put(k + 2 * by, q, sa - ta, sb - tb);
      put(k + 3 * by, q, da - ub, db + ua);
    };
    MINIMA_IVDEP
    for (std::int64_t q = 0; q < width; ++q) {
      T a[radix], b[radix];
      for (int j = 0; j < radix; ++j) a[j] = re[j * step + q], b[j] = im[j * step + q];
      if constexpr (radix == 2) {
        put(0, q, a[0] + a[1], b[0] + b[1]);
        put(1, q, a[0] - a[1], b[0] - b[1]);
      } else if constexpr (radix == 3) {
        constexpr T sine = static_cast<T>(0.86602540378443864676);
        const T ta = a[1] + a[2], tb = b[1] + b[2], da = sine * (a[1] - a[2]), db = sine * (b[1] - b[2]);
        const T ma = a[0] - ta / 2, mb = b[0] - tb / 2;
        put(0, q, a[0] + ta, b[0] + tb);
        put(1, q, ma + db, mb - da);
        put(2, q, ma - db, mb + da);
      } else if constexpr (radix == 4) {
        put_four(0, 1, q, a, b);
      } else if constexpr (radix == 5) {
        constexpr T c1 = static_cast<T>(0.30901699437494742410), c2 = static_cast<T>(-0.80901699437494742410);
        constexpr T s1 = static_cast<T>(0.95105651629515357212), s2 = static_cast<T>(0.58778525229247312917);
        const T pa = a[1] + a[4], pb = b[1] + b[4], qa = a[2] + a[3], qb = b[2] + b[3];
        const T ra = a[1] - a[4], rb = b[1] - b[4], ta = a[2] - a[3], tb = b[2] - b[3];
        const T ma = a[0] + c1 * pa + c2 * qa, mb = b[0] + c1 * pb + c2 * qb;
        const T na = a[0] + c2 * pa + c1 * qa, nb = b[0] + c2 * pb + c1 * qb;
        const T ea = s1 * ra + s2 * ta, eb = s1 * rb + s2 * tb, fa = s2 * ra - s1 * ta, fb = s2 * rb - s1 * tb;
        put(0, q, a[0] + pa + qa, b[0] + pb + qb);
        put(1, q, ma + eb, mb - ea);
        put(2, q, na + fb, nb - fa);
        put(3, q, na - fb, nb + fa);
        put(4, q, ma - eb, mb + ea);
      } else {
        constexpr T diagonal = static_cast<T>(0.70710678118654752440);
        T sa[4], sb[4], da[4], db[4];
        for (int j = 0; j < 4; ++j) {
          sa[j] = a[j] + a[j + 4], sb[j] = b[j] + b[j + 4];
          da[j] = a[j] - a[j + 4], db[j] = b[j] - b[j + 4];
        }
        // The differences turn by e^{-2πi·j/8}.
        const T ta[4] = {da[0], diagonal * (da[1] + db[1]), db[2], diagonal * (db[3] - da[3])};
        const T tb[4] = {db[0], diagonal * (db[1] - da[1]), -da[2], -diagonal * (da[3] + db[3])};
        put_four(0, 2, q, sa, sb);
        put_four(1, 2, q, ta, tb);
      }
    }
    re += width, im += width;
    w_re += radix, w_im += radix;
    to_re += radix * width, to_im += radix * width;
  }
}

/// The same for any radix, by the definition.
template <class T>
void any_butterflies(int radix, const T* re, const T* im, const T* w_re, const T* w_im, const T* root_re,
                     const T* root_im, T* to_re, T* to_im, std::int64_t rest, std::int64_t width) {
  const std::int64_t step = rest * width;
  for (std::int64_t p = 0; p < rest; ++p, re += width, im += width, w_re += radix, w_im += radix)
    for (int k = 0; k < radix; ++k, to_re += width, to_im += width) {
      T factor_re[largest_radix], factor_im[largest_radix];
      for (int j = 0; j < radix; ++j) {
        const int at = j * k % radix;
        factor_re[j] = root_re[at] * w_re[k] - root_im[at] * w_im[k];
        factor_im[j] = root_re[at] * w_im[k] + root_im[at] * w_re[k];
      }
      MINIMA_IVDEP
      for (std::int64_t q = 0; q < width; ++q) {
        T sum_re = 0, sum_im = 0;
        for (int j = 0; j < radix; ++j) {
          const T a = re[j * step + q], b = im[j * step + q];
          sum_re += a * factor_re[j] - b * factor_im[j];
          sum_im += a * factor_im[j] + b * factor_re[j];
        }
        to_re[q] = sum_re;
        to_im[q] = sum_im;
      }
    }
}

}  // namespace

template <class T>
Plan<T>::Plan(std::int64_t length) : length_(length) {
  const std::vector<int> radices = radices_of(length);
  if (!radices.empty() || length == 1) {
    std::int64_t rest = length;
    for (const int radix : radices) {
      const std::int64_t whole = rest;
      rest /= radix;
      Pass pass{.radix = radix, .rest = rest, .re = {}, .im = {}, .root_re = {}, .root_im = {}};
      for (std::int64_t p = 0; p < rest; ++p)
        for (int k = 0; k < radix; ++k) {
          const Root root = root_of_unity(p * k, whole);
          pass.re.push_back(static_cast<T>(root.re));
          pass.im.push_back(static_cast<T>(root.im));
        }
      for (int k = 0; k < radix; ++k) {
        const Root root = root_of_unity(k, radix);
        pass.root_re.push_back(static_cast<T>(root.re));
        pass.root_im.push_back(static_cast<T>(root.im));
      }
      passes_.push_back(std::move(pass));
    }
    return;
  }
  std::int64_t longer = 2 * length - 1;
  while (!is_smooth(longer)) ++longer;
  convolution_ = std::make_unique<Plan>(longer);
  const auto size = static_cast<std::size_t>(longer);
  filter_re_.assign(size, 0);
  filter_im_.assign(size, 0);
  std::int64_t square = 0;  // k² mod 2n
  for (std::int64_t k = 0; k < length; ++k) {
    const Root root = root_of_unity(square, 2 * length);
    chirp_re_.push_back(static_cast<T>(root.re));
    chirp_im_.push_back(static_cast<T>(root.im));
    for (const std::int64_t at : {k, (longer - k) % longer}) {
      filter_re_[static_cast<std::size_t>(at)] = static_cast<T>(root.re / static_cast<double>(longer));
      filter_im_[static_cast<std::size_t>(at)] = static_cast<T>(-root.im / static_cast<double>(longer));
    }
    square = (square + 2 * k + 1) % (2 * length);
  }
  std::vector<T> free_re(size), free_im(size);
  Lines<T> filter{filter_re_.data(), filter_im_.data(), free_re.data(), free_im.data(), 1};
  convolution_->run(filter);
  if (filter.re != filter_re_.data()) filter_re_.swap(free_re), filter_im_.swap(free_im);
}

template <class T>
void Plan<T>::run(Lines<T>& lines) const {
  if (convolution_) return convolve(lines);
  std::int64_t width = lines.lanes;
  for (const Pass& pass : passes_) {
    const auto run = [&](auto radix) {
      butterflies<radix>(lines.re, lines.im, pass.re.data(), pass.im.data(), lines.free_re, lines.free_im, pass.rest,
                         width);
    };
    switch (pass.radix) {
      case 2: run(std::integral_constant<int, 2>()); break;
      case 3: run(std::integral_constant<int, 3>()); break;
      case 4: run(std::integral_constant<int, 4>()); break;
      case 5: run(std::integral_constant<int, 5>()); break;
      case 8: run(std::integral_constant<int, 8>()); break;
      default:
        any_butterflies(pass.radix, lines.re, lines.im, pass.re.data(), pass.im.data(), pass.root_re.data(),
                        pass.root_im.data(), lines.free_re, lines.free_im, pass.rest, width);
    }
    std::swap(lines.re, lines.free_re);
    std::swap(lines.im, lines.free_im);
    width *= pass.radix;
  }
}

/// With jk = (j² + k² - (k - j)²) / 2, X[k] = c[k]·Σ_j (x[j]·c[j])·conj(c[k - j]).
template <class T>
void Plan<T>::convolve(Lines<T>& lines) const {
  const std::int64_t lanes = lines.lanes, longer = room();
  const auto multiply = [&](const std::vector<T>& by_re, const std::vector<T>& by_im, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      const T c = by_re[static_cast<std::size_t>(k)], d = by_im[static_cast<std::size_t>(k)];
      for (std::int64_t i = k * lanes; i < (k + 1) * lanes; ++i) {
        const T a = lines.re[i], b = lines.im[i];
        lines.re[i] = a * c - b * d;
        lines.im[i] = a * d + b * c;
      }
    }
  };
  const auto flip = [&] {
    std::swap(lines.re, lines.im);
    std::swap(lines.free_re, lines.free_im);
  };
  multiply(chirp_re_, chirp_im_, length_);
  std::fill(lines.re + length_ * lanes, lines.re + longer * lanes, T(0));
  std::fill(lines.im + length_ * lanes, lines.im + longer * lanes, T(0));
  convolution_->run(lines);
  multiply(filter_re_, filter_im_, longer);
  flip();
  convolution_->run(lines);
  flip();
  multiply(chirp_re_, chirp_im_, length_);
}

template <class T>
std::shared_ptr<const Plan<T>> Plan<T>::of(std::int64_t length) {
  constexpr std::size_t kept = 16;
  static std::mutex mutex;
  static std::list<std::shared_ptr<const Plan>> recent;
  {
    const std::scoped_lock lock(mutex);
    for (auto it = recent.begin(); it != recent.end(); ++it)
      if ((*it)->length() == length) {
        recent.splice(recent.begin(), recent, it);
        return recent.front();
      }
  }
  auto plan = std::make_shared<const Plan>(length);
  const std::scoped_lock lock(mutex);
  recent.push_front(plan);
  if (recent.size() > kept) recent.pop_back();
  return plan;
}

template class Plan<float>;
template class Plan<double>;

}  // namespace minima::detail::fourier
