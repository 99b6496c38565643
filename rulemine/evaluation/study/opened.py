"""Opens a study that was run, given its release."""

import json
from collections.abc import Mapping
from pathlib import Path

from rulemine.codec import parse_object
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import MANIFEST, StudyFolder
from rulemine.files import read_text, write_text
from rulemine.release.reader import Release

__all__ = ["SCORING", "open_study", "write_scoring"]

SCORING = "scoring.json"
"""Says how a study was last scored, which may change from one run to the next."""

_ASKED = (
    "systems",
    "levels",
    "namings",
    "naming_levels",
    "model_levels",
    "split",
    "sample",
    "seed",
    "model",
)
_SCORED = ("names", "matching", "resamples", "metrics")
"""The options that the files of a study have."""


def write_scoring(study: StudyFolder) -> None:
    """Writes how a study is scored."""
    values = {key: getattr(study.plan, key) for key in _SCORED}
    write_text(study.folder / SCORING, json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def open_study(folder: Path, releases: Mapping[str, Release]) -> StudyFolder:
    """A study from its folder.

    Args:
        folder: The folder.
        releases: Identity → release.

    Raises:
        InputError: It holds no study, its release is not among these, or it is not finished.
    """
    file = folder / MANIFEST
    values = parse_object(read_text(file), str(file))
    if not isinstance(values.get("release"), str):
        raise InputError(
            f"{file}: names no release, so it is of no study. Name the folder of a study."
        )
    release = releases.get(values["release"])
    if release is None:
        raise InputError(
            f"{folder}: is a study of the release {str(values.get('release'))[:12]}, which was not given. "
            "Give the folder of that release too."
        )
    options = {key: values[key] for key in _ASKED if key in values}
    if (scored := folder / SCORING).is_file():
        how = parse_object(read_text(scored), str(scored))
        options |= {key: how[key] for key in _SCORED if key in how}
    for key, value in options.items():
        options[key] = tuple(value) if isinstance(value, list) else value
    if options.get("namings") == (release.naming,):
        del options["namings"]
    try:
        study = StudyFolder(StudyPlan(release=str(release.path), **options), folder)
    except (ConfigError, TypeError) as problem:
        raise InputError(f"{file}: cannot be read: {problem}") from None
    if waiting := [run.file for run in study.runs if not study.is_done(run)]:
        raise InputError(
            f"{folder}: {waiting[0]} is not finished. Run rulemine study with the same options again."
        )
    return study
