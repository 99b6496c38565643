"""Data frames; pandas is loaded only when one is made."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rulemine.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame"]


def frame(columns: Mapping[str, Any]) -> "pd.DataFrame":
    """Makes a data frame from named columns of equal length, in that order.

    Raises:
        UserError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise UserError(
            "to_pandas() needs the package pandas, which is not installed: "
            "pip install 'rulemine[pandas]'."
        ) from None
    return pd.DataFrame(dict(columns))
