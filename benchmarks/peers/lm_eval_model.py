"""lm-evaluation-harness as a peer: one model, asked over standard input, run by an interpreter that has `lm_eval`.

    python benchmarks/peers/lm_eval_model.py FOLDER ROWS_OF_A_BATCH DEVICE DTYPE

A line in is a JSON list of `[context, continuation]` to score, or of `[context, settings]` to write a reply to; a line out
is `{"cpu", "wall", "found"}`: seconds, and the log-probabilities or texts.
"""

import json
import logging
import os
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

torch.set_num_threads(1)
logging.disable(logging.WARNING)


def main() -> None:
    """Answer lines until there are no more."""
    folder, rows, device, dtype = sys.argv[1:]
    model = HFLM(folder, device=device, dtype=dtype, batch_size=int(rows), add_bos_token=False)
    for line in sys.stdin:
        asked = [tuple(pair) for pair in json.loads(line)]
        scored = isinstance(asked[0][1], str)
        kind = "loglikelihood" if scored else "generate_until"
        instances = [Instance(kind, {}, pair, place) for place, pair in enumerate(asked)]
        wall, cpu = time.perf_counter(), time.process_time()
        found = getattr(model, kind)(instances, disable_tqdm=True)
        row = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        print(json.dumps({**row, "found": [pair[0] for pair in found] if scored else found}), flush=True)


main()
