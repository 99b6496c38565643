"""Releases: their records, and writing, reading and showing them."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.release.archive import write_archive as write_archive
    from rulemine.release.publish import rename as rename
    from rulemine.release.reader import Release as Release
    from rulemine.release.records import Certificate as Certificate
    from rulemine.release.records import Prediction as Prediction
    from rulemine.release.records import Question as Question
    from rulemine.release.records import Rejection as Rejection
    from rulemine.release.records import Removal as Removal

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Certificate": "rulemine.release.records",
        "Prediction": "rulemine.release.records",
        "Question": "rulemine.release.records",
        "Rejection": "rulemine.release.records",
        "Release": "rulemine.release.reader",
        "Removal": "rulemine.release.records",
        "rename": "rulemine.release.publish",
        "write_archive": "rulemine.release.archive",
    },
)
