#include "hash.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

namespace checksums {

namespace {

// SHA-256 as in FIPS 180-4, so that the results can be compared with sha256sum's.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t block_bytes = 64;

class Sha256 {
 public:
  /// Takes whole blocks only.
  void blocks(std::span<const unsigned char> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += block_bytes) {
      block(bytes.subspan(at, block_bytes));
    }
    length_ += bytes.size();
  }

  /// Takes the rest, less than a block, and gives the digest.
  std::string finish(std::span<const unsigned char> rest) {
    const std::uint64_t bits = (length_ + rest.size()) * 8;
    std::vector<unsigned char> tail(rest.begin(), rest.end());
    tail.push_back(0x80);
    while (tail.size() % block_bytes != block_bytes - 8) tail.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) {
      tail.push_back(static_cast<unsigned char>(bits >> shift));
    }
    blocks(tail);
    return hexadecimal();
  }

 private:
  static std::array<std::uint32_t, 64> schedule(std::span<const unsigned char> bytes) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = static_cast<std::uint32_t>(bytes[4 * i]) << 24U |
             static_cast<std::uint32_t>(bytes[4 * i + 1]) << 16U |
             static_cast<std::uint32_t>(bytes[4 * i + 2]) << 8U | bytes[4 * i + 3];
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15];
      const std::uint32_t b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
    }
    return w;
  }

  void block(std::span<const unsigned char> bytes) {
    const auto w = schedule(bytes);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
      const std::uint32_t two =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
  }

  [[nodiscard]] std::string hexadecimal() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint32_t word : state_) {
      for (int shift = 28; shift >= 0; shift -= 4) text += digits[word >> shift & 15U];
    }
    return text;
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint64_t length_ = 0;
};

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), path_);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Fills the buffer unless the file ends before.
  std::size_t read(std::span<unsigned char> buffer) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const auto bytes = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
      if (bytes == 0) break;
      if (bytes > 0) {
        filled += static_cast<std::size_t>(bytes);
      } else if (errno != EINTR) {
        throw std::system_error(errno, std::generic_category(), path_);
      }
    }
    return filled;
  }

 private:
  const std::string& path_;
  int descriptor_;
};

}  // namespace

std::string hash_file(const std::string& path) {
  File file(path);
  std::vector<unsigned char> buffer(256 * 1024);
  Sha256 sum;
  while (true) {
    const std::span<const unsigned char> bytes(buffer.data(), file.read(buffer));
    const std::size_t whole = bytes.size() - bytes.size() % block_bytes;
    sum.blocks(bytes.first(whole));
    if (bytes.size() < buffer.size()) return sum.finish(bytes.subspan(whole));
  }
}

}  // namespace checksums
