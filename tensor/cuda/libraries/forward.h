#pragma once

#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <tuple>

// MINIMA_FORWARD(cudnn_library, cudnnCreate, 1) defines a function declared by a library's header. The definition looks
// up the real function at the first call, so all callers, including third-party headers, are written as if the library
// were linked. The number is the parameter count; the types come from the declaration.

namespace minima::cuda {

template <class F>
struct Signature;
template <class R, class... Parameters>
struct Signature<R(Parameters...)> {
  using Result = R;
  template <std::size_t i>
  using Parameter = std::tuple_element_t<i, std::tuple<Parameters...>>;
};

}  // namespace minima::cuda

#define MINIMA_P(function, i) ::minima::cuda::Signature<decltype(function)>::Parameter<i> p##i
#define MINIMA_PARAMETERS_0(f)
#define MINIMA_PARAMETERS_1(f) MINIMA_P(f, 0)
#define MINIMA_PARAMETERS_2(f) MINIMA_PARAMETERS_1(f), MINIMA_P(f, 1)
#define MINIMA_PARAMETERS_3(f) MINIMA_PARAMETERS_2(f), MINIMA_P(f, 2)
#define MINIMA_PARAMETERS_4(f) MINIMA_PARAMETERS_3(f), MINIMA_P(f, 3)
#define MINIMA_PARAMETERS_5(f) MINIMA_PARAMETERS_4(f), MINIMA_P(f, 4)
#define MINIMA_PARAMETERS_6(f) MINIMA_PARAMETERS_5(f), MINIMA_P(f, 5)
#define MINIMA_PARAMETERS_7(f) MINIMA_PARAMETERS_6(f), MINIMA_P(f, 6)
#define MINIMA_PARAMETERS_8(f) MINIMA_PARAMETERS_7(f), MINIMA_P(f, 7)
#define MINIMA_PARAMETERS_9(f) MINIMA_PARAMETERS_8(f), MINIMA_P(f, 8)
#define MINIMA_PARAMETERS_10(f) MINIMA_PARAMETERS_9(f), MINIMA_P(f, 9)
#define MINIMA_PARAMETERS_11(f) MINIMA_PARAMETERS_10(f), MINIMA_P(f, 10)
#define MINIMA_PARAMETERS_12(f) MINIMA_PARAMETERS_11(f), MINIMA_P(f, 11)
#define MINIMA_PARAMETERS_13(f) MINIMA_PARAMETERS_12(f), MINIMA_P(f, 12)
#define MINIMA_PARAMETERS_14(f) MINIMA_PARAMETERS_13(f), MINIMA_P(f, 13)
#define MINIMA_PARAMETERS_15(f) MINIMA_PARAMETERS_14(f), MINIMA_P(f, 14)
#define MINIMA_PARAMETERS_16(f) MINIMA_PARAMETERS_15(f), MINIMA_P(f, 15)
#define MINIMA_PARAMETERS_17(f) MINIMA_PARAMETERS_16(f), MINIMA_P(f, 16)
#define MINIMA_PARAMETERS_18(f) MINIMA_PARAMETERS_17(f), MINIMA_P(f, 17)
#define MINIMA_PARAMETERS_19(f) MINIMA_PARAMETERS_18(f), MINIMA_P(f, 18)
#define MINIMA_PARAMETERS_20(f) MINIMA_PARAMETERS_19(f), MINIMA_P(f, 19)
#define MINIMA_PARAMETERS_21(f) MINIMA_PARAMETERS_20(f), MINIMA_P(f, 20)
#define MINIMA_PARAMETERS_22(f) MINIMA_PARAMETERS_21(f), MINIMA_P(f, 21)
#define MINIMA_ARGUMENTS_0
#define MINIMA_ARGUMENTS_1 p0
#define MINIMA_ARGUMENTS_2 MINIMA_ARGUMENTS_1, p1
#define MINIMA_ARGUMENTS_3 MINIMA_ARGUMENTS_2, p2
#define MINIMA_ARGUMENTS_4 MINIMA_ARGUMENTS_3, p3
#define MINIMA_ARGUMENTS_5 MINIMA_ARGUMENTS_4, p4
#define MINIMA_ARGUMENTS_6 MINIMA_ARGUMENTS_5, p5
#define MINIMA_ARGUMENTS_7 MINIMA_ARGUMENTS_6, p6
#define MINIMA_ARGUMENTS_8 MINIMA_ARGUMENTS_7, p7
#define MINIMA_ARGUMENTS_9 MINIMA_ARGUMENTS_8, p8
#define MINIMA_ARGUMENTS_10 MINIMA_ARGUMENTS_9, p9
#define MINIMA_ARGUMENTS_11 MINIMA_ARGUMENTS_10, p10
#define MINIMA_ARGUMENTS_12 MINIMA_ARGUMENTS_11, p11
#define MINIMA_ARGUMENTS_13 MINIMA_ARGUMENTS_12, p12
#define MINIMA_ARGUMENTS_14 MINIMA_ARGUMENTS_13, p13
#define MINIMA_ARGUMENTS_15 MINIMA_ARGUMENTS_14, p14
#define MINIMA_ARGUMENTS_16 MINIMA_ARGUMENTS_15, p15
#define MINIMA_ARGUMENTS_17 MINIMA_ARGUMENTS_16, p16
#define MINIMA_ARGUMENTS_18 MINIMA_ARGUMENTS_17, p17
#define MINIMA_ARGUMENTS_19 MINIMA_ARGUMENTS_18, p18
#define MINIMA_ARGUMENTS_20 MINIMA_ARGUMENTS_19, p19
#define MINIMA_ARGUMENTS_21 MINIMA_ARGUMENTS_20, p20
#define MINIMA_ARGUMENTS_22 MINIMA_ARGUMENTS_21, p21
#define MINIMA_TEXT(name) #name

#define MINIMA_FORWARD(library, function, count)                                                                   \
  extern "C" ::minima::cuda::Signature<decltype(function)>::Result function(MINIMA_PARAMETERS_##count(function)) { \
    static const auto real = reinterpret_cast<decltype(&function)>(library.find(MINIMA_TEXT(function)));           \
    return real(MINIMA_ARGUMENTS_##count);                                                                         \
  }
