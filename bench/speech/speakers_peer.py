"""Labels speakers with sherpa-onnx, and scores labels with pyannote.metrics: the two peers of speakers.ts.

python speakers_peer.py label MODELS THRESHOLD SOUND...: sounds are 16 kHz mono float32; one JSON line for each with its
turns and the CPU seconds it took, with the networks that the project uses, on one thread.
python speakers_peer.py score FILE: FILE is JSON, a list of {reference, found}; one line with each one's error rate.
"""

import json
import resource
import sys


def label(models, threshold, sounds):
    import numpy as np
    import sherpa_onnx as sherpa

    segmentation = sherpa.OfflineSpeakerSegmentationPyannoteModelConfig(
        model=f"{models}/pyannote-segmentation-3.0/model.onnx"
    )
    diarization = sherpa.OfflineSpeakerDiarization(
        sherpa.OfflineSpeakerDiarizationConfig(
            segmentation=sherpa.OfflineSpeakerSegmentationModelConfig(pyannote=segmentation, num_threads=1),
            embedding=sherpa.SpeakerEmbeddingExtractorConfig(model=f"{models}/campplus/model.onnx", num_threads=1),
            clustering=sherpa.FastClusteringConfig(num_clusters=-1, threshold=threshold),
            min_duration_on=0.3,
            min_duration_off=0.5,
        )
    )
    for sound in sounds:
        samples = np.fromfile(sound, dtype="float32")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        found = diarization.process(samples).sort_by_start_time()
        seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
        turns = [{"startSeconds": t.start, "endSeconds": t.end, "name": str(t.speaker)} for t in found]
        print(json.dumps({"cpuSeconds": seconds, "turns": turns}), flush=True)


def score(file):
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationErrorRate

    def annotation(turns):
        made = Annotation()
        for index, turn in enumerate(turns):
            made[Segment(turn["startSeconds"], turn["endSeconds"]), index] = turn["name"]
        return made

    with open(file, encoding="utf-8") as text:
        for case in json.load(text):
            # Its collar is the width on both sides together.
            rate = DiarizationErrorRate(collar=0.5)(annotation(case["reference"]), annotation(case["found"]))
            print(json.dumps(rate), flush=True)


if sys.argv[1] == "label":
    label(sys.argv[2], float(sys.argv[3]), sys.argv[4:])
else:
    score(sys.argv[2])
