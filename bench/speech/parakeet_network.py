# Networks of the shapes of Parakeet TDT 0.6B v3 in 8 bits, with random weights: what they write means nothing, what
# they take of memory and processor time is what the real ones take. FastConformer XL: 24 layers of width 1024, with
# 8 heads, feed-forward of 4096, convolutions of 9 frames (Rekesh et al. 2023); a predictor of two LSTMs of 640.
# Usage: parakeet_network.py FOLDER
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

folder = sys.argv[1]
random = np.random.default_rng(1)
WIDTH, FEED, HEADS, LAYERS, KERNEL, BANDS, CHANNELS = 1024, 4096, 8, 24, 9, 128, 256
PREDICTED, TOKENS, DURATIONS = 640, 8193, 5
nodes, constants = [], []


def constant(name, values):
    constants.append(numpy_helper.from_array(values, name))
    return name


def drawn(name, *shape, scale=0.02):
    return constant(name, (random.standard_normal(shape) * scale).astype(np.float32))


def node(kind, inputs, outputs=None, **attributes):
    outputs = outputs or [f"value{len(nodes)}"]
    nodes.append(helper.make_node(kind, inputs, outputs, name=f"node{len(nodes)}", **attributes))
    return outputs[0] if len(outputs) == 1 else outputs


def quantised(x, name):
    return node("DynamicQuantizeLinear", [x], [f"{name}_x", f"{name}_x_scale", f"{name}_x_zero"])


def linear(x, name, wide, out):
    """As onnxruntime's quantize_dynamic writes a MatMul."""
    weights = constant(f"{name}_w", random.integers(-127, 128, (wide, out), dtype=np.int8))
    scale = constant(f"{name}_scale", np.float32(1 / (73 * wide**0.5)))
    values, x_scale, x_zero = quantised(x, name)
    sums = node("Cast", [node("MatMulInteger", [values, weights, x_zero, "zero"])], to=TensorProto.FLOAT)
    return node("Add", [node("Mul", [sums, node("Mul", [x_scale, scale])]), drawn(f"{name}_bias", out)])


def pointwise(x, name, wide, out):
    """The same for a convolution of one frame."""
    weights = constant(f"{name}_w", random.integers(0, 255, (out, wide, 1), dtype=np.uint8))
    scale = constant(f"{name}_scale", np.float32(1 / (73 * wide**0.5)))
    zero = constant(f"{name}_zero", np.uint8(128).reshape(()))
    values, x_scale, x_zero = quantised(x, name)
    sums = node("ConvInteger", [values, weights, x_zero, zero], kernel_shape=[1])
    return node("Mul", [node("Cast", [sums], to=TensorProto.FLOAT), node("Mul", [x_scale, scale])])


def normal(x, name):
    ones = constant(f"{name}_gain", np.ones(WIDTH, np.float32))
    return node("LayerNormalization", [x, ones, drawn(f"{name}_offset", WIDTH)], axis=-1)


def swish(x):
    return node("Mul", [x, node("Sigmoid", [x])])


def feed_forward(x, name):
    y = swish(linear(normal(x, f"{name}_norm"), f"{name}_in", WIDTH, FEED))
    return node("Add", [x, node("Mul", [linear(y, f"{name}_out", FEED, WIDTH), "half"])])


def attention(x, name):
    y = normal(x, f"{name}_norm")

    def turned(part, order):
        heads = node("Reshape", [linear(y, f"{name}_{part}", WIDTH, WIDTH), "to_heads"])
        return node("Transpose", [heads], perm=order)

    queries, values = turned("q", [0, 2, 1, 3]), turned("v", [0, 2, 1, 3])
    keys, positions = turned("k", [0, 2, 3, 1]), turned("p", [0, 2, 3, 1])
    scores = node("Add", [node("MatMul", [queries, keys]), node("MatMul", [queries, positions])])
    weights = node("Softmax", [node("Mul", [scores, "scale"])], axis=-1)
    mixed = node("Transpose", [node("MatMul", [weights, values])], perm=[0, 2, 1, 3])
    return node("Add", [x, linear(node("Reshape", [mixed, "from_heads"]), f"{name}_o", WIDTH, WIDTH)])


def convolution(x, name):
    y = node("Transpose", [normal(x, f"{name}_norm")], perm=[0, 2, 1])
    doubled = pointwise(y, f"{name}_in", WIDTH, 2 * WIDTH)
    a, gate = node("Split", [doubled], [f"{name}_a", f"{name}_gate"], axis=1, num_outputs=2)
    y = node("Mul", [a, node("Sigmoid", [gate])])
    kernels = [drawn(f"{name}_depth", WIDTH, 1, KERNEL, scale=0.3), drawn(f"{name}_depth_bias", WIDTH)]
    y = swish(node("Conv", [y, *kernels], kernel_shape=[KERNEL], pads=[4, 4], group=WIDTH))
    return node("Add", [x, node("Transpose", [pointwise(y, f"{name}_out", WIDTH, WIDTH)], perm=[0, 2, 1])])


