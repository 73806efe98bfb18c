#include <array>
#include <string_view>
#include <utility>

#include "holdfast/job.hpp"

namespace holdfast {

namespace {

template <class E>
using Names = std::pair<E, std::string_view>;

constexpr std::array<Names<JobState>, 8> state_names{{{JobState::scheduled, "scheduled"},
                                                      {JobState::retrying, "retrying"},
                                                      {JobState::ready, "ready"},
                                                      {JobState::running, "running"},
                                                      {JobState::succeeded, "succeeded"},
                                                      {JobState::cancelled, "cancelled"},
                                                      {JobState::discarded, "discarded"},
                                                      {JobState::quarantined, "quarantined"}}};

constexpr std::array<Names<FailureClass>, 5> failure_names{
    {{FailureClass::application, "application"},
     {FailureClass::external, "external"},
     {FailureClass::data, "data"},
     {FailureClass::lost, "lost"},
     {FailureClass::timeout, "timeout"}}};

template <class Table, class E>
std::string_view name_of(const Table& table, E value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class E, class Table>
std::optional<E> value_of(const Table& table, std::string_view name) {
  for (const auto& [value, known] : table) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(JobState state) { return name_of(state_names, state); }
std::optional<JobState> job_state(std::string_view name) {
  return value_of<JobState>(state_names, name);
}

std::string_view to_string(FailureClass failure) { return name_of(failure_names, failure); }
std::optional<FailureClass> failure_class(std::string_view name) {
  return value_of<FailureClass>(failure_names, name);
}

std::string_view to_string(Enqueued::What what) {
  switch (what) {
    case Enqueued::What::created: return "created";
    case Enqueued::What::kept: return "kept";
    case Enqueued::What::replaced: return "replaced";
    case Enqueued::What::rejected: return "rejected";
  }
  return "unknown";
}

}  // namespace holdfast
