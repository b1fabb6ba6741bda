#pragma once
/// \file
/// .loc directives to the lines that users see.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace warpmind::simulator::ptx {

struct SourcePlace {
  int file = 0;
  int line = 0;
};

/// Collects the .loc directives of a module. Files are known only at its end, so places are
/// resolved then.
class SourceLines {
 public:
  struct Position {
    int file = 0;
    int line = 0;
    int column = 0;
    bool operator<(const Position& other) const {
      return std::tie(file, line, column) < std::tie(other.file, other.line, other.column);
    }
  };

  /// Index of a place, for resolve(). `caller` is null for code that is not inlined; otherwise it
  /// is the position of the call, which an earlier .loc has introduced with its own caller.
  int add(const Position& position, const Position* caller);
  /// A new function: the positions of the last one are forgotten.
  void begin_function() { latest_.clear(); }
  /// The place itself when it lies in `main_file`; else the nearest call in that file that led to
  /// it; else the place itself.
  [[nodiscard]] SourcePlace resolve(int index, int main_file) const;

 private:
  struct Place {
    SourcePlace place;
    int caller = -1;  ///< always smaller than the own index
  };
  int append(const Position& position, int caller);

  std::vector<Place> places_;
  std::map<Position, int> latest_;
};

/// The file that users wrote: the first one that ends in ".cu", since a header may come before it;
/// else the first; 0 when there is none.
[[nodiscard]] int find_main_file(const std::map<int, std::string>& files);

}  // namespace warpmind::simulator::ptx
