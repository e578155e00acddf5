"""The encoder as an ONNX graph of standard operators, built from the weights.

Input `words` (texts, tokens, width): looked-up rows with positions added. Output `means` (texts,
width). All texts of a run have the same number of tokens, so nothing is padded or masked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from assets.embedding.weights import Weights

OPERATORS = 23  # the first set of ONNX with Attention
FORMAT = 10


def built(weights: Weights) -> bytes:
    """The whole graph, serialised; about 85 MB. Raises WeightsError."""
    return bytes(_Builder(weights).model.SerializeToString())


class _Builder:
    """Adds nodes and tensors straight to one model, so that no large tensor exists twice."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        given: list[str | int | None] = ["texts", "tokens", weights.width]
        gives: list[str | int | None] = ["texts", weights.width]
        self.model = helper.make_model(
            helper.make_graph(
                [],
                "encoder",
                [helper.make_tensor_value_info("words", TensorProto.FLOAT, given)],
                [helper.make_tensor_value_info("means", TensorProto.FLOAT, gives)],
            ),
            opset_imports=[helper.make_opsetid("", OPERATORS)],
            ir_version=FORMAT,
        )
        self._node("Shape", ["words"], "texts and tokens", start=0, end=2)
        wide = self._constant("wide", np.array([3 * weights.width]))
        self._node("Concat", ["texts and tokens", wide], "apart", axis=0)
        at = self._normed(self._flat("words", "all tokens"), "emb.ln")
        for layer in range(weights.layers):
            at = self._layer(at, f"l{layer}")
        apart = self._node("Reshape", [at, self._node("Shape", ["words"], "as words")], "last")
        self._node("ReduceMean", [apart, self._constant("axis", np.array([1]))], "means", keepdims=0)

    def _layer(self, at: str, layer: str) -> str:
        """Attention, then the inner layer, each added to what came in and normed."""
        heads = self.weights.heads
        # One product for the three inputs of attention, one text after another: a tenth quicker.
        joined = self._linear(at, f"{layer}.qkv", *(f"{layer}.{part}" for part in "qkv"))
        apart = self._node("Reshape", [joined, "apart"], f"{layer}.apart")
        parts = [f"{layer}.query", f"{layer}.key", f"{layer}.value"]
        self.model.graph.node.append(helper.make_node("Split", [apart], parts, axis=2, num_outputs=3))
        attended = self._node("Attention", parts, f"{layer}.all", q_num_heads=heads, kv_num_heads=heads)
        mixed = self._linear(self._flat(attended, f"{layer}.attended"), f"{layer}.ao")
        at = self._normed(self._node("Add", [at, mixed], f"{layer}.first"), f"{layer}.aln")
        inner = self._node("Gelu", [self._linear(at, f"{layer}.fi")], f"{layer}.gelu")
        outer = self._linear(inner, f"{layer}.fo")
        return self._normed(self._node("Add", [at, outer], f"{layer}.second"), f"{layer}.oln")

    def _linear(self, at: str, name: str, *parts: str) -> str:
        """All tokens times one matrix, or several side by side, plus bias."""
        names = parts or (name,)
        matrix = np.concatenate([self.weights.matrix(f"{part}.w") for part in names])
        bias = np.concatenate([self.weights.floats(f"{part}.b") for part in names])
        weight = self._constant(f"{name}.w", np.ascontiguousarray(matrix.T))
        return self._node("Gemm", [at, weight, self._constant(f"{name}.b", bias)], name)

    def _flat(self, at: str, name: str) -> str:
        """The tokens of all texts below each other, shape (all, width)."""
        if at == "words":
            self._constant("flat", np.array([-1, self.weights.width]))
        return self._node("Reshape", [at, "flat"], name)

    def _normed(self, at: str, name: str) -> str:
        scale, shift = (
            self._constant(f"{name}.{part}", self.weights.floats(f"{name}.{part}")) for part in "wb"
        )
        epsilon = self.weights.epsilon
        return self._node("LayerNormalization", [at, scale, shift], name, axis=-1, epsilon=epsilon)

    def _node(self, operator: str, inputs: list[str], output: str, **settings: Any) -> str:
        self.model.graph.node.append(helper.make_node(operator, inputs, [output], **settings))
        return output

    def _constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.model.graph.initializer.append(numpy_helper.from_array(value, name))
        return name
