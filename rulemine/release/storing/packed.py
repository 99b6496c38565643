"""A release that goes to other processes and machines.

Guarantees: where its folder is to be seen, it is read there; elsewhere its files are written to a temporary
folder, which goes when the process ends, and each is checked against its digest when it is read.
"""

import atexit
import shutil
import tempfile
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.errors import OutputError
from rulemine.files import read_bytes
from rulemine.release.reader import MANIFEST, Release

__all__ = ["PackedRelease"]


class PackedRelease:
    """A release that can be pickled, as its files are.

    Args:
        release: The release. Its files are read here, as they are, all of them.

    Raises:
        ReleaseError: A file is missing or was edited.
    """

    def __init__(self, release: Release) -> None:
        names = (MANIFEST, *release.manifest["files"])
        self._folder = release.folder.absolute()
        self._files: dict[str, npt.NDArray[np.uint8]] = {}
        for name in names:
            path = release.folder / name if name == MANIFEST else release.file(name)
            # Arrays are sent apart from what is pickled, and mapped into memory rather than read.
            self._files[name] = np.frombuffer(path.read_bytes(), np.uint8)

    @cached_property
    def release(self) -> Release:
        """The release, opened once in a process.

        Raises:
            OutputError: There is no room for it in the temporary folder.
        """
        manifest = self._folder / MANIFEST
        if manifest.is_file() and read_bytes(manifest) == self._files[MANIFEST].tobytes():
            return Release.open(self._folder)
        folder = Path(tempfile.mkdtemp(prefix="rulemine-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        try:
            for name, content in self._files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.data)
        except OSError as problem:
            raise OutputError(
                f"{folder}: the release cannot be written there ({problem.strerror}). Free space, or name "
                "another place with the variable TMPDIR."
            ) from None
        return Release.open(folder)
