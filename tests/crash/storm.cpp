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
    if (between(1, 25) == 1) {
      for (Part& part : parts_) kill(part);
      for (Part& part : parts_) start(part);
    } else {
      strike(parts_.at(static_cast<std::size_t>(between(0, static_cast<int>(parts_.size()) - 1))));
    }
  }
}

void Storm::strike(Part& part) {
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
