#pragma once

// Made by tests/fixtures/random_golden.py.

#include <cstdint>

namespace golden {

// clang-format off
inline constexpr std::uint64_t seed = 0x123456789abcdefu, offset = 0xfffffffeu;
inline constexpr std::uint32_t words[] = {0xf4b32f1bu, 0xa956ea34u, 0xb1d97dbdu, 0x5a4cbeaeu, 0x073402a4u, 0x9775331eu, 0x64c992adu, 0x325045acu, 0xd9412d6au, 0x59dd3f68u, 0x9d46a012u, 0x5d27ddd9u};
inline constexpr float uniform[] = {0x1.e9665e0000000p-1f, 0x1.52add40000000p-1f, 0x1.63b2fa0000000p-1f, 0x1.6932f80000000p-2f, 0x1.cd00800000000p-6f, 0x1.2eea660000000p-1f, 0x1.9326480000000p-2f, 0x1.9282280000000p-3f, 0x1.b2825a0000000p-1f, 0x1.6774fc0000000p-2f, 0x1.3a8d400000000p-1f, 0x1.749f740000000p-2f};
inline constexpr double wide_uniform[] = {0x1.52add469e9665p-1, 0x1.6932fabac765ep-2, 0x1.2eea663c0e680p-1, 0x1.92822d63264c8p-3, 0x1.6774fda36504ap-2, 0x1.749f7766751a8p-2, 0x1.7f9c832d26848p-2, 0x1.72d324a8c115cp-2, 0x1.4ccbc8768e87ap-1, 0x1.ecd55a21454f8p-3, 0x1.987b47ca1b3aep-2, 0x1.191637e5cfaa2p-1};
inline constexpr double normal[] = {-0x1.44e3104988e43p-3, -0x1.055197af2511cp-2, -0x1.06e4efcb316e0p-1, 0x1.5d13093d7f333p-1, -0x1.1ee9fac268f77p+1, -0x1.74788ff32f4d3p+0, 0x1.cce2a7f8fc1edp-2, 0x1.4a01cee36188dp+0, -0x1.5be52a78d5cdcp-2, 0x1.d85d129997811p-2, -0x1.4b9178ca2a673p-1, 0x1.7d6c1fe8c85a5p-1};
inline constexpr double wide_normal[] = {-0x1.1807da5d247efp-1, 0x1.73d409f57937ep-1, 0x1.59d688b8bc090p-2, 0x1.ef427fc4e20aap-1, -0x1.e60bec2289babp-1, 0x1.17905c45faba8p+0, -0x1.d0b44c346ab66p-1, 0x1.115236ce6d355p+0, 0x1.bedfa6b292e6ep-5, 0x1.da6d2f741390bp-1, -0x1.4ac0d757a7536p+0, -0x1.a4adff072cde7p-2};
inline constexpr std::int32_t integers_below_1000[] = {955, 661, 694, 352, 28, 591, 393, 196, 848, 351, 614, 363};
inline constexpr std::int64_t wide_integers_below_1000[] = {661, 352, 591, 196, 351, 363, 374, 362, 649, 240, 398, 548};
inline constexpr std::int64_t permutation[] = {8, 3, 10, 0, 1, 11, 7, 9, 5, 2, 4, 6};
// clang-format on

}  // namespace golden
