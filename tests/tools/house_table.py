#!/usr/bin/env python3
"""The shape of the tree as a table: sizes, twins, copies, names. Prints and fails nothing.

    tests/tools/house_table.py [--root DIR] [--files N] [--functions N] [--twins] [--orphans]

Beside each figure stand those of four projects of the same kind, counted in the same way on 2026-11-26: ccache e573138,
clio cffda52, nvbench 66212f1, rmm 5d50a37, and this tree at 4cfc320. Product C++ is every .h, .cpp, .cu and .cuh file
that git tracks below PRODUCT; tests and docs have rows of their own.

Each measure is defined where it is computed. On 4cfc320 this script gives the figures recorded then within 1 %, but
for: same-name copies (968 instead of 1009: copies through a call other than std::move are not seen), structs (1430
instead of 1458: those inside functions are not seen), twins (184 instead of 183), docs lines (see is_page).
"""
import argparse
import collections
import itertools
import math
import os
import pathlib
import re
import statistics
import subprocess

import cpp_outline

PRODUCT = ('base', 'syntax', 'config', 'daemon', 'knowledge_base', 'profilers', 'agents', 'clients')
SOURCES = ('.cpp', '.cu')
HEADERS = ('.h', '.cuh')
VAGUE = ('run', 'apply', 'of')

# Rows of the models: 4cfc320, ccache, clio, nvbench, rmm. Rows that are not here have no counterpart there.
MODELS = {
    'files / lines': ('1742 / 162227', '161 / 32674', '332 / 51537', '113 / 17904', '119 / 12985'),
    'headers / sources': ('838 / 904', '92 / 69', '223 / 109', '73 / 40', '73 / 46'),
    'file length, median / p90 / max': ('66 / 205 / 498', '94 / 445 / 3242', '126 / 300 / 1330', '107 / 306 / 1310',
                                        '87 / 189 / 983'),
    'header, source length, median': ('39, 112', '64, 163', '126, 130', '99, 123', '96, 55'),
    'files under 40 lines': ('30 %', '11 %', '5 %', '6 %', '20 %'),
    'folders (files each)': ('77 (23)', '7 (23)', '31 (11)', '4 (28)', '9 (13)'),
    'functions; per source': ('9088; 9.0', '977; 10.1', '1417; 6.2', '847; 9.5', '595; 6.0'),
    'function length, median / p90 / max': ('8 / 22 / 128', '8 / 44 / 1052', '7 / 31 / 196', '5 / 23 / 330',
                                            '5 / 13 / 72'),
    'includes a file, all / project': ('5.5 / 2.7', '8.2 / 4.5', '13.2 / 4.0', '7.8 / 3.5', '5.6 / 2.8'),
    'types; per 1000 lines': ('2041; 12.6', '155; 4.7', '417; 8.1', '108; 6.0', '86; 6.6'),
    'struct / class / enum': ('1458 / 418 / 165', '43 / 75 / 37', '182 / 221 / 14', '84 / 16 / 8', '23 / 61 / 2'),
    'headers with one type': ('29 %', '47 %', '38 %', '42 %', '56 %'),
    'sources that export one function': ('254 (28 %)', '17 %', '12 %', '10 %', '8 %'),
    'sources with one function in all': ('64 (7 %)', '13 %', '10 %', '7 %', '8 %'),
    'sources without a header of their name': ('221 (24 %)', '2 (3 %)', '1 (1 %)', '1 (3 %)', '-'),
    'classes in >= 2 sources (>= 3)': ('10 (5)', '0', '0', '1 (0)', '-'),
    'headers with one includer': ('36 %', '22 %', '42 %', '43 %', '-'),
    'function name, characters / words': ('10.2 / 1.84', '13.4 / 2.4', '10.9 / 2.1', '15.4 / 2.7', '13.8 / 2.2'),
    'functions named run, apply, of': ('250', '', '', '', ''),
    'functions named ..._of': ('660 (7 %)', '0', '3', '0', '0'),
    'near-identical struct pairs': ('183', '1', '114', '6', '-'),
    'same-name copies; per 1000 lines': ('1009; 6.2', '0.2', '0.5', '0.0', '-'),
    'interfaces; one implementation': ('27; 13', '6; 0', '31; 16', '3; 1', '0'),
    'comments per 100 lines': ('9.8', '10.2', '31.1', '12.2', '68.6'),
    'test C++ lines : product': ('0.56', '0.34', '1.05', '0.48', '0.65'),
    'docs lines; per 100 product': ('9397; 5.8', '8428; 26', '1423; 3', '2312; 13', '6538; 50'),
}


