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

/// Follows what a client sends, and tells when an insert outside a transaction is about to commit
/// by itself: at the end of a cycle of the extended protocol that executes one and begins nothing.
class LoneInserts {
 public:
  /// True for the message whose arrival at the server commits. `idle`: no transaction is open.
  [[nodiscard]] bool commits(const PostgresMessage& message, bool idle);

 private:
  bool parsed_ = false;    ///< the unnamed statement is an insert
  bool bound_ = false;     ///< what runs next is one
  bool executed_ = false;  ///< one was run in this cycle
  bool begun_ = false;     ///< so was a begin
};

/// Reads one message; nothing at the end of the connection.
[[nodiscard]] std::optional<PostgresMessage> read_message(int socket);
[[nodiscard]] std::optional<PostgresMessage> read_first_message(int socket);

/// False when the other side is gone.
bool write_all(int socket, const std::string& bytes);

}  // namespace holdfast::test
