#include "cli/exec_handler.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/format.hpp"

namespace holdfast::cli {

namespace {

/// The tail of stderr starts where 4 KiB reach back to, which may be inside a character.
std::string_view from_character(std::string_view tail) {
  for (int i = 0; i < 3 && !tail.empty(); ++i) {
    if ((static_cast<unsigned char>(tail.front()) & 0xc0U) != 0x80U) break;
    tail.remove_prefix(1);
  }
  return tail;
}

std::string_view trimmed(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::string reason_of(const CommandResult& result) {
  const std::string said = for_storage(trimmed(from_character(result.stderr_tail)));
  if (!said.empty()) return said;
  if (result.signal) return fmt::format("killed by signal {}", *result.signal);
  return fmt::format("exit status {}", result.status.value_or(-1));
}

}  // namespace

std::vector<std::string> environment_of(const JobRow& job, std::string_view idempotency_key) {
  return {
      fmt::format("HOLDFAST_JOB_ID={}", job.id),
      fmt::format("HOLDFAST_KIND={}", job.kind),
      fmt::format("HOLDFAST_QUEUE={}", job.queue),
      fmt::format("HOLDFAST_ATTEMPT={}", job.attempt),
      fmt::format("HOLDFAST_FENCE={}", job.fence),
      fmt::format("HOLDFAST_CLAIM={}", job.claim_id.value_or(0)),
      fmt::format("HOLDFAST_IDEMPOTENCY_KEY={}", idempotency_key),
  };
}

Outcome outcome_of(const CommandResult& result) {
  if (result.status == 0) return done();
  if (result.status == exit_temporary_failure) {
    return retry(reason_of(result), FailureClass::external);
  }
  if (result.status == exit_data_error) return quarantine(reason_of(result), FailureClass::data);
  return retry(reason_of(result), FailureClass::application);
}

Handler exec_handler(std::string command, CommandLimits limits) {
  return [command = std::move(command), limits](Run& run) {
    const auto environment = environment_of(run.job(), run.idempotency_key());
    return outcome_of(run_command(command, run.job().payload, environment, run.stop(), limits));
  };
}

}  // namespace holdfast::cli
