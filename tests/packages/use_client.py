"""What a wheel gives a Python program: use_client.py VERSION. The client starts the daemon of the wheel, and that
serves the dashboard, not the notice that stands in for it where npm was missing."""

import gzip
import subprocess
import sys
import urllib.request
from pathlib import Path

import warpmind

assert warpmind.__version__ == sys.argv[1], warpmind.__version__
with warpmind.connect() as client:
    assert client.status()["version"] == sys.argv[1], client.status()

program = Path(sys.executable).parent / "warpmind"
address = subprocess.run([program, "dashboard"], stdout=subprocess.PIPE, check=True).stdout.decode()
request = urllib.request.Request(address.split("#")[0], headers={"Accept-Encoding": "gzip"})
with urllib.request.urlopen(request) as page:
    text = gzip.decompress(page.read()).decode()
assert "/assets/index-" in text, text
