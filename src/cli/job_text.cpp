#include "cli/job_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/format.hpp"

namespace holdfast::cli {

namespace {

/// Lines of a name and a value; names are padded so that values stand below each other.
class Lines {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{:<16} {}\n", name, for_terminal(value));
  }

  void add_if(std::string_view name, const std::optional<std::string>& value) {
    if (value) add(name, *value);
  }

  /// Text of several lines stands below its name, moved in.
  void add_block(std::string_view name, std::string_view value) {
    const std::string safe = for_terminal_lines(value);
    if (safe.find('\n') == std::string::npos) {
      text_ += fmt::format("{:<16} {}\n", name, safe);
      return;
    }
    text_ += fmt::format("{}\n  ", name);
    for (const char c : safe) text_ += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text_ += '\n';
  }

  std::string take() {
    text_.erase(text_.find_last_not_of('\n') + 1);
    return std::move(text_);
  }

 private:
  std::string text_;
};

std::string attempts_text(const JobRow& job) {
  if (!job.max_attempts) return std::to_string(job.attempt);
  return fmt::format("{} of {}", job.attempt, *job.max_attempts);
}

void add_lease(Lines& lines, const JobRow& job) {
  lines.add("attempt", attempts_text(job));
  lines.add("fence", std::to_string(job.fence));
  if (job.claim_id) lines.add("claim", std::to_string(*job.claim_id));
  lines.add_if("worker", job.worker);
}

void add_options(Lines& lines, const JobRow& job) {
  lines.add("priority", std::to_string(job.priority));
  if (job.timeout) lines.add("timeout", format_duration(*job.timeout));
  if (!job.group.empty()) lines.add("group", job.group);
  lines.add_if("unique key", job.unique_key);
  lines.add("revision", std::to_string(job.revision));
  if (job.rearmed) lines.add("re-armed", "runs again with a newer payload after this attempt");
  if (job.replay_of) lines.add("replay of", std::to_string(*job.replay_of));
  lines.add_if("headers", job.headers);
  lines.add_if("message id", job.message_id);
  lines.add_if("trace", job.trace);
}

}  // namespace

std::string state_text(const JobRow& job) {
  std::string text(to_string(job.state));
  if (job.lease_expired) text += " (lease expired)";
  if (job.cancel_requested) text += " (cancel requested)";
  return text;
}

std::string job_text(const JobRow& job, const std::string& idempotency_key) {
  Lines lines;
  lines.add("job", std::to_string(job.id));
  lines.add("state", state_text(job));
  lines.add("queue", job.queue);
  lines.add("kind", job.kind);
  lines.add("enqueued", format_time(job.enqueued_at));
  lines.add("due", format_time(job.run_at));
  if (job.finished_at) lines.add("finished", format_time(*job.finished_at));
  add_lease(lines, job);
  add_options(lines, job);
  lines.add("idempotency key", idempotency_key);
  if (job.last_failure) lines.add("failure class", to_string(*job.last_failure));
  if (job.last_error) lines.add_block("last error", *job.last_error);
  lines.add_block("payload", job.payload);
  return lines.take();
}

}  // namespace holdfast::cli
