#pragma once
/// \file
/// Kernels in which one thread works on one row: the row's number, the guards in front of its work,
/// and its statements as text for any other thread.

#include "agents/builtin/forms/normal_form.h"
#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/scene.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// What stands before a row's loop: a statement, or a condition under which there is no work.
struct RowItem {
  NodeId node = kNoNode;  ///< statement, or the condition
  bool is_guard = false;
  bool leaves = false;  ///< of a guard: the thread returns where it holds
};

/// Reads launch `launch` of the plan. `scene` must outlive it.
class ThreadRows {
 public:
  /// Errors: not_found with a clause that says why a thread of the kernel has no row of its own.
  [[nodiscard]] static Result<ThreadRows> read(const Scene& scene, std::size_t launch);

  [[nodiscard]] const Function& function() const { return body_->function(); }
  [[nodiscard]] const KernelBody& body() const { return *body_; }
  [[nodiscard]] std::size_t launch() const { return launch_; }
  [[nodiscard]] const Local& row() const { return *row_; }
  /// In order, guards looked through.
  [[nodiscard]] const std::vector<RowItem>& items() const { return items_; }
  /// How many rows there are, in the language of plans.
  [[nodiscard]] const std::string& count() const { return count_; }
  /// In one launch.
  [[nodiscard]] std::int64_t count_of(const SceneLaunch& launch) const;
  /// "unsigned long long" where rows are counted with 64 bits.
  [[nodiscard]] std::string index_type() const;

  /// Whether the expression differs from row to row because of the row's number.
  [[nodiscard]] bool depends_on_row(NodeId expression) const { return depends(expression, 0); }
  /// The items in front of `target` that the names in `needed` come from; with guards: these, too.
  [[nodiscard]] std::vector<RowItem> items_before(NodeId target, std::set<std::string_view> needed,
                                                  bool with_guards) const;
  /// These as text, a line each; a guard returns where there is no work. Needs a `wm_row`.
  [[nodiscard]] std::string before(NodeId target, const std::set<std::string_view>& needed,
                                   bool with_guards) const;
  /// All of a row's work with `edits`, as a block without braces. Needs a `wm_row`.
  [[nodiscard]] std::string work(std::vector<TextEdit> edits) const;
  /// Names at or below `node`.
  [[nodiscard]] std::set<std::string_view> names_in(NodeId node) const;

  /// The given parameters as members of a problem and what the launch gives them, and last
  /// `wm_row_count`.
  [[nodiscard]] std::vector<std::string> parameters() const;
  [[nodiscard]] std::vector<std::string> arguments() const;
  /// Elements of the buffer bound to that parameter, in the language of plans; empty: not known.
  [[nodiscard]] std::string elements_of(const std::string& parameter) const;
  /// Why what `node` reads may be written elsewhere in the kernel, or empty.
  [[nodiscard]] std::string obstacle_to_reading(NodeId node) const;

 private:
  ThreadRows(const Scene& scene, std::size_t launch, const Function& function);

  std::string find_row();
  std::string find_positions();
  std::string find_items();
  std::string find_count();
  [[nodiscard]] bool is_row_number(const Local& local) const;
  /// With the values of locals behind it.
  [[nodiscard]] std::string expanded_text(NodeId expression, int depth) const;
  [[nodiscard]] bool depends(NodeId expression, int depth) const;
  [[nodiscard]] std::string text(NodeId node) const;
  [[nodiscard]] std::string row_line() const;

  const Scene* scene_ = nullptr;
  std::size_t launch_ = 0;
  std::unique_ptr<KernelBody> body_;
  std::vector<SceneLaunch> launches_;
  const Local* row_ = nullptr;
  NodeId row_loop_ = kNoNode;  ///< where a thread takes one row after another
  std::set<NodeId> dropped_;   ///< declarations that only the row's number is made of
  std::vector<RowItem> items_;
  std::string count_;
};

/// Elements of the buffer bound to the parameter `root`; 0: not known.
[[nodiscard]] std::int64_t extent_of(const SceneLaunch& launch, const std::string& root);

/// The forms of all launches whose rows a `Reader(scene, rows)` can read: its `read()` says why it
/// cannot, or nothing. Errors: not_found with the first reason.
template <class Reader>
[[nodiscard]] Result<std::vector<NormalForm>> forms_of_thread_rows(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::string refusal;
  for (std::size_t launch = 0; launch < scene.plan().launches.size(); ++launch) {
    std::string why;
    if (auto rows = ThreadRows::read(scene, launch)) {
      Reader reader(scene, std::move(*rows));
      why = reader.read();
      if (why.empty()) forms.push_back(reader.form());
    } else {
      why = rows.error().message;
    }
    if (refusal.empty()) refusal = std::move(why);
  }
  if (forms.empty()) {
    return fail(Errc::not_found, refusal.empty() ? "the plan launches nothing" : refusal);
  }
  return forms;
}

}  // namespace warpmind::agents::builtin
