// What the built-in agent makes of programs: parsed, lifted, rewritten, built, run in the
// simulator.
//   builtin_coverage FOLDER [--moves=2] [--steps=262144] [--jobs=2] [--only=TEXT]
// FOLDER holds NAME.cu and NAME.record, as record_level1.sh writes them. Of each technique the
// first `moves` moves are tried; kernels that take more than `steps` basic blocks of warps a launch
// are built but not run (0: none is run). Ends with 1 when a rewrite does not build or computes
// something else.

#include "tests/bench/builtin_coverage/coverage_table.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <thread>

namespace {

using namespace warpmind;
namespace fs = std::filesystem;

struct Order {
  fs::path folder;
  coverage::TrialLimits limits;
  std::size_t jobs = 2;
  std::string only;
};

bool read_number(std::string_view argument, std::string_view key, auto& value) {
  if (!argument.starts_with(key)) return false;
  argument.remove_prefix(key.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  return error == std::errc() && end == argument.data() + argument.size();
}

bool read_order(int argc, char** argv, Order& order) {
  constexpr std::string_view kOnly = "--only=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kOnly)) {
      order.only = argument.substr(kOnly.size());
    } else if (!argument.starts_with("--") && order.folder.empty()) {
      order.folder = argument;
    } else if (!read_number(argument, "--moves=", order.limits.moves) &&
               !read_number(argument, "--steps=", order.limits.steps) &&
               !read_number(argument, "--jobs=", order.jobs)) {
      return false;
    }
  }
  return fs::is_directory(order.folder) && order.jobs > 0;
}

std::vector<fs::path> sources_of(const Order& order) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(order.folder)) {
    const auto& path = entry.path();
    const bool wanted = path.stem().string().find(order.only) != std::string::npos;
    if (path.extension() == ".cu" && wanted) sources.push_back(path);
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

std::vector<coverage::ProgramTrial> try_all(const rewrites::KernelBuilder& builder,
                                            const Order& order) {
  const auto sources = sources_of(order);
  std::vector<coverage::ProgramTrial> programs(sources.size());
  std::atomic<std::size_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      fs::path record = sources[i];
      record.replace_extension(".record");
      programs[i] = coverage::try_program(builder, sources[i], record, order.limits);
      const std::lock_guard lock(printing);
      coverage::print_program(programs[i]);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < order.jobs; ++i) threads.emplace_back(work);
  threads.clear();
  return programs;
}

}  // namespace

int main(int argc, char** argv) {
  Order order;
  if (!read_order(argc, argv, order)) {
    std::fprintf(stderr,
                 "usage: builtin_coverage FOLDER [--moves=2] [--steps=262144] [--jobs=2] "
                 "[--only=TEXT]\n");
    return 2;
  }
  const auto builder = rewrites::KernelBuilder::create();
  if (!builder) {
    std::printf("skipped: %s\n", builder.error().message.c_str());
    return 77;
  }
  return coverage::print_summary(try_all(*builder, order)) == 0 ? 0 : 1;
}