class Tree:
    """The tracked files of a checkout and the outlines of its product C++."""

    def __init__(self, root, tracked=None):
        self.root = pathlib.Path(root)
        self.tracked = sorted(tracked if tracked is not None else tracked_files(root))
        self.texts = {name: self.text(name) for name in self.tracked
                      if name.split('/')[0] in PRODUCT and name.endswith(SOURCES + HEADERS)}
        self.outlines = {name: cpp_outline.outline(text) for name, text in self.texts.items()}
        self.sources = [name for name in self.texts if name.endswith(SOURCES)]
        self.headers = [name for name in self.texts if name.endswith(HEADERS)]

    def text(self, name):
        return (self.root / name).read_text(errors='replace')

    def lines(self, name):
        return self.texts[name].count('\n')

    def product_lines(self):
        return sum(self.lines(name) for name in self.texts)

    def functions(self):
        """(file, function) of every definition with a body; calls of macros that look like one are left out."""
        return [(name, one) for name, outline in self.outlines.items() for one in outline.functions
                if not re.fullmatch(r'[A-Z][A-Z0-9_]*', one.name)]

    def types(self):
        return [(name, one) for name, outline in self.outlines.items() for one in outline.types]


def tracked_files(root):
    """Files that git tracks; of a tree without git all files but those of build folders and packages of npm."""
    root = pathlib.Path(root)
    listed = subprocess.run(['git', '-C', str(root), 'ls-files', '-z'], capture_output=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.decode().split('\0') if name and (root / name).is_file()]
    names = [path.relative_to(root).as_posix() for path in root.rglob('*') if path.is_file()]
    return [name for name in names if not re.search(r'(^|/)(build|node_modules|\.[^/]*)/', name)]


