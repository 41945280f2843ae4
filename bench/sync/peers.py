"""Where second 0 of the first file of each pair is in the second, by three programs; a line of JSON a pair."""
import json
import re
import subprocess
import sys
from pathlib import Path

import audalign
from audio_offset_finder.audio_offset_finder import find_offset_between_files


def by_offset_finder(one, other):
    found = find_offset_between_files(other, one)
    # Its own help says from when on it is to be believed.
    return float(found["time_offset"]) if found["standard_score"] > 10 else None


def by_syncstart(one, other):
    command = [str(Path(sys.executable).parent / "syncstart"), "-s", "-q", one, other]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"-([01])\.wav\W+([\d.]+)", text)
    if found is None:
        return None
    return float(found[2]) * (-1 if found[1] == "0" else 1)


def by_audalign(one, other):
    found = audalign.align_files(one, other, recognizer=audalign.CorrelationRecognizer())
    if not found:
        return None
    return float(found[Path(one).name]) - float(found[Path(other).name])


peers = {"audio-offset-finder": by_offset_finder, "syncstart": by_syncstart, "audalign": by_audalign}
for one, other in zip(sys.argv[1::2], sys.argv[2::2]):
    row = {}
    for name, find in peers.items():
        try:
            row[name] = find(one, other)
        except Exception as error:
            print(name, repr(error), file=sys.stderr)
            row[name] = None
    print(json.dumps(row), flush=True)
