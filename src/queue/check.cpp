#include "queue/check.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"
#include "holdfast/error.hpp"
#include "queue/lifecycle.hpp"

namespace holdfast::queue {

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view rule) {
  throw Error(Code::invalid, std::string(what) + " " + std::string(rule));
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

void check_line(std::string_view what, std::string_view text, std::size_t min, std::size_t max) {
  if (!base::valid_utf8(text)) refuse(what, "must be valid UTF-8");
  if (std::any_of(text.begin(), text.end(), is_control)) {
    refuse(what, "must not contain control characters (U+0000 to U+001F, U+007F)");
  }
  const std::size_t length = characters(text);
  if (length < min) refuse(what, "must not be empty");
  if (length > max) refuse(what, "has at most " + std::to_string(max) + " characters");
}

void check_body(std::string_view what, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    refuse(what, "has at most " + std::to_string(bytes_max) + " bytes, this one has " +
                     std::to_string(text.size()));
  }
  if (text.find('\0') != std::string_view::npos) refuse(what, "must not contain a zero byte");
  if (!base::valid_utf8(text)) refuse(what, "must be valid UTF-8 text");
}

void check_when(const EnqueueOptions& options) {
  if (options.run_at && options.delay) refuse("run_at", "and delay exclude each other");
  if (options.run_at && (*options.run_at < Time{} || *options.run_at > run_at_max)) {
    refuse("run_at", "lies between the years 1970 and 9999");
  }
  if (options.delay && *options.delay < Duration::zero()) refuse("delay", "must not be negative");
}

}  // namespace

void check_name(std::string_view what, std::string_view name) { check_line(what, name, 1, 200); }

void check(const NewJob& job) {
  const EnqueueOptions& options = job.options;
  check_name("kind", job.kind);
  check_name("queue", options.queue);
  check_body("payload", job.payload, payload_bytes_max);
  if (options.priority < 0 || options.priority > 9) refuse("priority", "is 0 (first) to 9 (last)");
  check_when(options);
  if (options.max_attempts && (*options.max_attempts < 1 || *options.max_attempts > 1'000'000)) {
    refuse("max_attempts", "is 1 to 1000000");
  }
  if (options.timeout && (*options.timeout < std::chrono::milliseconds(1) ||
                          *options.timeout > std::chrono::days(365))) {
    refuse("timeout", "is 1 ms to a year");
  }
  check_line("group", options.group, 0, 200);
  if (options.unique_key) check_line("unique_key", *options.unique_key, 1, 500);
  if (options.headers) check_body("headers", *options.headers, headers_bytes_max);
  if (options.message_id) check_name("message_id", *options.message_id);
  if (options.trace) check_line("trace", *options.trace, 0, 500);
}

void check_operator(std::string_view actor, std::string_view reason) {
  check_line("actor", actor, 1, 200);
  if (reason.empty()) refuse("reason", "must not be empty");
  if (characters(reason) > 2000) refuse("reason", "has at most 2000 characters");
  check_body("reason", reason, 8000);
}

}  // namespace holdfast::queue
