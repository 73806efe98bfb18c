#include "crash/storm.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace holdfast::test {

Storm::Storm(Plan plan) : plan_(std::move(plan)), random_(plan_.seed) {
  for (int i = 0; i < plan_.producers; ++i) parts_.push_back({"produce", "p" + std::to_string(i)});
  for (int i = 0; i < plan_.workers; ++i) parts_.push_back({"work", "w" + std::to_string(i)});
  for (Part& part : parts_) start(part);
}

void Storm::rage(int kills) {
  while (kills_ < kills) {
    std::this_thread::sleep_for(std::chrono::milliseconds(between(2, 60)));
    wake_the_paused(false);
    if (const int what = between(1, 25); what == 1) {
      for (Part& part : parts_) kill(part);
      for (Part& part : parts_) start(part);
    } else if (what <= 5) {
      pause(anybody());
    } else {
      strike(anybody());
    }
  }
  wake_the_paused(true);
}

Storm::Part& Storm::anybody() {
  return parts_.at(static_cast<std::size_t>(between(0, static_cast<int>(parts_.size()) - 1)));
}

void Storm::pause(Part& part) {
  if (part.role != "work" || part.goes_on_at) return;
  part.child->signal(SIGSTOP);
  part.goes_on_at =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(between(1200, 2500));
  ++pauses_;
}

void Storm::wake_the_paused(bool all) {
  const auto now = std::chrono::steady_clock::now();
  for (Part& part : parts_) {
    if (!part.goes_on_at || (!all && now < *part.goes_on_at)) continue;
    part.goes_on_at.reset();
    part.child->signal(SIGCONT);
  }
}

void Storm::strike(Part& part) {
  if (part.goes_on_at) return;  // else hardly anyone would live to wake up
  kill(part);
  start(part);
  if (between(1, 10) > 1) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(between(0, 15)));
  kill(part);
  start(part);
}

void Storm::start(Part& part) {
  part.child.emplace(AgentOptions{.role = part.role,
                                  .database = plan_.database,
                                  .directory = plan_.directory,
                                  .name = part.name + "." + std::to_string(++part.starts),
                                  .seed = random_()});
}

void Storm::kill(Part& part) {
  if (const auto ended = part.child->ended()) {
    surprises_.push_back(part.child->name() + " had ended with " + std::to_string(*ended));
  }
  part.child->kill();
  part.goes_on_at.reset();
  ++kills_;
}

void Storm::stop_producing() {
  for (Part& part : parts_) {
    if (part.role == "produce") kill(part);
  }
}

void Storm::stop_working() {
  for (Part& part : parts_) part.child->signal(SIGTERM);
  for (Part& part : parts_) {
    if (const int ending = part.child->wait(); ending != 0) {
      surprises_.push_back(part.child->name() + " left with " + std::to_string(ending));
    }
  }
}

int Storm::between(int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random_);
}

}  // namespace holdfast::test
