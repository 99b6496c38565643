"""The files of data sets: where they are looked for, how they are downloaded and checked.

Guarantee: a file whose digest is known is used only if it has it; of any other the user is notified.
"""

import gzip
import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rulemine.errors import DatasetError
from rulemine.files import digest_of, read_bytes, write_bytes
from rulemine.guard import cache_folder

__all__ = ["Note", "Progress", "SourceFile", "describe_folders", "download", "find"]

Progress = Callable[[int, int], None]
Note = Callable[[str], None]

DATA_VARIABLE = "RULEMINE_DATA"
SECONDS_TO_CONNECT = 30


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a data set.

    Attributes:
        path: Its path below a data folder.
        url: Its download address; empty: it has to be fetched by hand, from where the data set says.
        bytes: Size of the content; 0 if unknown.
        sha256: Accepted digests of the content, hexadecimal; empty if unknown.
        member: Its name inside the .tar.gz that `url` names; empty if `url` is the file itself, or that
            compressed as .gz.
        blob: Its id as a git blob, hexadecimal: SHA-1 of ``blob <size>``, a NUL and the content. Known
            from a repository's listing without the file; empty for most.
        download: SHA-256 of what `url` gives, compressed, where no digest of the content is known;
            else empty.
        more: Further addresses, whose contents follow that of `url`.
    """

    path: str
    url: str
    bytes: int
    sha256: tuple[str, ...]
    member: str = ""
    blob: str = ""
    download: str = ""
    more: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """The accepted digests: SHA-256 if known, otherwise the id as a git blob; empty: none is known."""
        return self.sha256 or ((self.blob,) if self.blob else ())

    @property
    def digest(self) -> str:
        """What the content is checked against, in words."""
        if self.accepted:
            return f"{'SHA-256' if self.sha256 else 'git blob'} {self.accepted[0]}"
        return f"SHA-256 of the download {self.download}" if self.download else "no digest known"


def _digest(file: SourceFile, content: bytes) -> str:
    """The digest of the content, of the same kind as the accepted digests of the file."""
    return digest_of(content) if file.sha256 else blob_of(content)


def blob_of(content: bytes) -> str:
    """The id of a content as a git blob, hexadecimal.

    Example:
        >>> blob_of(b"hello")
        'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0'
    """
    head = f"blob {len(content)}\0".encode()
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


def data_folders() -> tuple[Path, ...]:
    """The folders that are searched, in order."""
    named = os.environ.get(DATA_VARIABLE)
    return (*([Path(named)] if named else []), Path("data"), cache_folder())


def describe_folders() -> str:
    """Describes the folders that are searched, for a message."""
    named = os.environ.get(DATA_VARIABLE)
    rest = f"{Path('data').absolute()} or {cache_folder()}"
    if not named:
        return rest
    lost = "" if Path(named).is_dir() else " (no such folder)"
    return f"{named}{lost} (from {DATA_VARIABLE}), {rest}"


def find(file: SourceFile) -> Path | None:
    """The path of a file on this machine; None if it is missing.

    Raises:
        DatasetError: It has a wrong digest.
    """
    for folder in data_folders():
        for path in (folder / file.path, folder / f"{file.path}.gz"):
            if path.is_file():
                if (
                    file.accepted
                    and (found := _digest(file, read_bytes(path))) not in file.accepted
                ):
                    raise DatasetError(
                        f"{path}: has digest {found}; {' or '.join(file.accepted)} was expected, so it "
                        "is another version. Replace it, or name your file by its path."
                    )
                return path
    return None


def download(
    source: str, name: str, file: SourceFile, progress: Progress | None, note: Note | None
) -> Path:
    """Downloads a file into the cache.

    Args:
        source: Where the data set comes from, for messages.
        name: The data set.
        file: Its file.
        progress: Called with (bytes, all bytes).
        note: Called with a sentence if no digest is known.

    Raises:
        DatasetError: It cannot be downloaded, or has a wrong digest.
    """
    if not file.url:
        raise DatasetError(
            f"data set {name}: {file.path} not found below {describe_folders()}, and its source has no "
            f"address for programs: {source}. Fetch it by hand and put it there, e.g. at "
            f"{data_folders()[0] / file.path}."
        )
    try:
        content = b"".join(_content(file, url, progress) for url in (file.url, *file.more))
    except (OSError, KeyError, tarfile.TarError, EOFError, zlib.error) as problem:
        reason = getattr(problem, "reason", None) or problem
        raise DatasetError(
            f"data set {name}: {file.path} not found below {describe_folders()}, and cannot be downloaded "
            f"from {file.url} ({reason}). Put it there, e.g. at {data_folders()[0] / file.path}, or name "
            f"the folder that holds it: {DATA_VARIABLE}=…"
        ) from None
    if file.accepted and (found := _digest(file, content)) not in file.accepted:
        raise _another(name, file.url, found, file.accepted[0])
    if note and not (file.accepted or file.download):
        note(
            f"{name}: no digest of {file.path} is known, so the download could not be checked; it has "
            f"SHA-256 {digest_of(content)}."
        )
    path = cache_folder() / f"{file.path}.gz"
    write_bytes(path, content)
    return path


def _another(name: str, url: str, found: str, expected: str) -> DatasetError:
    return DatasetError(
        f"data set {name}: the download from {url} has digest {found}; expected {expected}. The download was "
        "discarded. Try again, or get the file from its source."
    )


def _content(file: SourceFile, url: str, progress: Progress | None) -> bytes:
    """What an address gives, unpacked."""
    content = fetch(url, progress)
    if file.download and (found := digest_of(content)) != file.download:
        raise _another(file.path, url, found, file.download)
    if file.member:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            member = archive.extractfile(file.member)
            return member.read() if member else b""
    return gzip.decompress(content) if url.endswith(".gz") else content


def fetch(url: str, progress: Progress | None) -> bytes:
    if not url.startswith("https://"):
        raise OSError(f"{url} is not an https address")
    import urllib.request  # half as slow to import as numpy, and most graphs are files

    parts: list[bytes] = []
    with urllib.request.urlopen(url, timeout=SECONDS_TO_CONNECT) as answer:  # noqa: S310
        total = int(answer.headers.get("Content-Length") or 0)
        done = 0
        while part := answer.read(1 << 20):
            parts.append(part)
            done += len(part)
            if progress:
                progress(done, total)
    return b"".join(parts)
