#include "support/postgres_message.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace holdfast::test {

namespace {

constexpr std::uint32_t ssl_request = 80877103;
constexpr std::uint32_t gssenc_request = 80877104;
constexpr std::size_t length_size = 4;

bool read_all(int socket, char* into, std::size_t size) {
  while (size > 0) {
    const auto got = ::recv(socket, into, size, 0);
    if (got <= 0) return false;
    into += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + length_size; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::optional<PostgresMessage> read_sized(int socket, std::size_t type_size) {
  std::string bytes(type_size + length_size, '\0');
  if (!read_all(socket, bytes.data(), bytes.size())) return std::nullopt;
  const std::uint32_t length = number_at(bytes, type_size);
  if (length < length_size) return std::nullopt;
  bytes.resize(type_size + length);
  char* const body = bytes.data() + type_size + length_size;
  if (!read_all(socket, body, length - length_size)) return std::nullopt;
  return PostgresMessage{type_size == 0 ? char{0} : bytes[0], std::move(bytes)};
}

}  // namespace

bool PostgresMessage::is_commit() const {
  if (type != 'Q') return false;
  std::string letters;
  for (const char each : bytes.substr(1 + length_size)) {
    const auto letter = static_cast<unsigned char>(each);
    if (std::isalpha(letter) != 0) letters += static_cast<char>(std::tolower(letter));
  }
  return letters == "commit";
}

bool LoneInserts::commits(const PostgresMessage& message, bool idle) {
  constexpr std::size_t header = 1 + length_size;
  const auto text_after = [&](std::size_t at) {
    const std::size_t end = message.bytes.find('\0', at);
    return end == std::string::npos ? std::string_view{}
                                    : std::string_view(message.bytes).substr(at, end - at);
  };
  if (message.type != 'P' && message.type != 'B' && message.type != 'E' && message.type != 'S') {
    return false;
  }
  const std::string_view first = text_after(header);
  const std::string_view second = text_after(header + first.size() + 1);
  if (message.type == 'P' && first.empty()) parsed_ = second.starts_with("insert");
  if (message.type == 'P' && second.starts_with("begin")) begun_ = true;
  if (message.type == 'B') bound_ = second.empty() ? parsed_ : second.starts_with("insert");
  if (message.type == 'E') executed_ = executed_ || bound_;
  if (message.type != 'S') return false;
  const bool commits = executed_ && idle && !begun_;
  executed_ = false;
  begun_ = false;
  return commits;
}

bool PostgresMessage::asks_for_encryption() const {
  if (type != 0 || bytes.size() != 2 * length_size) return false;
  const auto code = number_at(bytes, length_size);
  return code == ssl_request || code == gssenc_request;
}

std::optional<PostgresMessage> read_message(int socket) { return read_sized(socket, 1); }
std::optional<PostgresMessage> read_first_message(int socket) { return read_sized(socket, 0); }

bool write_all(int socket, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace holdfast::test
