#!/usr/bin/env python3
# tools/dev/train-gpu.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a transformer of GPT-2's size on a GPU four times, with the same seeds: with torch's
norms, softmax and cross-entropy and with quack_mlir's, each as it is and under torch.compile.

Prints the loss of each, how far it is from that of torch as it is, and the time of a step;
fails if quack_mlir's is further away than torch.compile's (twice, since both are roundings).

    tools/dev/train-gpu.py [--steps=50] [--autocast] [--json=FILE]
"""

import argparse
import json
import math
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import quack_mlir

VOCABULARY, WIDTH, LAYERS, HEADS, CONTEXT, BATCH = 50257, 768, 12, 12, 512, 8


class Torch:
    """What is exchanged, as torch has it."""

    @staticmethod
    def layer_norm(x, weight, bias):
        return F.layer_norm(x, x.shape[-1:], weight, bias)

    @staticmethod
    def softmax(x):
        return torch.softmax(x, -1)

    @staticmethod
    def cross_entropy(logits, target):
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())


class Quack:
    """And as quack_mlir has it."""

    layer_norm = staticmethod(quack_mlir.layer_norm)
    softmax = staticmethod(quack_mlir.softmax)
    cross_entropy = staticmethod(quack_mlir.cross_entropy)


class Norm(nn.Module):
    def __init__(self, ops):
        super().__init__()
        self.ops = ops
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        return self.ops.layer_norm(x, self.weight, self.bias)


class Block(nn.Module):
    def __init__(self, ops):
        super().__init__()
        self.ops = ops
        self.norm1, self.norm2 = Norm(ops), Norm(ops)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x):
        batch, length, _ = x.shape
        qkv = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        p = self.ops.softmax(scores.masked_fill(future, -torch.inf))
        return self.out((p.to(v.dtype) @ v).transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, ops):
        super().__init__()
        self.ops = ops
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block(ops) for _ in range(LAYERS))
        self.norm = Norm(ops)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.token(tokens) + self.place.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.norm(x)[:, :-1] @ self.token.weight.T
        return self.ops.cross_entropy(logits, tokens[:, 1:])


def make_batches(steps):
    """Returns sequences with something to learn: each token follows from the one before."""
    generator = torch.Generator().manual_seed(1)
    following = torch.randint(VOCABULARY, (VOCABULARY,), generator=generator)
    batches = []
    for _ in range(steps):
        tokens = torch.randint(512, (BATCH, CONTEXT), generator=generator)
        for place in range(1, CONTEXT):
            known = torch.rand(BATCH, generator=generator) < 0.8
            tokens[:, place] = torch.where(
                known, following[tokens[:, place - 1]], tokens[:, place]
            )
        batches.append(tokens.cuda())
    return batches


def train(ops, compiled, batches, autocast):
    """Returns the losses and the milliseconds of a step, the median of the last half."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    model = Model(ops).cuda()
    run = torch.compile(model, fullgraph=True) if compiled else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses, times = [], []
    for tokens in batches:
        torch.cuda.synchronize()
        start = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
            loss = run(tokens)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return [loss.item() for loss in losses], statistics.median(times[len(times) // 2 :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--autocast", action="store_true", help="bfloat16, as torch.autocast")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    batches = make_batches(options.steps)
    results = {}
    for name, ops, compiled in (
        ("torch", Torch, False),
        ("torch.compile", Torch, True),
        ("quack", Quack, False),
        ("quack, torch.compile", Quack, True),
    ):
        losses, milliseconds = train(ops, compiled, batches, options.autocast)
        reference = results.setdefault("torch", {"losses": losses})["losses"]
        distance = max(abs(a - b) for a, b in zip(losses, reference))
        results[name] = dict(losses=losses, ms=milliseconds, distance=distance)
        print(
            f"{name:22s} loss {losses[0]:.4f} -> {losses[-1]:.4f}, at most {distance:.2e} from "
            f"torch's, {milliseconds:.2f} ms a step",
            flush=True,
        )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file)
    allowed = 2 * results["torch.compile"]["distance"]
    far = [name for name, result in results.items() if result["distance"] > allowed]
    if far:
        sys.exit(f"train-gpu: further from torch than torch.compile is: {', '.join(far)}")


main()
