#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::test {

/// One message of PostgreSQL's wire protocol, with its header, as it was read.
struct PostgresMessage {
  char type = 0;  ///< 0: the start of a connection, which has no type
  std::string bytes;

  /// The simple query `commit`, however it is written.
  [[nodiscard]] bool is_commit() const;

  /// A request for encryption, which a proxy answers itself.
  [[nodiscard]] bool asks_for_encryption() const;
};

/// Reads one message; nothing at the end of the connection.
[[nodiscard]] std::optional<PostgresMessage> read_message(int socket);
[[nodiscard]] std::optional<PostgresMessage> read_first_message(int socket);

/// False when the other side is gone.
bool write_all(int socket, const std::string& bytes);

}  // namespace holdfast::test
