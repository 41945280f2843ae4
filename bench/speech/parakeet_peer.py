"""Reads sounds (16 kHz mono float32, the file's name is its name) with models in the layout of onnx-asr.

python parakeet_peer.py MODELS SOUNDS: one JSON line for each folder of MODELS and file of SOUNDS, with the tokens, the
steps of the encoder in which they begin, their log probabilities, and the smallest lead of a chosen token or duration
over the next best, which says how much two computations may differ. Features are onnx-asr's own in NumPy.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx_asr


def lead(logits):
    best = np.sort(logits)[-2:]
    return float(best[1] - best[0])


def watch(asr, leads):
    decode = asr._decoder_joint.run

    def run(*args, **kwargs):
        outputs = decode(*args, **kwargs)
        logits = np.squeeze(outputs[0])
        leads.append(min(lead(logits[: asr._vocab_size]), lead(logits[asr._vocab_size :])))
        return outputs

    asr._decoder_joint = type("Watched", (), {"run": staticmethod(run), "get_inputs": asr._decoder_joint.get_inputs})()


def main(models, sounds):
    for folder in sorted(Path(models).iterdir()):
        model = onnx_asr.load_model("nemo-conformer-tdt", folder, providers=["CPUExecutionProvider"])
        leads = []
        watch(model.asr, leads)
        numbers = {piece: number for number, piece in model.asr._vocab.items()}
        for path in sorted(Path(sounds).iterdir()):
            sound = np.fromfile(path, np.float32)
            leads.clear()
            result = model.with_timestamps().recognize(sound, sample_rate=16_000)
            step = model.asr.window_step * model.asr._subsampling_factor
            print(
                json.dumps(
                    {
                        "model": folder.name,
                        "sound": path.name,
                        "text": result.text,
                        "tokens": [numbers[token] for token in result.tokens],
                        "steps": [round(seconds / step) for seconds in result.timestamps],
                        "timestamps": result.timestamps,
                        "logProbabilities": result.logprobs,
                        "lead": min(leads, default=None),
                    }
                )
            )


main(*sys.argv[1:])
