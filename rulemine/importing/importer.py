"""From files in somebody else's form to a release of their questions."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rulemine.importing.registry import IMPORTS, find_reader
from rulemine.kinds.registry import tool
from rulemine.release.outputs import check_place, check_release, replacing
from rulemine.release.reader import Release
from rulemine.release.writer import write_release

__all__ = ["import_set"]


def import_set(
    form: str,
    path: str | Path,
    output: str | Path,
    *,
    kg: str | Path | None = None,
    incomplete: str | Path | None = None,
    replace: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Release:
    """Reads a question set that others published, and writes it as a release without certificates.

    Args:
        form: A name of `rulemine.importing.registry.IMPORTS`, maybe with options, e.g. ``plain:text=query``.
        path: Its file or folder.
        output: The folder of the release; an earlier import of the same set is replaced.
        kg: A file with the complete graph, where the form has none or another is wanted.
        incomplete: A file with the incomplete graph, a part of the complete one.
        replace: Whether a release that has another name or kind, or was edited, may be replaced.
        progress: Called with questions done and all of them.

    Returns:
        The release.

    Raises:
        ConfigError: There is no such form or option.
        InputError: A file is missing, or has not the form.
        OutputError: The folder cannot be written, or has files that would be lost.
    """
    reader, target = find_reader(form), Path(output)
    given = [Path(one) for one in (path, kg, incomplete) if one is not None]
    check_place(target, given)
    with IMPORTS.blaming(form.partition(":")[0]):
        found = reader(
            Path(path),
            None if kg is None else Path(kg),
            None if incomplete is None else Path(incomplete),
        )
    name = re.sub(r"[^a-z0-9]+", "-", found.title.lower()).strip("-") or "imported"
    parts = tool("imported parts").parts_of(found, form, name, progress)
    with replacing(
        target, partial(check_release, target, name, parts.kind, replace=replace)
    ) as fresh:
        write_release(fresh, parts, parts.naming)
    return Release.open(target)
