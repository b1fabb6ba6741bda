"""Makes the wheel (PEP 517) out of this folder with the standard library alone, so that installing the
client downloads nothing. A wheel is a zip file of the package beside three files about it.

`build_backend.py TREE FOLDER` makes the wheel that holds the programs, too: TREE is what
cmake/packaging/stage.sh made. Installers put its bin/ on PATH and the rest into the same prefix, so the
programs find their libraries as in the other packages."""

import base64
import hashlib
import os
import re
import sys
import time
import zipfile
from pathlib import Path

NAME = "warpmind"
SUMMARY = "Makes CUDA kernels faster and remembers what worked: the programs and their Python client"
HERE = Path(__file__).resolve().parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / NAME / "__init__.py").read_text())[1]
ABOUT = f"{NAME}-{VERSION}.dist-info"
# What nvcc needs to build a kernel, and CUPTI and the disassembler for profiles.
CUDA13 = ("nvcc", "crt", "runtime", "cccl", "cupti", "cuobjdump", "nvdisasm")
EXTRA = "".join(
    f'Requires-Dist: {package}~=13.0; extra == "cuda13"\n'
    for package in [f"nvidia-cuda-{part}" for part in CUDA13] + ["nvidia-nvvm"]
)
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: {SUMMARY}
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: cuda13
{EXTRA}Description-Content-Type: text/markdown

"""
# Programs of Debian 12 (glibc 2.36); of the client alone, any system.
PLATFORM = "py3-none-manylinux_2_36_x86_64"
ANYWHERE = "py3-none-any"


def contents(tree, tag):
    """Everything in the wheel but its list: name in the wheel, bytes, mode."""
    for file in sorted((HERE / NAME).rglob("*")):
        if file.suffix == ".py" or file.name == "py.typed":
            yield file.relative_to(HERE).as_posix(), file.read_bytes(), 0o644
    for file in sorted(path for path in tree.rglob("*") if path.is_file()) if tree else []:
        name = file.relative_to(tree).as_posix()
        scheme = "scripts/" + name[4:] if name.startswith("bin/") else "data/" + name
        yield f"{NAME}-{VERSION}.data/{scheme}", file.read_bytes(), file.stat().st_mode & 0o777
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    yield f"{ABOUT}/METADATA", (METADATA + readme).encode(), 0o644
    wheel = f"Wheel-Version: 1.0\nGenerator: warpmind\nRoot-Is-Purelib: {str(not tree).lower()}\nTag: {tag}\n"
    yield f"{ABOUT}/WHEEL", wheel.encode(), 0o644


def make_wheel(folder, tree=None):
    """Writes the wheel, with the programs in `tree` if there is one; answers the name of the file."""
    tag = PLATFORM if tree else ANYWHERE
    wheel = f"{NAME}-{VERSION}-{tag}.whl"
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)))[:6]
    listed = ""
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)

        for name, data, mode in contents(tree, tag):
            add(name, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            listed += f"{name},sha256={digest},{len(data)}\n"
        add(f"{ABOUT}/RECORD", (listed + f"{ABOUT}/RECORD,,\n").encode(), 0o644)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip and other installers for `pip install clients/python`: the client alone."""
    return make_wheel(wheel_directory)


if __name__ == "__main__":
    print(make_wheel(sys.argv[2], Path(sys.argv[1])))
