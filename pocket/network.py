"""A small Llama in plain PyTorch, its parameters named as transformers names them.

Training needs the hidden state at a few positions only, so the output layer (half of all parameters) is applied
to those alone; that and the absence of padding masks is what makes minutes on one core enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a model; the words are those of a Llama ``config.json``."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    vocab_size: int
    rope_theta: float = 10_000.0
    rms_norm_eps: float = 1e-5

    @property
    def head_size(self) -> int:
        """Width of one attention head."""
        return self.hidden_size // self.num_attention_heads


class Norm(nn.Module):
    """Root-mean-square normalisation with a learned gain."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape.hidden_size))
        self.eps = shape.rms_norm_eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last axis."""
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


class Attention(nn.Module):
    """Causal self-attention with rotary positions, no biases."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.hidden_size
        self.heads = shape.num_attention_heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Mix positions. x: (batch, time, width); cos, sin: (time, head_size)."""
        batch, time, width = x.shape
        split = (batch, time, self.heads, width // self.heads)
        q = rotate(self.q_proj(x).view(split).transpose(1, 2), cos, sin)
        k = rotate(self.k_proj(x).view(split).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(split).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out: Tensor = self.o_proj(mixed.transpose(1, 2).reshape(batch, time, width))
        return out


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=False)
        self.up_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=False)
        self.down_proj = nn.Linear(shape.intermediate_size, shape.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each position by itself."""
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class Layer(nn.Module):
    """Attention, then feed-forward, each on a normalised residual stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = Norm(shape)
        self.self_attn = Attention(shape)
        self.post_attention_layernorm = Norm(shape)
        self.mlp = FeedForward(shape)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Apply the layer. x: (batch, time, width)."""
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        out: Tensor = x + self.mlp(self.post_attention_layernorm(x))
        return out


class Body(nn.Module):
    """Everything but the output layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.num_hidden_layers))
        self.norm = Norm(shape)


class Network(nn.Module):
    """A Llama with tied input and output embeddings."""

    def __init__(self, shape: Shape, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.shape = shape
        self.model = Body(shape)
        deviation = shape.hidden_size**-0.5
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                shrink = (2 * shape.num_hidden_layers) ** -0.5 if "o_proj" in name or "down" in name else 1.0
                nn.init.normal_(parameter, std=shrink * deviation)

    def hidden(self, ids: Tensor) -> Tensor:
        """Last hidden states (batch, time, width) of right-padded token ids (batch, time)."""
        cos, sin = angles(ids.shape[1], self.shape)
        x = self.model.embed_tokens(ids)
        for layer in self.model.layers:
            x = layer(x, cos, sin)
        out: Tensor = self.model.norm(x)
        return out

    def loss(self, ids: Tensor, positions: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy (nats) of targets at flat positions of ids (batch, time)."""
        states = self.hidden(ids).flatten(0, 1)[positions]
        return F.cross_entropy(states @ self.model.embed_tokens.weight.T, targets)


def angles(time: int, shape: Shape) -> tuple[Tensor, Tensor]:
    """Cosines and sines (time, head_size) of the rotary position code, laid out as in Llama."""
    exponents = torch.arange(0, shape.head_size, 2, dtype=torch.float32) / shape.head_size
    turns = torch.outer(torch.arange(time, dtype=torch.float32), shape.rope_theta**-exponents)
    both = torch.cat((turns, turns), dim=-1)
    return both.cos(), both.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of coordinates (i, i + head_size/2) by its position's angle."""
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin
