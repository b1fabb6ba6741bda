"""The outline of C++ and the measures of house_table.py, on small trees with known figures."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cpp_outline
import house_table


def outline(text):
    return cpp_outline.outline(text)


def functions(text):
    return {(one.owner, one.name): one for one in outline(text).functions}


class Functions(unittest.TestCase):
    def test_free_member_and_operator(self):
        found = functions('namespace a::b {\n'
                          'Result<std::map<int, X>> find_all(const X& x = {}) noexcept {\n  return x;\n}\n'
                          'void Lane::run() { }\n'
                          'bool operator==(const X& a, const X& b) { return true; }\n'
                          'struct Y { int size() const { return 1; } explicit operator bool() const { return true; } };\n'
                          '}\n')
        self.assertEqual(set(found), {('', 'find_all'), ('Lane', 'run'), ('', 'operator=='), ('Y', 'size'),
                                      ('Y', 'operatorbool')})
        self.assertEqual((found['', 'find_all'].line, found['', 'find_all'].lines), (2, 3))

    def test_what_is_local(self):
        found = functions('namespace {\nint hidden() { return 1; }\n}\nstatic int unseen() { return 2; }\n'
                          'int seen() { return 3; }\n')
        self.assertEqual({name: one.local for (_, name), one in found.items()},
                         {'hidden': True, 'unseen': True, 'seen': False})

    def test_constructor_with_a_list_of_members(self):
        found = functions('Lane::Lane(int a, std::string b) : a_{a}, b_(std::move(b)), c_{1, {2}} {\n  begin();\n}\n'
                          'int after() { return 0; }\n')
        self.assertEqual(set(found), {('Lane', 'Lane'), ('', 'after')})
        self.assertEqual(found['Lane', 'Lane'].lines, 3)

    def test_values_and_lambdas_are_no_functions(self):
        found = functions('const std::vector<Row> kRows = {{1, "a{"}, {2, "b"}};\n'
                          'const auto kStep = [](int a) { if (a) { return 1; } return 2; };\n'
                          'Row row{3, "c"};\nint after() { return 0; }\n')
        self.assertEqual(set(found), {('', 'after')})

    def test_braces_in_text_comments_and_directives(self):
        found = functions('// {\n/* { */\n#define OPEN { \\\n  {\nconst char* kText = R"x({ " )x";\n'
                          "int after() { return '{' + 1'000; }\nint last() { return 0; }\n")
        self.assertEqual(set(found), {('', 'after'), ('', 'last')})


class Types(unittest.TestCase):
    def test_fields_with_and_without_a_default(self):
        found = outline('struct Job {\n  std::string id;\n  std::map<int, std::string> names = {};\n  int a = 0, b;\n'
                        '  std::optional<double> usd{};  ///< note\n  static constexpr int kMost = 3;\n'
                        '  int size() const;\n  unsigned long steps;\n  bool open : 1;\n  enum class K { one, two };\n'
                        '  K kind = K::one;\n};\n').types
        job = next(one for one in found if one.name == 'Job')
        self.assertEqual(list(job.fields), ['id', 'names', 'a', 'b', 'usd', 'steps', 'open', 'kind'])
        self.assertEqual([(one.kind, one.name, one.nested) for one in found],
                         [('enum', 'K', True), ('struct', 'Job', False)])

    def test_interface_and_its_implementation(self):
        found = outline('class Lab {\n public:\n  virtual ~Lab() = default;\n  virtual int judge(int) = 0;\n};\n'
                        'class Fake final : public Lab, private Base<Lab> {\n int judge(int) override;\n};\n').types
        self.assertEqual([(one.name, one.pure, one.bases) for one in found],
                         [('Lab', True, []), ('Fake', False, ['Lab', 'Base'])])

    def test_a_function_that_returns_a_struct_is_no_type(self):
        found = outline('struct Job make(int a) { return {}; }\nstruct Later;\n')
        self.assertEqual((found.types, [one.name for one in found.functions]), ([], ['make']))


TREE = {
    'base/a.h': '#pragma once\n#include <string>\nstruct A { int one; int two; int three; int four; };\n',
    'base/a.cpp': '#include "base/a.h"\nint run() { return 1; }\n',
    'base/b.h': '#include "base/a.h"\nstruct B {\n  int one, two, three;\n  double four;\n  int five;\n};\n'
                'struct C { int one; int two; int three; int six; };\n',
    'base/orphan.cpp': '#include "base/a.h"\n// a note\nnamespace {\nint apply() { return 1; }\n}\n'
                       'B b_of(const A& a) {\n  B b;\n  b.one = a.one;\n  b.two = std::move(a.two);\n'
                       '  b.three = a.four;\n  return b;\n}\n'
                       'B c_of(const A* a) { return {.one = a->one, .two = 2}; }\n',
    'agents/templates/t.cu': 'void t() {}\n',
    'tests/unit/t.cpp': 'int run() { return 1; }\n' * 4,
    'docs/x.md': 'text\n' * 5,
    'tests/data/x.md': 'text\n' * 50,
}


class Measures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name, text in TREE.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.tree = house_table.Tree(self.root, TREE)

    def test_twins_share_four_names_and_most_of_the_smaller(self):
        # A and B share four; C shares three with either.
        self.assertEqual([(shared, a.split()[1], b.split()[1]) for shared, a, b in house_table.struct_twins(self.tree)],
                         [(4, 'A', 'B')])

    def test_copies_are_lines_with_the_same_name_on_both_sides(self):
        self.assertEqual(house_table.same_name_copies(self.tree), 3)

    def test_orphans_are_sources_for_the_compiler_of_the_product(self):
        self.assertEqual(house_table.orphans(self.tree), ['base/orphan.cpp'])

    def test_headers_that_one_other_file_includes(self):
        self.assertEqual(house_table.single_includers(self.tree), [])  # a.h: b.h and orphan.cpp; b.h: none
        without = dict(TREE)
        del without['base/orphan.cpp']
        self.assertEqual(house_table.single_includers(house_table.Tree(self.root, without)), ['base/a.h'])

    def test_the_table(self):
        rows = dict(house_table.measured(self.tree))
        self.assertEqual(rows['files / lines'], '5 / 26')
        self.assertEqual(rows['headers / sources'], '2 / 3')
        self.assertEqual(rows['functions; per source'], '5; 1.7')
        self.assertEqual(rows['functions named run, apply, of'], '2 (1, 1, 0)')
        self.assertEqual(rows['functions named ..._of'], '2 (40 %)')
        self.assertEqual(rows['sources without a header of their name'], '1 (50 %)')
        self.assertEqual(rows['comments per 100 lines'], '3.8')
        self.assertEqual(rows['test C++ lines : product'], '0.15')
        self.assertEqual(rows['docs lines; per 100 product'], '5; 19.2')

    def test_an_empty_tree_has_a_table_too(self):
        rows = dict(house_table.measured(house_table.Tree(self.root, [])))
        self.assertEqual((rows['files / lines'], rows['sources without a header of their name']), ('0 / 0', '0 (-)'))

    def test_every_row_of_the_models_and_directions_is_measured(self):
        rows = dict(house_table.measured(self.tree))
        self.assertEqual(set(house_table.MODELS) - set(rows), set())
        self.assertEqual(set(house_table.DIRECTIONS) - set(rows), set())

    def test_a_tree_without_git_is_read_without_what_was_built(self):
        for name in ('build/ci/made.cpp', 'clients/vscode/node_modules/a/b.h', '.hidden/c.h'):
            (self.root / name).parent.mkdir(parents=True)
            (self.root / name).write_text('int made;\n')
        self.assertEqual(set(house_table.tracked_files(self.root)), set(TREE))

    def test_prints_the_table_of_a_checkout_and_what_is_asked_for(self):
        git = ['git', '-C', str(self.root)]
        subprocess.run([*git, 'init', '--quiet'], check=True)
        subprocess.run([*git, 'add', '--all'], check=True)
        script = pathlib.Path(house_table.__file__)
        printed = subprocess.run([sys.executable, str(script), '--root', str(self.root), '--files', '1', '--functions',
                                  '1', '--twins', '--orphans'], check=True, capture_output=True, text=True).stdout
        self.assertRegex(printed, r'near-identical struct pairs +1 +<= 20 +183')
        self.assertIn('13 lines  base/orphan.cpp\n', printed)
        self.assertIn('7 lines  base/orphan.cpp:6 b_of\n', printed)
        self.assertIn('base/a.h:3 A  base/b.h:2 B\n', printed)
        self.assertIn('no header  base/orphan.cpp\n', printed)


if __name__ == '__main__':
    unittest.main()
