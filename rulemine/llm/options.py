"""Where a model is and what may be asked of it: the recipe's section, with the key's place and what to show.

Guarantee: no object here holds a key, and nothing that is shown holds user info or a query of the address.
"""

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from rulemine.errors import ConfigError, EndpointError
from rulemine.recipe import EndpointSection

__all__ = ["EndpointOptions"]


@dataclass(frozen=True, slots=True, repr=False)
class EndpointOptions(EndpointSection):
    """Everything a session has to know; the attributes are those of `rulemine.recipe.EndpointSection`.

    Raises:
        ConfigError: A value is out of range, or the address has no host or no possible port.
    """

    def __post_init__(self) -> None:
        EndpointSection.__post_init__(self)  # the short form of super() fails in classes with slots
        try:
            parts = urlsplit(self.base_url)
            ok = bool(parts.hostname) and parts.port != 0 and self.base_url.isprintable()
        except ValueError:
            ok = False
        if not ok or any(sign.isspace() for sign in self.base_url):
            raise ConfigError(
                "base_url: no host and port can be read from it; expected e.g. "
                "http://127.0.0.1:8000/v1 or https://api.openai.com/v1."
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
        if not key and self.is_loopback:
            return "none"
        if not key:
            raise EndpointError(
                f"{self.address}: no key; it was expected in the environment variable {name}. Set it: "
                f"export {name}=…; for an endpoint that needs no key: export {name}=none."
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise EndpointError(
                f"{self.address}: the environment variable {name} holds signs that no key can have "
                f"(spaces, line ends, other than ASCII). Set it again: export {name}=…"
            )
        return key
