"""The inference graph in ONNX, reading its weights straight out of the safetensors file beside it.

One file of half-precision weights serves both forms, so that they cannot differ. The graph casts them to float32,
takes past keys and values as inputs, and returns the logits of the last position only.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pocket.network import Shape

OPSET = 17


class GraphBuilder:
    """Collects nodes; each call returns the name of what it computed."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def op(self, kind: str, *inputs: str, name: str | None = None, **attributes: object) -> str:
        """Add a node with one output."""
        output = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, value: object, kind: type[np.generic] = np.int64) -> str:
        """Add a small constant."""
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def external(self, name: str, dims: Sequence[int], file: str, span: tuple[int, int]) -> str:
        """Add a half-precision tensor that lies in another file at bytes span[0] to span[1]."""
        tensor = TensorProto(
            name=name,
            data_type=TensorProto.FLOAT16,
            dims=dims,
            data_location=TensorProto.EXTERNAL,
        )
        place = {"location": file, "offset": str(span[0]), "length": str(span[1] - span[0])}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=value)
        self.initializers.append(tensor)
        return name


def write_graph(folder: Path, shape: Shape) -> None:
    """Write folder/model.onnx for folder/model.safetensors."""
    build = GraphBuilder()
    weights = {
        name: build.op("Cast", build.external(name, dims, "model.safetensors", span), to=TensorProto.FLOAT)
        for name, (dims, span) in layout(folder / "model.safetensors").items()
    }
    past = build.op("Gather", build.op("Shape", "past_key_values.0.key"), build.constant(2))
    time = build.op("Gather", build.op("Shape", "input_ids"), build.constant(1))
    cos, sin, mask = positions(build, past, time, shape)
    x = build.op("Gather", weights["model.embed_tokens.weight"], "input_ids")
    for index in range(shape.num_hidden_layers):
        x = layer(build, x, Part(weights, index, shape), (cos, sin, mask))
    last = build.op("Gather", x, build.constant(-1), axis=1)
    last = norm(build, last, weights["model.norm.weight"], shape)
    build.op("MatMul", last, transposed(build, weights["model.embed_tokens.weight"]), name="logits")
    model = helper.make_model(
        helper.make_graph(build.nodes, "pocket", *signature(shape), initializer=build.initializers),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="hesperus",
    )
    model.ir_version = 8
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    onnx.checker.check_model(str(folder / "model.onnx"))