def percentile(values, share):
    """The nearest-rank percentile; 0 for no values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0


def median(values):
    return f'{statistics.median(values):.0f}' if values else '-'


def average(values):
    return sum(values) / max(1, len(values))


def share(part, whole):
    return f'{100 * part / whole:.0f} %' if whole else '-'


def stem(name):
    return os.path.splitext(name)[0]


def struct_twins(tree):
    """Pairs of structs of headers that share at least four field names, and 60 % of those of the smaller one.

    Types of the fields are not compared: a copy usually changes one of them. Structs of sources are left out, because
    no other file can know them."""
    structs = [(name, one) for name, one in tree.types()
               if one.kind == 'struct' and name in tree.headers and len(one.fields) >= 4]
    twins = []
    for (file_a, a), (file_b, b) in itertools.combinations(structs, 2):
        shared = len(a.fields.keys() & b.fields.keys())
        if shared >= 4 and shared >= 0.6 * min(len(a.fields), len(b.fields)):
            twins.append((shared, f'{file_a}:{a.line} {a.name}', f'{file_b}:{b.line} {b.name}'))
    return sorted(twins, reverse=True)


_COPY = re.compile(r'(?:\.|->)(\w+)\s*=\s*(?:std::move\()?[*&]?[\w:\[\]().]*(?:->)?[\w:\[\]().]*(?:\.|->)\1\b\)?\s*'
                   r'[,;})]')


def same_name_copies(tree):
    """Lines that copy a field to a field of the same name: `a.x = b.x;`, `.x = b->x,`, `a.x = std::move(b.x);`."""
    return sum(1 for text in tree.texts.values() for line in cpp_outline.blanked(text).split('\n')
               if _COPY.search(line))


def orphans(tree):
    """C++ sources without a header of their name beside them. A main.cpp counts; a .cu file, which is text for a
    compiler that runs later, does not."""
    return [name for name in tree.sources
            if name.endswith('.cpp') and not any(stem(name) + end in tree.texts for end in HEADERS)]


def exported(tree, name):
    """Functions of a source that another file can call: neither static nor in an unnamed namespace."""
    return [one for one in tree.outlines[name].functions if not one.local]


def spread_classes(tree):
    """Class -> sources of one folder that define its members; classes of a source itself are left out."""
    where = collections.defaultdict(set)
    for name in tree.sources:
        own = {one.name for one in tree.outlines[name].types}
        for one in tree.outlines[name].functions:
            if one.owner and one.owner not in own:
                where[one.owner, os.path.dirname(name)].add(name)
    return where


def single_includers(tree):
    """Headers that one file includes, besides the source of their name."""
    by = collections.defaultdict(set)
    for name, outline in tree.outlines.items():
        for target, quoted in outline.includes:
            if quoted and stem(target) != stem(name):
                by[target].add(name)
    return [name for name in tree.headers if len(by[name]) == 1]


def interfaces(tree):
    """Types with a pure virtual function -> number of product types that derive from them."""
    derived = collections.Counter(base for _, one in tree.types() for base in one.bases)
    return {one.name: derived[one.name] for _, one in tree.types() if one.pure}


def comments_per_100(tree):
    """Lines with a comment, alone or behind code, per 100 lines. An address in a string is no comment."""
    strings = re.compile(r'"(?:\\.|[^"\\\n])*"')
    comments = 0
    for text in tree.texts.values():
        marked = re.sub(r'/\*.*?\*/', lambda found: re.sub(r'[^\n]+', '//', found.group()), strings.sub('""', text),
                        flags=re.DOTALL)
        comments += sum('//' in line for line in marked.split('\n'))
    return 100 * comments / max(1, tree.product_lines())


def is_page(name):
    """Whether a tracked file is documentation: Markdown that is neither test data nor a prompt."""
    return name.endswith('.md') and not name.startswith(('tests/', 'config/'))


def measured(tree):
    """(row, value) in the order of the table."""
    names = [one.name for _, one in tree.functions() if re.match(r'[a-z]', one.name)]
    words = [len([word for word in name.split('_') if word]) for name in names]
    lengths = [one.lines for _, one in tree.functions()]
    kinds = collections.Counter(one.kind for _, one in tree.types())
    sizes = [tree.lines(name) for name in tree.texts]
    lines = tree.product_lines()
    folders = {os.path.dirname(name) for name in tree.texts}
    includes = [quoted for outline in tree.outlines.values() for _, quoted in outline.includes]
    one_type = [name for name in tree.headers if len(tree.outlines[name].types) == 1]
    export_one = [name for name in tree.sources if len(exported(tree, name)) == 1]
    one_in_all = [name for name in tree.sources if len(tree.outlines[name].functions) == 1]
    lone = orphans(tree)
    spread = [len(files) for files in spread_classes(tree).values()]
    behind = interfaces(tree)
    test_lines = sum(tree.text(name).count('\n') for name in tree.tracked
                     if name.startswith('tests/') and name.endswith(SOURCES + HEADERS))
    doc_lines = sum(tree.text(name).count('\n') for name in tree.tracked if is_page(name))
    copies = same_name_copies(tree)
    of = [name for name in names if name.endswith('_of')]
    vague = collections.Counter(name for name in names if name in VAGUE)
    long_functions = sum(1 for length in lengths if length > 60)
    per_source = average([len(tree.outlines[name].functions) for name in tree.sources])
    cpp = [name for name in tree.sources if name.endswith('.cpp')]
    files = len(tree.texts)
    return [
        ('files / lines', f'{files} / {lines}'),
        ('headers / sources', f'{len(tree.headers)} / {len(tree.sources)}'),
        ('file length, median / p90 / max', f'{median(sizes)} / {percentile(sizes, 0.9)} / {max(sizes, default=0)}'),
        ('header, source length, median', ', '.join(median([tree.lines(name) for name in group])
                                                    for group in (tree.headers, tree.sources))),
        ('files under 40 lines', share(sum(1 for size in sizes if size < 40), files)),
        ('folders (files each)', f'{len(folders)} ({files / len(folders):.0f})' if folders else '0'),
        ('functions; per source', f'{len(lengths)}; {per_source:.1f}'),
        ('function length, median / p90 / max',
         f'{median(lengths)} / {percentile(lengths, 0.9)} / {max(lengths, default=0)}'),
        ('functions over 60 lines', str(long_functions)),
        ('includes a file, all / project',
         f'{len(includes) / max(1, files):.1f} / {sum(includes) / max(1, files):.1f}'),
        ('types; per 1000 lines', f'{sum(kinds.values())}; {1000 * sum(kinds.values()) / max(1, lines):.1f}'),
        ('struct / class / enum', f"{kinds['struct']} / {kinds['class']} / {kinds['enum']}"),
        ('headers with one type', share(len(one_type), len(tree.headers))),
        ('sources that export one function', f'{len(export_one)} ({share(len(export_one), len(tree.sources))})'),
        ('sources with one function in all', f'{len(one_in_all)} ({share(len(one_in_all), len(tree.sources))})'),
        ('sources without a header of their name', f'{len(lone)} ({share(len(lone), len(cpp))})'),
        ('classes in >= 2 sources (>= 3)', f'{sum(n >= 2 for n in spread)} ({sum(n >= 3 for n in spread)})'),
        ('headers with one includer', share(len(single_includers(tree)), len(tree.headers))),
        ('function name, characters / words', f'{average([len(name) for name in names]):.1f} / {average(words):.2f}'),
        ('functions named run, apply, of', f'{sum(vague.values())} ({", ".join(str(vague[name]) for name in VAGUE)})'),
        ('functions named ..._of', f'{len(of)} ({share(len(of), len(lengths))})'),
        ('near-identical struct pairs', str(len(struct_twins(tree)))),
        ('same-name copies; per 1000 lines', f'{copies}; {1000 * copies / max(1, lines):.1f}'),
        ('interfaces; one implementation', f'{len(behind)}; {sum(n == 1 for n in behind.values())}'),
        ('comments per 100 lines', f'{comments_per_100(tree):.1f}'),
        ('test C++ lines : product', f'{test_lines / max(1, lines):.2f}'),
        ('docs lines; per 100 product', f'{doc_lines}; {100 * doc_lines / max(1, lines):.1f}'),
    ]


# What the figures are meant to move towards. Directions, not limits: where the better code misses one, it stays.
DIRECTIONS = {
    'near-identical struct pairs': '<= 20',
    'same-name copies; per 1000 lines': '<= 1.0 per 1000',
    'sources without a header of their name': '<= 3 %',
    'files / lines': '<= 1000 / <= 145000',
    'functions named run, apply, of': '<= 20',
}


def rendered(rows):
    """The table as text, a row a line."""
    heads = ('', 'this tree', 'direction', '4cfc320', 'ccache', 'clio', 'nvbench', 'rmm')
    table = [heads] + [(row, value, DIRECTIONS.get(row, ''), *MODELS.get(row, ('',) * 5)) for row, value in rows]
    widths = [max(len(line[column]) for line in table) for column in range(len(heads))]
    return '\n'.join('  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table)


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('--root', default=pathlib.Path(__file__).parents[2], help='the checkout; default: this one')
    options.add_argument('--files', type=int, default=0, metavar='N', help='list the N longest files, too')
    options.add_argument('--functions', type=int, default=0, metavar='N', help='list the N longest functions, too')
    options.add_argument('--twins', action='store_true', help='list the near-identical structs, too')
    options.add_argument('--orphans', action='store_true', help='list the sources without a header, too')
    chosen = options.parse_args()
    tree = Tree(chosen.root)
    print(rendered(measured(tree)))
    for name in sorted(tree.texts, key=lambda name: -tree.lines(name))[:chosen.files]:
        print(f'{tree.lines(name):4} lines  {name}')
    for name, one in sorted(tree.functions(), key=lambda entry: -entry[1].lines)[:chosen.functions]:
        print(f'{one.lines:4} lines  {name}:{one.line} {one.name}')
    for shared, a, b in struct_twins(tree) if chosen.twins else []:
        print(f'{shared:3} fields  {a}  {b}')
    for name in orphans(tree) if chosen.orphans else []:
        print(f'no header  {name}')


if __name__ == '__main__':
    main()
