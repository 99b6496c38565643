import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from rulemine.errors import EndpointError
from rulemine.llm.call import Reply
from tests.llm.running_server import Running, call_of, options_for, send


def test_tls_to_a_server_without_stops_at_once(transport: str) -> None:
    with PlainSpeaker() as port:
        [error] = send(options_for(f"https://127.0.0.1:{port}/v1"), call_of())
    assert isinstance(error, EndpointError)
    assert "TLS" in str(error)
    assert "http://" in str(error)


class PlainSpeaker:
    """A server that answers everything with a line of HTTP."""

    def __enter__(self) -> int:
        self.socket = socket.create_server(("127.0.0.1", 0))

        def speak() -> None:
            try:
                while True:
                    peer = self.socket.accept()[0]
                    peer.recv(1 << 16)  # all of it: what is left unread resets the connection
                    peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                    peer.close()
            except OSError:
                return

        threading.Thread(target=speak, daemon=True).start()
        return int(self.socket.getsockname()[1])

    def __exit__(self, *ended: object) -> None:
        self.socket.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key, in one file."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    wanted = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{file}.key", "-out", file]
    try:
        command = ["openssl", "req", "-x509", *wanted.split(), *names]
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    file.write_text(file.read_text() + Path(f"{file}.key").read_text())
    return file


def test_a_certificate_of_one_s_own(
    certificate: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Running(ssl=context) as fake:
        [error] = send(options_for(fake.url), call_of())
        assert isinstance(error, EndpointError)
        assert "SSL_CERT_FILE" in str(error)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        [reply] = send(options_for(fake.url), call_of())
        assert isinstance(reply, Reply)
