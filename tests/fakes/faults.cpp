#include "tests/fakes/faults.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace warpmind {
namespace {

/// Set before the base is opened; its threads only read it.
struct Plan {
  std::string point;
  std::atomic<int> hits_left = 0;
  std::atomic<knowledge_base::SeededBug> bug = knowledge_base::SeededBug::none;
  std::function<int(const char*)> failure;
};

Plan& plan() {
  static Plan the_plan;
  return the_plan;
}

}  // namespace

namespace knowledge_base::fault_on {

void reached(const char* point) {
  if (plan().point == point && --plan().hits_left == 0) ::kill(::getpid(), SIGKILL);
}

int failure(const char* operation) { return plan().failure ? plan().failure(operation) : 0; }

bool seeded(SeededBug bug) { return plan().bug == bug; }

}  // namespace knowledge_base::fault_on

namespace fakes {

void kill_at(std::string point, int hit) {
  plan().point = std::move(point);
  plan().hits_left = hit;
}

void seed(knowledge_base::SeededBug bug) { plan().bug = bug; }

void on_operation(std::function<int(const char*)> failure) { plan().failure = std::move(failure); }

void arm_from_environment() {
  if (const char* point = std::getenv("FAULT_POINT")) {
    const char* hit = std::getenv("FAULT_HIT");
    kill_at(point, hit == nullptr ? 1 : std::atoi(hit));
  }
  if (const char* bug = std::getenv("FAULT_BUG")) {
    seed(static_cast<knowledge_base::SeededBug>(std::atoi(bug)));
  }
}

}  // namespace fakes
}  // namespace warpmind
