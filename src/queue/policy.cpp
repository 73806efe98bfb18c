#include "queue/policy.hpp"

#include <algorithm>

#include "store/rows.hpp"

namespace holdfast::queue {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using store::Sql;

namespace {

/// More than a century of them is a century: sums with other times stay in range.
std::optional<Duration> optional_ms(const Row& row, int column) {
  constexpr std::int64_t century = std::int64_t{100} * 365 * 24 * 3600 * 1000;
  if (row.is_null(column)) return std::nullopt;
  return milliseconds(std::min(row.integer(column), century));
}

/// A retry policy exists when its curve is set; columns that are null keep the default.
std::optional<RetryPolicy> read_retry(const Row& row, int first_column) {
  if (row.is_null(first_column)) return std::nullopt;
  RetryPolicy policy;
  policy.curve = row.text(first_column) == "power" ? RetryPolicy::Curve::power
                                                   : RetryPolicy::Curve::exponential;
  policy.base = optional_ms(row, first_column + 1).value_or(policy.base);
  if (!row.is_null(first_column + 2)) policy.exponent = row.real(first_column + 2);
  policy.cap = optional_ms(row, first_column + 3).value_or(policy.cap);
  if (!row.is_null(first_column + 4)) policy.jitter = row.real(first_column + 4);
  return policy;
}

Value ms(const std::optional<Duration>& duration) {
  if (!duration) return null;
  return std::int64_t{duration_cast<milliseconds>(*duration).count()};
}

void write_kind(store::Access access, std::string_view name, const Kind& kind,
                std::string_view worker, Time now) {
  const auto& retry = kind.retry();
  const bool power = retry && retry->curve == RetryPolicy::Curve::power;
  access.run(Sql::write_kind,
             {name, std::int64_t{kind.has_hooks()}, ms(kind.timeout()),
              retry ? Value{std::int64_t{retry->max_attempts}} : Value{null},
              retry ? Value{std::string_view(power ? "power" : "exponential")} : Value{null},
              retry ? ms(retry->base) : Value{null}, retry ? Value{retry->exponent} : Value{null},
              retry ? ms(retry->cap) : Value{null}, retry ? Value{retry->jitter} : Value{null},
              store::micros(now), worker});
}

}  // namespace

Policies::Rule Policies::read_rule(const Row& row, int first_column) {
  Rule rule;
  rule.timeout = optional_ms(row, first_column);
  if (!row.is_null(first_column + 1)) {
    rule.max_attempts = static_cast<int>(row.integer(first_column + 1));
  }
  rule.retry = read_retry(row, first_column + 2);
  return rule;
}

void Policies::take_queue(const Row& row) {
  Rule rule = read_rule(row, 3);
  rule.lease = optional_ms(row, 2);
  if (rule.lease) rule.lease = std::min<Duration>(*rule.lease, lease_max);
  queues_.emplace(std::string(row.text(1)), rule);
}

void Policies::take_kind(const Row& row) {
  Rule rule = read_rule(row, 3);
  rule.has_hooks = row.integer(2) != 0;
  kinds_.emplace(std::string(row.text(1)), rule);
}

House Policies::read_house(store::Access access, Time now) {
  House house;
  access.run(Sql::read_house, {store::micros(now)}, [&](const Row& row) {
    switch (row.integer(0)) {
      case 0: house.claims = static_cast<House::Claims>(row.integer(2)); return;
      case 1: house.policies.take_queue(row); return;
      default: house.policies.take_kind(row); return;
    }
  });
  return house;
}

Policies Policies::read(store::Access access) { return read_house(access, {}).policies; }

const Policies::Rule* Policies::find(const Rules& rules, std::string_view name) {
  const auto place = rules.find(name);
  return place == rules.end() ? nullptr : &place->second;
}

RetryPolicy Policies::retry(const JobRow& job) const {
  RetryPolicy policy;
  const Rule* kind = find(kinds_, job.kind);
  const Rule* queue = find(queues_, job.queue);
  for (const Rule* rule : {queue, kind}) {
    if (rule == nullptr) continue;
    const int attempts = rule->max_attempts.value_or(policy.max_attempts);
    if (rule->retry) policy = *rule->retry;
    policy.max_attempts = attempts;
  }
  policy.max_attempts = job.max_attempts.value_or(policy.max_attempts);
  return policy;
}

std::optional<Duration> Policies::timeout(const JobRow& job) const {
  if (job.timeout) return job.timeout;
  const Rule* kind = find(kinds_, job.kind);
  if (kind != nullptr && kind->timeout) return kind->timeout;
  const Rule* queue = find(queues_, job.queue);
  return queue == nullptr ? std::nullopt : queue->timeout;
}

Duration Policies::lease(std::string_view queue, Duration usual) const {
  const Rule* rule = find(queues_, queue);
  return rule == nullptr ? usual : rule->lease.value_or(usual);
}

Duration Policies::longest_lease(Duration usual) const {
  Duration longest = usual;
  for (const auto& [queue, rule] : queues_) longest = std::max(longest, rule.lease.value_or(usual));
  return longest;
}

bool Policies::has_hooks(std::string_view kind) const {
  const Rule* rule = find(kinds_, kind);
  return rule != nullptr && rule->has_hooks;
}

void write_kinds(store::Access access, const Handlers& handlers, std::string_view worker,
                 Time now) {
  for (const auto& name : handlers.names()) {
    write_kind(access, name, *handlers.find(name), worker, now);
  }
}

}  // namespace holdfast::queue
