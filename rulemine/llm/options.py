"""Where a model is and what may be asked of it.

Guarantee: no object here holds a key, and nothing that is shown holds user info or a query of the address.
"""

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from rulemine.errors import ConfigError, EndpointError

__all__ = ["EndpointOptions"]

STRUCTURED = ("auto", "always", "never")


@dataclass(frozen=True, slots=True, repr=False)
class EndpointOptions:
    """Where the model is and what may be asked of it; nothing here changes a byte of a release.

    Attributes:
        base_url: The address of the API, up to and with ``/v1``.
        api_key_variable: The environment variable that holds the key. A local endpoint needs none.
        concurrency: Calls in flight at most.
        budget_tokens: Tokens of one run at most, sent and received; 0: any number.
        max_requests_per_minute: Requests in any 60 s at most, retries included; 0: any number.
        timeout: Seconds for one request, from sending to the last byte.
        patience: A run ends, with all replies kept, when requests have failed for this many seconds without
            a reply in between, or 40 times in a row.
        structured: ``auto`` (structured outputs until the endpoint refuses them), ``always`` or ``never``.
        price_input: Money per million tokens sent, for estimates; 0: unknown.
        price_output: Money per million tokens received; 0: unknown.

    Raises:
        ConfigError: A value is out of range, or the address has no host or no possible port.
    """

    base_url: str = "https://api.openai.com/v1"
    api_key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 16
    budget_tokens: int = 0
    max_requests_per_minute: int = 0
    timeout: float = 60.0
    patience: float = 120.0
    structured: str = "auto"
    price_input: float = 0.0
    price_output: float = 0.0

    def __post_init__(self) -> None:
        url, name, infinity = self.base_url, self.api_key_variable, float("inf")
        try:
            parts = urlsplit(url)
            ok = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            ok = False
        # What was given is not repeated: it may hold a key, or be one.
        ok = ok and url.isprintable() and not any(map(str.isspace, url))
        _check(ok, "base_url", "…", "an address such as http://127.0.0.1:8000/v1")
        ok = name.replace("_", "a").isalnum() and not name[0].isdecimal()
        _check(ok, "api_key_variable", "…", "the name of an environment variable")
        _check(1 <= self.concurrency <= 1024, "concurrency", self.concurrency, "1 to 1024")
        for key in ("budget_tokens", "max_requests_per_minute", "price_input", "price_output"):
            _check(0 <= getattr(self, key) < infinity, key, getattr(self, key), "0 or more")
        for key in ("timeout", "patience"):
            _check(0 < getattr(self, key) < infinity, key, getattr(self, key), "seconds above 0")
        _check(self.structured in STRUCTURED, "structured", self.structured, ", ".join(STRUCTURED))

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
    def login(self) -> tuple[str, str]:
        """User and password of the address, each empty where there is none; sent, never shown."""
        parts = urlsplit(self.base_url)
        return unquote(parts.username or ""), unquote(parts.password or "")

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


def _check(ok: bool, key: str, value: object, expected: str) -> None:
    if not ok:
        raise ConfigError(f"{key} is {value!r}; expected {expected}")