def layout(path: Path) -> dict[str, tuple[list[int], tuple[int, int]]]:
    """Tensor name to (dimensions, byte span in the file) of a safetensors file."""
    with path.open("rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
    start = 8 + size
    return {
        name: (entry["shape"], (start + entry["data_offsets"][0], start + entry["data_offsets"][1]))
        for name, entry in header.items()
        if name != "__metadata__"
    }


class Part:
    """The weights of one layer."""

    def __init__(self, weights: dict[str, str], index: int, shape: Shape) -> None:
        self.weights, self.index, self.shape = weights, index, shape

    def __getitem__(self, name: str) -> str:
        return self.weights[f"model.layers.{self.index}.{name}.weight"]


def signature(shape: Shape) -> tuple[list[onnx.ValueInfoProto], list[onnx.ValueInfoProto]]:
    """Inputs and outputs."""

    def cache(kind: str, length: str) -> list[onnx.ValueInfoProto]:
        dims = ["batch", shape.num_attention_heads, length, shape.head_size]
        return [
            helper.make_tensor_value_info(f"{kind}.{index}.{what}", TensorProto.FLOAT, dims)
            for index in range(shape.num_hidden_layers)
            for what in ("key", "value")
        ]

    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "time"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", shape.vocab_size])
    return [ids, *cache("past_key_values", "past")], [logits, *cache("present", "total")]


def positions(build: GraphBuilder, past: str, time: str, shape: Shape) -> tuple[str, str, str]:
    """Cosines and sines (time, head) of the new positions, and the causal mask (time, total) to add."""
    total = build.op("Add", past, time)
    one = build.constant(1)
    rows = build.op("Unsqueeze", build.op("Range", past, total, one), build.constant([1]))
    columns = build.op("Range", build.constant(0), total, one)
    exponents = np.arange(0, shape.head_size, 2, dtype=np.float32) / np.float32(shape.head_size)
    turns = build.op(
        "Mul",
        build.op("Cast", rows, to=TensorProto.FLOAT),
        build.constant(np.float32(shape.rope_theta) ** -exponents, np.float32),
    )
    both = build.op("Concat", turns, turns, axis=-1)
    hidden = build.op("Greater", columns, rows)
    mask = build.op("Where", hidden, build.constant(-np.inf, np.float32), build.constant(0.0, np.float32))
    return build.op("Cos", both), build.op("Sin", both), mask


def transposed(build: GraphBuilder, weight: str) -> str:
    """The transpose of a matrix."""
    return build.op("Transpose", weight, perm=[1, 0])


def linear(build: GraphBuilder, x: str, weight: str) -> str:
    """Multiply x by the transpose of a PyTorch weight."""
    return build.op("MatMul", x, transposed(build, weight))


def norm(build: GraphBuilder, x: str, gain: str, shape: Shape) -> str:
    """Root-mean-square normalisation."""
    mean = build.op("ReduceMean", build.op("Mul", x, x), axes=[-1], keepdims=1)
    root = build.op("Sqrt", build.op("Add", mean, build.constant(shape.rms_norm_eps, np.float32)))
    return build.op("Mul", build.op("Div", x, root), gain)


def layer(build: GraphBuilder, x: str, part: Part, code: tuple[str, str, str]) -> str:
    """One transformer layer."""
    x = build.op("Add", x, attention(build, norm(build, x, part["input_layernorm"], part.shape), part, code))
    inner = norm(build, x, part["post_attention_layernorm"], part.shape)
    gate = linear(build, inner, part["mlp.gate_proj"])
    gate = build.op("Mul", gate, build.op("Sigmoid", gate))
    up = build.op("Mul", gate, linear(build, inner, part["mlp.up_proj"]))
    return build.op("Add", x, linear(build, up, part["mlp.down_proj"]))


def attention(build: GraphBuilder, x: str, part: Part, code: tuple[str, str, str]) -> str:
    """Self-attention over past and new positions; names the new cache outputs."""
    shape, index = part.shape, part.index
    cos, sin, mask = code
    split = build.constant([0, 0, shape.num_attention_heads, shape.head_size])

    def heads(name: str) -> str:
        flat = build.op("Reshape", linear(build, x, part[f"self_attn.{name}"]), split)
        return build.op("Transpose", flat, perm=[0, 2, 1, 3])

    def cached(what: str, fresh: str) -> str:
        names = (f"past_key_values.{index}.{what}", f"present.{index}.{what}")
        return build.op("Concat", names[0], fresh, axis=2, name=names[1])

    query = rotate(build, heads("q_proj"), (cos, sin), shape)
    keys = cached("key", rotate(build, heads("k_proj"), (cos, sin), shape))
    values = cached("value", heads("v_proj"))
    scores = build.op("MatMul", query, build.op("Transpose", keys, perm=[0, 1, 3, 2]))
    scores = build.op("Mul", scores, build.constant(shape.head_size**-0.5, np.float32))
    mixed = build.op("MatMul", build.op("Softmax", build.op("Add", scores, mask), axis=-1), values)
    mixed = build.op("Transpose", mixed, perm=[0, 2, 1, 3])
    mixed = build.op("Reshape", mixed, build.constant([0, 0, shape.hidden_size]))
    return linear(build, mixed, part["self_attn.o_proj"])


def rotate(build: GraphBuilder, x: str, code: tuple[str, str], shape: Shape) -> str:
    """Turn each pair of coordinates (i, i + head_size/2) by its position's angle."""
    half, end, axis = build.constant([shape.head_size // 2]), build.constant([2**31]), build.constant([3])
    left = build.op("Slice", x, build.constant([0]), half, axis)
    right = build.op("Slice", x, half, end, axis)
    turned = build.op("Concat", build.op("Neg", right), left, axis=-1)
    return build.op("Add", build.op("Mul", x, code[0]), build.op("Mul", turned, code[1]))