def port(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def write(name, inputs, outputs):
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    save(model, f"{folder}/{name}")


constant("zero", np.int8(0).reshape(()))
constant("half", np.float32(0.5))
constant("one", np.array([1], np.int64))
constant("eight", np.array([8], np.int64))
constant("to_heads", np.array([1, -1, HEADS, WIDTH // HEADS], np.int64))
constant("from_heads", np.array([1, -1, WIDTH], np.int64))
constant("scale", np.float32((WIDTH // HEADS) ** -0.5))
halving = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
x = node("Unsqueeze", [node("Transpose", ["audio_signal"], perm=[0, 2, 1]), "one"])
x = node("Relu", [node("Conv", [x, drawn("c0", CHANNELS, 1, 3, 3, scale=0.3), drawn("c0b", CHANNELS)], **halving)])
for j in (1, 2):
    depth = [drawn(f"d{j}", CHANNELS, 1, 3, 3, scale=0.3), drawn(f"d{j}b", CHANNELS)]
    x = node("Conv", [x, *depth], group=CHANNELS, **halving)
    mixers = [drawn(f"m{j}", CHANNELS, CHANNELS, 1, 1, scale=0.06), drawn(f"m{j}b", CHANNELS)]
    x = node("Relu", [node("Conv", [x, *mixers], kernel_shape=[1, 1])])
rows = CHANNELS * BANDS // 8
flat = constant("flat", np.array([1, -1, rows], np.int64))
x = linear(node("Reshape", [node("Transpose", [x], perm=[0, 2, 1, 3]), flat]), "into", rows, WIDTH)
for layer in range(LAYERS):
    x = feed_forward(x, f"l{layer}a")
    x = attention(x, f"l{layer}s")
    x = convolution(x, f"l{layer}c")
    x = normal(feed_forward(x, f"l{layer}b"), f"l{layer}n")
node("Transpose", [x], ["outputs"], perm=[0, 2, 1])
node("Add", [node("Div", [node("Sub", ["length", "one"]), "eight"]), "one"], ["encoded_lengths"])
write(
    "encoder-model.int8.onnx",
    [port("audio_signal", TensorProto.FLOAT, ["b", BANDS, "t"]), port("length", TensorProto.INT64, ["b"])],
    [port("outputs", TensorProto.FLOAT, ["b", WIDTH, "s"]), port("encoded_lengths", TensorProto.INT64, ["b"])],
)

nodes, constants = [], []
constant("zero", np.int8(0).reshape(()))
constant("one", np.array([1], np.int64))
constant("two", np.array([2], np.int64))
drawn("table", TOKENS, PREDICTED)
x = node("Transpose", [node("Gather", ["table", "targets"])], perm=[1, 0, 2])
node("Split", ["input_states_1"], ["h0", "h1"], axis=0, num_outputs=2)
node("Split", ["input_states_2"], ["c0", "c1"], axis=0, num_outputs=2)
for layer in (0, 1):
    gates = [drawn(f"w{layer}", 1, 4 * PREDICTED, PREDICTED), drawn(f"r{layer}", 1, 4 * PREDICTED, PREDICTED)]
    inputs = [x, *gates, drawn(f"b{layer}", 1, 8 * PREDICTED), "", f"h{layer}", f"c{layer}"]
    node("LSTM", inputs, [f"y{layer}", f"next_h{layer}", f"next_c{layer}"], hidden_size=PREDICTED)
    x = node("Squeeze", [f"y{layer}", "one"])
node("Concat", ["next_h0", "next_h1"], ["output_states_1"], axis=0)
node("Concat", ["next_c0", "next_c1"], ["output_states_2"], axis=0)
heard = linear(node("Transpose", ["encoder_outputs"], perm=[0, 2, 1]), "heard", WIDTH, PREDICTED)
said = linear(node("Transpose", [x], perm=[1, 0, 2]), "said", PREDICTED, PREDICTED)
met = node("Relu", [node("Add", [node("Unsqueeze", [heard, "two"]), node("Unsqueeze", [said, "one"])])])
answers = linear(met, "answer", PREDICTED, TOKENS + DURATIONS)
bias = np.zeros(TOKENS + DURATIONS, np.float32)
bias[TOKENS - 1] = 1  # Blank: as many tokens as in speech.
node("Add", [answers, constant("for_blank", bias)], ["outputs"])
node("Identity", ["target_length"], ["prednet_lengths"])
states = [2, "b", PREDICTED]
write(
    "decoder_joint-model.int8.onnx",
    [
        port("encoder_outputs", TensorProto.FLOAT, ["b", WIDTH, "s"]),
        port("targets", TensorProto.INT32, ["b", "u"]),
        port("target_length", TensorProto.INT32, ["b"]),
        port("input_states_1", TensorProto.FLOAT, states),
        port("input_states_2", TensorProto.FLOAT, states),
    ],
    [
        port("outputs", TensorProto.FLOAT, ["b", "s", "u", TOKENS + DURATIONS]),
        port("prednet_lengths", TensorProto.INT32, ["b"]),
        port("output_states_1", TensorProto.FLOAT, states),
        port("output_states_2", TensorProto.FLOAT, states),
    ],
)
