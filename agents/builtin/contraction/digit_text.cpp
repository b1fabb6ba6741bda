#include "agents/builtin/contraction/digit_text.h"

#include "base/sequence.h"
#include "base/text.h"

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<char, 3> kLetters{'x', 'y', 'z'};

std::string divider(std::size_t axis) { return DigitText::extent(axis) + "_divider"; }

}  // namespace

std::string DigitText::extent(std::size_t axis) { return "wm_extent_" + std::to_string(axis); }

std::string DigitText::digit(std::size_t axis) { return "wm_digit_" + std::to_string(axis); }

std::string DigitText::whole_extent(std::size_t axis) { return "wm_whole_" + std::to_string(axis); }

std::string DigitText::joined_digits(std::size_t quotient) {
  return digit(quotient) + " * " + extent(quotient - 1) + " + " + digit(quotient - 1);
}

std::string DigitText::joined(const std::vector<std::string>& factors) {
  return factors.empty() ? "1u" : join_text(factors, " * ");
}

std::string DigitText::product(const std::vector<std::size_t>& axes) {
  std::vector<std::string> factors;
  factors.reserve(axes.size());
  for (const std::size_t axis : axes) factors.push_back(extent(axis));
  return joined(factors);
}

std::string DigitText::dividers(const std::vector<std::size_t>& axes) {
  std::string text;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    text += "  const wm_divider " + divider(axes[i]) + "(" + extent(axes[i]) + ");\n";
  }
  return text;
}

/// What the digit of `axis` adds to its coordinate.
std::string DigitText::place(std::size_t axis) const {
  using Part = OutputAxis::Part;
  const auto& axes = what_->outputs.axes;
  std::vector<std::string> factors{digit(axis)};
  if (axes[axis].part == Part::quotient) factors.push_back(extent(axis - 1));
  for (std::size_t i = 0; i < axis; ++i) {
    if (axes[i].dimension != axes[axis].dimension || axes[i].part == Part::remainder) continue;
    factors.push_back(axes[i].part == Part::quotient ? whole_extent(i) : extent(i));
  }
  return joined(factors);
}

/// The digits that the number `name` (row, column or batch) is made of.
std::string DigitText::digits_of(const std::string& name, const std::vector<std::size_t>& axes) {
  std::string text;
  std::string rest = "wm_" + name;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::string value = rest;
    if (i + 1 < axes.size()) {
      const std::string above = "wm_" + name + "_above_" + std::to_string(i);
      text.append("    const unsigned ").append(above).append(" = ").append(divider(axes[i]));
      text.append(".quotient(").append(rest).append(");\n");
      value.append(" - ").append(above).append(" * ").append(extent(axes[i]));
      rest = above;
    }
    text += "    const unsigned " + digit(axes[i]) + " = " + value + ";\n";
  }
  return text;
}

std::string DigitText::virtual_thread(const std::vector<std::string>& names,
                                      const std::string& code) const {
  std::string text;
  std::array<std::string, 3> coordinates;
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& axes) {
    const bool given = contains(names, name);
    if (given) text += digits_of(name, axes);
    for (const std::size_t axis : axes) {
      if (!given && code.find(digit(axis)) != std::string::npos) {
        text += "    const unsigned " + digit(axis) + " = 0u;\n";
      }
      if (!given) continue;
      auto& coordinate = coordinates.at(what_->outputs.axes[axis].dimension);
      coordinate += (coordinate.empty() ? "" : " + ") + place(axis);
    }
  };
  add("row", what_->sides[0].axes);
  add("column", what_->sides[1].axes);
  add("batch", what_->batch);
  return text + index_structs(coordinates, code);
}

std::string DigitText::index_structs(const std::array<std::string, 3>& coordinates,
                                     const std::string& code) const {
  const auto& block = what_->launches.front().shape.block;
  const bool threads_used = code.find("wm_thread") != std::string::npos;
  const bool blocks_used = code.find("wm_block.") != std::string::npos;
  std::string text;
  std::array<std::string, 3> threads;
  std::array<std::string, 3> blocks;
  std::array<std::string, 3> sizes;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string name = std::string("wm_") + kLetters.at(d);
    sizes.at(d) = std::to_string(block.at(d)) + "u";
    const std::size_t to = what_->outputs.mapping.blocks.at(d);
    const bool first = coordinates.at(d).empty();
    if (!first && (threads_used || blocks_used)) {
      text += "    const unsigned " + name + " = " + coordinates.at(d) + ";\n";
    }
    const bool single = block.at(d) == 1;
    threads.at(d) = first || single ? "0u" : name + " % " + sizes.at(d);
    blocks.at(to) = first ? "0u" : (single ? name : name + " / " + sizes.at(d));
  }
  const auto structure = [&](bool used, const std::string& name,
                             const std::array<std::string, 3>& parts) {
    if (!used) return;
    text +=
        "    const wm_index " + name + "{" + parts[0] + ", " + parts[1] + ", " + parts[2] + "};\n";
  };
  structure(threads_used, "wm_thread", threads);
  structure(blocks_used, "wm_block", blocks);
  structure(code.find("wm_block_dim") != std::string::npos, "wm_block_dim", sizes);
  return text;
}

}  // namespace warpmind::agents::builtin
