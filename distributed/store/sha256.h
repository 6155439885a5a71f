#pragma once

#include <string>
#include <string_view>

// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) for the store's handshake. Implemented here because the kernel's AF_ALG
// sockets are missing in sandboxes such as gVisor and blocked by many containers' seccomp filters, and libcrypto would
// be a dependency of megabytes for one function. Internal.

namespace minima::distributed::detail {

inline constexpr std::size_t digest_size = 32;

/// The digest's 32 bytes.
std::string sha256(std::string_view message);
std::string hmac_sha256(std::string_view key, std::string_view message);
/// Compares in a time that depends only on the lengths.
bool equal_in_constant_time(std::string_view a, std::string_view b);
/// At most 256 bytes from the system's cryptographic generator.
std::string random_bytes(std::size_t count);

}  // namespace minima::distributed::detail
