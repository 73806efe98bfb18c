// How fast is Holdfast beside the same SQL by hand? What `holdfast bench` measures, on both
// databases.

#include "answer.hpp"
#include "arena.hpp"
#include "bench/suite.hpp"

namespace holdfast::bench {
namespace {

std::string unit_of(const Figure& figure) {
  switch (figure.unit) {
    case Unit::per_second: return "/s";
    case Unit::milliseconds: return "ms";
    case Unit::count: break;
  }
  return "";
}

void ask_all(Answer& answer) {
  Producer producer;  // forks, so it comes before the server and its thread
  Arena arena;
  const Plan plan{.jobs = answer.jobs()};
  arena.on_both([&](Ground& ground, const std::string& name, const std::string& key) {
    for (const Figure& figure : measure(ground, producer, plan)) {
      answer.add({key + "_" + figure.key, name + ", " + figure.what, figure.holdfast,
                  unit_of(figure), figure.floor});
    }
  });
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 50'000);
  const int status = run_program([&] { ask_all(answer); });
  answer.print();
  return status;
}
