"""What is known for a kernel: search_base.py "words" [KERNEL.cu]"""

import sys

import warpmind

words, *files = sys.argv[1:]
kernel = open(files[0], encoding="utf-8").read() if files else None
with warpmind.connect() as client:
    found = client.search(words, kernel=kernel, limit=5)
    for insight in found.insights:
        print(f"{insight.id[:10]}  {insight.score:.2f}  {insight.state}: {insight.claim}")
    print(f"{len(found.insights)} of {found.documents} insights. {found.note}")
