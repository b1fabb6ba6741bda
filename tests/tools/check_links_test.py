"""check_links.py on a small tree with one dead reference of each kind."""
import pathlib
import tempfile
import unittest

import check_links

TREE = {
    'README.md': '[good](docs/a.md#two-words-here) [up](https://example.org/none) `[code](none.md)`\n'
                 '```\n[block](none.md)\n# no heading\n```\n[gone](docs/none.md)\n',
    'docs/a.md': '# Two words, `here`\n[self](#two-words-here) [bad](#no-heading) [other](b.md#one) ![](none.png)\n',
    'docs/b.md': '# Two\n',
    'base/a.h': '/// See docs/a.md and docs/old.md.\n',
    'tests/data/page.md': '[theirs](nowhere.md)\n',
}


class Links(unittest.TestCase):
    def test_finds_each_dead_reference_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in TREE.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(list(check_links.dead_references(root, TREE)), [
                ('README.md', 'docs/none.md', 'no such file'),
                ('README.md', 'docs/none.md', 'no such file'),
                ('docs/a.md', '#no-heading', 'no such heading'),
                ('docs/a.md', 'b.md#one', 'no such heading'),
                ('docs/a.md', 'none.png', 'no such file'),
                ('base/a.h', 'docs/old.md', 'no such file'),
            ])


if __name__ == '__main__':
    unittest.main()
