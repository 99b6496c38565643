"""Where a model is and what may be asked of it.

Guarantee: no object here holds a key, and nothing that is shown holds user info or a query of the address.
"""

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, unquote, urlsplit

from rulemine.config import Section, option
from rulemine.errors import ConfigError, EndpointError

__all__ = ["EndpointOptions", "at_addresses"]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        ok = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return ok and url.isprintable() and not any(map(str.isspace, url))


@dataclass(frozen=True, slots=True, repr=False)
class EndpointOptions(Section):
    """Where the model is and what may be asked of it; nothing here changes a byte of a release.

    Attributes:
        base_url: The address of the API, up to and with ``/v1``.
        api_key_variable: The environment variable that holds the key. A local endpoint needs none.
        concurrency: Calls in flight at most.
        budget_tokens: Stop after so many tokens in one run; 0: no limit.
        max_requests_per_minute: Requests in any 60 s at most, retries included; 0: any number.
        timeout: Seconds for one request, from sending to the last byte.
        batch: Write calls as batch files there, and send nothing; results in it are read.

    Raises:
        ConfigError: A value is out of range, or the address has no host or no possible port.
    """

    base_url: str = option(
        "https://api.openai.com/v1",
        fits_too=_is_address,
        expected="an address such as http://127.0.0.1:8000/v1",
        secret=True,  # it may hold a key
    )
    api_key_variable: str = option(
        "OPENAI_API_KEY",
        fits_too=lambda name: name.replace("_", "a").isalnum() and not name[0].isdecimal(),
        expected="the name of an environment variable",
        secret=True,  # it may be the key itself
    )
    concurrency: int = option(16, least=1, most=1024)
    budget_tokens: int = option(0, least=0)
    max_requests_per_minute: int = option(0, least=0)
    timeout: float = option(60.0, above=0)
    batch: str = option("")

    def __post_init__(self) -> None:
        """Checks all values; a budget is of what is sent."""
        super(EndpointOptions, self).__post_init__()  # slots make another class of this one
        if self.batch and self.budget_tokens:
            raise ConfigError(
                "batch and budget_tokens: nothing is sent that could be counted. Leave one out; a dry run "
                "says what a batch takes."
            )

    def __repr__(self) -> str:
        return f"EndpointOptions({self.address}, concurrency={self.concurrency})"

    @property
    def address(self) -> str:
        """The address without user info, query and fragment: fit to be shown."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"

    @property
    def query(self) -> dict[str, str]:
        """The query of the address, e.g. Azure's ``api-version``; sent with every request, never shown."""
        return dict(parse_qsl(urlsplit(self.base_url).query))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What else than the key is sent and never shown: a password and the values of the query."""
        return unquote(urlsplit(self.base_url).password or ""), *self.query.values()

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine: it may need no key, and is never behind a proxy."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def key(self) -> str:
        """The key, from the environment; ``none`` where a local endpoint is given none.

        Raises:
            EndpointError: There is none and the endpoint is not local, or it cannot be one.
        """
        name = self.api_key_variable
        key = os.environ.get(name, "").strip()
        if not key and not self.is_loopback:
            raise EndpointError(
                f"{self.address}: no key; it was expected in the environment variable {name}. Set it: "
                f"export {name}=…; for an endpoint that needs no key: export {name}=none."
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise EndpointError(
                f"{self.address}: the environment variable {name} holds signs that no key can have "
                f"(spaces, line ends, other than ASCII). Set it again: export {name}=…"
            )
        return key or "none"


def at_addresses(
    names: Sequence[str], usual: EndpointOptions, option: str
) -> tuple[list[str], list[EndpointOptions]]:
    """Reads models, each ``NAME``, or ``NAME@URL`` at an address of its own with a key of its own.

    Args:
        names: The models as they are given.
        usual: Where a model is whose address is not given; the limits are the same for all.
        option: What gives them, for the message.

    Returns:
        The names of the models, and where each is.

    Raises:
        ConfigError: What is behind a name is no address.
    """
    models, places = [], []
    for number, name in enumerate(names, start=1):
        model, at, url = name.partition("@http")
        if not model or "://" in model or (at and not _is_address(f"http{url}")):
            shown = name.partition("://")[0]  # an address may hold a key
            raise ConfigError(
                f"{option}: {shown}{'://…' * (shown != name)}: expected NAME, NAME@http://… or "
                "NAME@https://…."
            )
        own = {"base_url": f"http{url}", "api_key_variable": f"OPENAI_API_KEY_{number}"}
        models.append(model)
        places.append(replace(usual, **own) if at else usual)  # type: ignore[arg-type]
    return models, places
