// Prints what has to be compiled for the points of a table, one build a line:
//   NAME FILE -DCONSTANT=VALUE …
// validation_builds points.toml; with --points one line a point: id, build, bytes of buffers.

#include "tests/bench/validation/point_table.h"

#include <cstdio>
#include <set>
#include <string>

using namespace warpmind;

int main(int argc, char** argv) {
  const bool points_wanted = argc == 3 && std::string(argv[1]) == "--points";
  if (argc != 2 && !points_wanted) {
    std::fprintf(stderr, "usage: validation_builds [--points] points.toml\n");
    return 2;
  }
  const auto points = validation::read_points(argv[argc - 1]);
  if (!points) {
    std::fprintf(stderr, "validation_builds: %s\n", points.error().message.c_str());
    return 1;
  }
  std::set<std::string> seen;
  for (const validation::Point& point : *points) {
    if (points_wanted) {
      std::printf("%s %s %lld\n", point.id.c_str(), point.build.c_str(),
                  static_cast<long long>(validation::bytes_of_buffers(point)));
    } else if (seen.insert(point.build).second) {
      std::string line = point.build + " " + point.file;
      for (const auto& [name, value] : point.plan.constants) {
        line += " -D" + name + "=" + std::to_string(value);
      }
      std::printf("%s\n", line.c_str());
    }
  }
  return 0;
}
