"""Edges of words by PocketSphinx, for main.ts: pip install pocketsphinx==5.1.1, then

    python align.py KEEP RECORDING.wav ...

KEEP is the folder of --keep, which has the transcript of each recording by then. WAV of 16 kHz, 16 bits, mono. English.
"""

import json
import os
import re
import sys
import wave

import pocketsphinx

MODEL = os.path.join(os.path.dirname(pocketsphinx.__file__), "model", "en-us")
PAUSE = 0.25  # seconds: a text is aligned from pause to pause
AROUND = 0.3  # seconds of its sound before and behind
FRAME = 0.01  # seconds


def dictionary():
    with open(os.path.join(MODEL, "cmudict-en-us.dict"), encoding="utf8") as lines:
        return {re.sub(r"\(\d+\)$", "", line.split(" ")[0]) for line in lines}


def plain(text):
    return re.sub(r"[^a-z']", "", text.lower().replace("\u2019", "'")).strip("'")


def passages(words):
    passage = []
    for index, word in enumerate(words):
        if index and word["startSeconds"] - words[index - 1]["endSeconds"] > PAUSE:
            yield passage
            passage = []
        passage.append(index)
    if passage:
        yield passage


def edges_of(path, words, known):
    with wave.open(path) as file:
        rate = file.getframerate()
        if (rate, file.getsampwidth(), file.getnchannels()) != (16000, 2, 1):
            raise SystemExit(f"Expected 16 kHz, 16 bits, mono but {path} has another form")
        sound = file.readframes(file.getnframes())
    decoder = pocketsphinx.Decoder(
        hmm=os.path.join(MODEL, "en-us"), dict=os.path.join(MODEL, "cmudict-en-us.dict"), lm=None,
        loglevel="FATAL", beam=1e-100, wbeam=1e-80, pbeam=1e-100,
    )
    edges = {}
    for passage in passages(words):
        texts = [plain(words[index]["text"]) for index in passage]
        if not all(text in known for text in texts):
            continue
        first, last = passage[0], passage[-1]
        start = max(words[first - 1]["endSeconds"] if first else 0, words[first]["startSeconds"] - AROUND)
        end = words[last]["endSeconds"] + AROUND
        if last + 1 < len(words):
            end = min(end, words[last + 1]["startSeconds"])
        decoder.set_align_text(" ".join(texts))
        decoder.start_utt()
        decoder.process_raw(sound[2 * int(start * rate) : 2 * int(end * rate)], full_utt=True)
        decoder.end_utt()
        found = [one for one in decoder.seg() or [] if one.word[0] not in "<[+"]
        if len(found) != len(texts):
            continue
        for index, one in zip(passage, found):
            edges[index] = [start + FRAME * one.start_frame, start + FRAME * (one.end_frame + 1)]
        # The last word has the pause behind it as well.
        edges[last][1] = min(edges[last][1], max(words[last]["endSeconds"], edges[last][1] - AROUND))
    return edges


def main():
    keep, *paths = sys.argv[1:]
    known = dictionary()
    for path in paths:
        stem = os.path.join(keep, os.path.splitext(os.path.basename(path))[0])
        with open(f"{stem}.json", encoding="utf8") as file:
            words = [word for sentence in json.load(file)["sentences"] for word in sentence["words"]]
        words.sort(key=lambda word: word["startSeconds"])
        edges = edges_of(path, words, known)
        with open(f"{stem}.edges.json", "w", encoding="utf8") as file:
            json.dump(edges, file)
        print(f"{path}: {len(edges)} of {len(words)} words")


main()
