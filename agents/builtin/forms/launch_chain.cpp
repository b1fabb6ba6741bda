#include "agents/builtin/forms/launch_chain.h"

#include "agents/builtin/forms/row_values.h"
#include "agents/builtin/loops/scene_loops.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(const Scene& scene, LaunchChain& chain) : scene_(scene), chain_(chain) {}

  /// Returns why the launch cannot be the next, or nothing.
  std::string add(std::size_t launch) {
    const Function* function = scene_.function_of(launch);
    if (function == nullptr) return "a kernel is not defined once";
    auto only = only_launch(scene_, *function);
    if (!only) return only.error().message;
    if (!chain_.launches.empty() && only->grid != chain_.launches.front().grid) {
      return "'" + function->name + "' runs on another grid";
    }
    const Launch& given = scene_.plan().launches[launch];
    if (given.arguments.size() != function->parameters.size()) return "its arguments do not fit";
    if (!chain_.functions.empty() && !reads_what_is_stored(*function, given)) {
      return "'" + function->name + "' reads nothing that the launch in front of it stores";
    }
    add_parameters(*function, given);
    add_shapes(launch);
    chain_.launches.push_back(std::move(*only));
    chain_.functions.push_back(function);
    return {};
  }

 private:
  [[nodiscard]] bool reads_what_is_stored(const Function& function, const Launch& given) const {
    const Function& earlier = *chain_.functions.back();
    const Launch& before = scene_.plan().launches[chain_.launches.back().launch];
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (!function.parameters[i].is_pointer) continue;
      for (std::size_t j = 0; j < earlier.parameters.size(); ++j) {
        const Parameter& stored = earlier.parameters[j];
        const bool is_written = stored.is_pointer && !stored.is_const;
        if (is_written && before.arguments[j] == given.arguments[i]) return true;
      }
    }
    return false;
  }

  void add_parameters(const Function& function, const Launch& given) {
    auto& names = chain_.names.emplace_back();
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const Parameter& one = function.parameters[i];
      const std::size_t at = place_of(one, given.arguments[i]);
      if (at < chain_.parameters.size()) {
        // What one of them writes is not constant.
        if (!one.is_const) {
          chain_.parameters[at].type = one.type;
          chain_.parameters[at].is_const = false;
        }
      } else {
        Parameter shown = one;
        shown.name = free_name(one.name);
        chain_.parameters.push_back(std::move(shown));
        chain_.arguments.push_back(given.arguments[i]);
      }
      names.emplace(one.name, chain_.parameters[at]);
    }
  }

  /// Of a parameter that is given the same and has the same type; their number: there is none.
  [[nodiscard]] std::size_t place_of(const Parameter& one, const std::string& argument) const {
    std::size_t at = 0;
    for (; at < chain_.parameters.size(); ++at) {
      const Parameter& other = chain_.parameters[at];
      if (chain_.functions.empty() || chain_.arguments[at] != argument) continue;
      if (one.is_pointer == other.is_pointer &&
          plain_type(one.base_type) == plain_type(other.base_type)) {
        break;
      }
    }
    return at;
  }

  [[nodiscard]] std::string free_name(const std::string& wanted) const {
    const auto is_taken = [&](const std::string& name) {
      return std::any_of(chain_.parameters.begin(), chain_.parameters.end(),
                         [&](const Parameter& one) { return one.name == name; });
    };
    std::string name = wanted;
    for (int number = 2; is_taken(name); ++number) {
      name = "wm_" + wanted + "_" + std::to_string(number);
    }
    return name;
  }

  void add_shapes(std::size_t launch) {
    const auto& names = chain_.names.back();
    for (SceneLaunch shape : scene_.launches_of(launch)) {
      SceneLaunch shown = shape;
      shown.scalars.clear();
      shown.reals.clear();
      shown.extents.clear();
      shown.buffers.clear();
      const bool is_first = chain_.functions.empty();
      auto known =
          std::find_if(chain_.shapes.begin(), chain_.shapes.end(),
                       [&](const SceneLaunch& one) { return one.workload == shape.workload; });
      if (is_first) known = chain_.shapes.insert(chain_.shapes.end(), std::move(shown));
      if (known == chain_.shapes.end()) continue;
      const auto rename = [&](const auto& from, auto& to) {
        for (const auto& [name, value] : from) to.insert_or_assign(names.at(name).name, value);
      };
      rename(shape.scalars, known->scalars);
      rename(shape.reals, known->reals);
      rename(shape.extents, known->extents);
      rename(shape.buffers, known->buffers);
    }
  }

  const Scene& scene_;
  LaunchChain& chain_;
};

}  // namespace

Result<LaunchChain> launch_chain(const Scene& scene, std::size_t first, std::size_t count) {
  LaunchChain chain;
  ChainBuilder builder(scene, chain);
  for (std::size_t i = first; i < first + count; ++i) {
    if (auto why = builder.add(i); !why.empty()) return fail(Errc::not_found, std::move(why));
  }
  // Names were noted before a later kernel made one of them not constant.
  for (auto& names : chain.names) {
    for (auto& [name, shown] : names) {
      for (const Parameter& one : chain.parameters) {
        if (one.name == shown.name) shown = one;
      }
    }
  }
  return chain;
}

BufferNames buffer_names(const LaunchChain& chain) {
  return [&chain](const std::string& root) {
    std::string name = root;
    for (const SceneLaunch& shape : chain.shapes) {
      const auto bound = shape.buffers.find(root);
      if (bound == shape.buffers.end()) continue;
      for (const auto& [parameter, buffer] : shape.buffers) {
        if (buffer == bound->second) name = std::min(name, parameter);
      }
    }
    return name;
  };
}

}  // namespace warpmind::agents::builtin
