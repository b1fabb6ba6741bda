#!/usr/bin/env python3
"""Whether what the docs and the sources point to is there. Prints each dead reference; exit 1 if there is one.

Checked are links of tracked Markdown files to files and to headings (`page.md#heading`), and every mention of
`docs/….md` in a tracked text. Addresses (https://…) and code blocks are not looked at.
"""
import argparse
import pathlib
import re
import sys

from house_table import tracked_files

_MENTION = re.compile(r'\bdocs/[\w./-]+\.md\b')
_TEXTS = ('.md', '.h', '.cpp', '.cu', '.cuh', '.py', '.sh', '.txt', '.cmake', '.toml', '.ts', '.mjs', '.lua')


def without_code(text):
    """Markdown without fenced blocks and without `code`."""
    return re.sub(r'`[^`\n]*`', '', re.sub(r'^(```|~~~).*?^\1', '', text, flags=re.DOTALL | re.MULTILINE))


def anchors(text):
    """The names that GitHub gives to a page's headings."""
    headings = re.findall(r'^#+ +(.+?) *$', re.sub(r'^```.*?^```', '', text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    plain = [re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading) for heading in headings]
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in plain}


def dead_links(root, name):
    """(target, what is missing) of each dead link of a Markdown file."""
    page = root / name
    for target in re.findall(r'\]\(([^)\s]+)\)', without_code(page.read_text())):
        path, _, heading = target.partition('#')
        to = (page.parent / path).resolve() if path else page
        if re.match(r'[a-z]+:', target):
            continue
        if not to.exists():
            yield target, 'no such file'
        elif heading and to.suffix == '.md' and heading not in anchors(to.read_text()):
            yield target, 'no such heading'


def dead_references(root, tracked):
    """(file, target, what is missing) of the tree; test data, and the trees of tools' own tests, are left alone."""
    root = pathlib.Path(root).resolve()
    for name in tracked:
        if re.match(r'tests/data/|tests/tools/\w+_test\.py', name) or not name.endswith(_TEXTS):
            continue
        if name.endswith('.md'):
            yield from ((name, target, why) for target, why in dead_links(root, name))
        for mention in sorted(set(_MENTION.findall((root / name).read_text(errors='replace')))):
            if not (root / mention).exists() and not (root / name).parent.joinpath(mention).exists():
                yield name, mention, 'no such file'


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('--root', default=pathlib.Path(__file__).parents[2], help='the checkout; default: this one')
    root = options.parse_args().root
    dead = list(dead_references(root, tracked_files(root)))
    for name, target, why in dead:
        print(f'{name}: {target}: {why}')
    if not dead:
        print('links hold')
    return 1 if dead else 0


if __name__ == '__main__':
    sys.exit(main())
