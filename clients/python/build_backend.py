"""Makes the wheel (PEP 517) out of this folder with the standard library alone, so that installing the
client downloads nothing. A wheel is a zip file of the package beside three files about it."""

import base64
import hashlib
import zipfile
from pathlib import Path

NAME, VERSION = "warpmind", "0.1.0"
SUMMARY = "Client of warpmindd, the daemon that makes CUDA kernels faster and remembers what worked"
HERE = Path(__file__).resolve().parent
ABOUT = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: {SUMMARY}
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: warpmind\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def contents():
    """Everything in the wheel but its list: name in the wheel, bytes."""
    for file in sorted((HERE / NAME).rglob("*")):
        if file.suffix == ".py" or file.name == "py.typed":
            yield file.relative_to(HERE).as_posix(), file.read_bytes()
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    yield f"{ABOUT}/METADATA", (METADATA + readme).encode()
    yield f"{ABOUT}/WHEEL", WHEEL.encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip and other installers; answers the name of the file."""
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    listed = ""
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents():
            archive.writestr(zipfile.ZipInfo(name), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            listed += f"{name},sha256={digest},{len(data)}\n"
        archive.writestr(zipfile.ZipInfo(f"{ABOUT}/RECORD"), listed + f"{ABOUT}/RECORD,,\n")
    return wheel
