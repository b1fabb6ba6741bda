# Which sources may share a translation unit. Reads lines "TARGET PATH" and prints "GROUP TARGET PATH"
# for the sources that share one; the others compile alone.
# Two sources share one when no name that is private to the one (unnamed namespace, static, constant,
# alias, macro) is a name of the other or of a header of this tree that only the other sees, and when no
# two headers define a type of the same name. Names are found in column 0, where clang-format puts what
# is declared in a namespace.
# Sources with fault points share units with one another alone: fault tests put objects of their own in
# the place of exactly these (tests/unit/kb_faults).
# Variables: root (the top folder, with a slash at its end), most (sources in one unit).

# The name that a line declares, or "".
function declared(line,   first) {
  if (line ~ /^#define /) {
    first = line; sub(/^#define +/, "", first); sub(/[^A-Za-z0-9_].*/, "", first)
    return first
  }
  sub(/^\[\[[a-z_]+\]\] /, "", line)
  if (line !~ /^[A-Za-z_].*[={;([]/ || line ~ /^(namespace|using namespace|template|extern|friend)/)
    return ""
  if (line ~ /^(struct|class|union|enum) /) {
    sub(/^(struct|class|union|enum (class |struct )?) */, "", line)
    sub(/^(class|struct) /, "", line)
    sub(/[^A-Za-z0-9_:].*/, "", line)
  } else {
    sub(/[={;([].*/, "", line)
    sub(/[^A-Za-z0-9_:]+$/, "", line)
    sub(/.*[^A-Za-z0-9_:]/, "", line)
  }
  return line ~ /:/ || line ~ /^[A-Z][A-Z0-9_]*$/ || line ~ /^operator/ ? "" : line
}

# Reads a file once: names[FILE], private_names[FILE] and types[FILE], each between spaces, and
# includes[FILE].
function read(file,   line, name, unnamed, status) {
  if (file in names) return
  names[file] = private_names[file] = types[file] = " "
  while ((status = (getline line < file)) > 0) {
    if (line == "namespace {") unnamed = 1
    if (line ~ /^}  \/\/ namespace$/) unnamed = 0
    if (line ~ /^#include "/) {
      sub(/^#include "/, "", line); sub(/".*/, "", line)
      includes[file] = includes[file] root line "\n"
    } else if ((name = declared(line)) != "") {
      names[file] = names[file] name " "
      if (file ~ /\.cpp$/ && (unnamed || line !~ /^[A-Za-z_].*\(/ || line ~ /^static /))
        private_names[file] = private_names[file] name " "
      if (file ~ /\.h$/ && line ~ /^(struct|class|union|enum) .*\{/)
        types[file] = types[file] name " "
    }
  }
  close(file)
}

# Adds to seen[] every header of this tree that a file includes, however deep.
function visit(file, seen,   list, i, n) {
  if (file in seen) return
  seen[file]
  read(file)
  n = split(includes[file], list, "\n")
  for (i = 1; i < n; i++) visit(list[i], seen)
}

# Whether a group takes a file; seen[] holds what the file sees.
function fits(group, file, seen,   list, i, n, other, visible) {
  n = split(private_names[file], list, " ")
  visible = " "
  for (other in seen) if (other != file) visible = visible names[other]
  for (i = 1; i <= n; i++)
    if (index(group_names[group], " " list[i] " ") && !index(visible, " " list[i] " ")) return 0
  for (other in seen) {
    if ((group, other) in group_sees) continue
    n = split(names[other], list, " ")
    for (i = 1; i <= n; i++) if (index(group_private[group], " " list[i] " ")) return 0
    n = split(types[other], list, " ")
    for (i = 1; i <= n; i++)
      if ((group, list[i]) in group_type && !(group_type[group, list[i]] in seen)) return 0
  }
  return 1
}

function join(group, file, seen,   list, i, n, other) {
  size[group]++
  members[group] = members[group] file "\n"
  group_private[group] = group_private[group] private_names[file]
  for (other in seen) {
    if ((group, other) in group_sees) continue
    group_sees[group, other]
    group_names[group] = group_names[group] names[other]
    n = split(types[other], list, " ")
    for (i = 1; i <= n; i++) group_type[group, list[i]] = other
  }
}

{
  target = $1
  file = substr($0, length($1) + 2)
  split("", seen)
  visit(file, seen)
  if (!(target in first)) first[target] = groups + 1
  faulty = index(includes[file], "/fault_points.h\n") > 0
  for (group = first[target]; group <= groups; group++)
    if (owner[group] == target && has_faults[group] == faulty && size[group] < most && fits(group, file, seen)) break
  if (group > groups) {
    groups = group
    owner[group] = target
    has_faults[group] = faulty
    group_names[group] = group_private[group] = " "
  }
  join(group, file, seen)
}

END {
  for (group = 1; group <= groups; group++) {
    if (size[group] < 2) continue
    n = split(members[group], list, "\n")
    for (i = 1; i < n; i++) print group, owner[group], list[i]
  }
}
