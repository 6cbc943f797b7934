# test/Python/Inputs/torch_compile.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of torch under opcheck, torch.compile and autocast."""

import subprocess
import sys

import quack_mlir
import torch
from devices import DEVICE, started
from testing import main

F32, BF16 = torch.float32, torch.bfloat16
OPS = torch.ops.quack_mlir


def _samples():
    """Arguments of each operator, with and without what is optional."""
    assert quack_mlir.softmax  # which defines them
    x, w, rows = torch.randn(3, 40), torch.randn(40), torch.randn(3)
    target = torch.tensor([1, -100, 3])
    half = x.to(BF16)
    for name in ("softmax", "log_softmax", "logsumexp"):
        yield name, (x,)
    yield "softmax", (half[:, ::2],)
    yield "softmax_backward", (x, half)
    yield "log_softmax_backward", (x, x)
    yield "logsumexp_backward", (x, rows, rows)
    yield "rms_norm", (x, None, None, w, 1e-6, 1.0, None, False)
    yield "rms_norm", (half, None, w, None, 1e-6, 0.0, F32, False)
    yield "rms_norm", (half, x, w, w, 1e-6, 0.0, F32, True)
    yield "layer_norm", (x.view(3, 1, 40), None, None, w, 1e-6, None, True)
    yield "layer_norm", (half, x, w.to(BF16), None, 1e-6, BF16, True)
    yield "rms_norm_backward", (x, x, x, w, rows, 0.0, F32, BF16, F32)
    yield "rms_norm_backward", (half, None, x, None, rows, 0.0, BF16, None, None)
    yield "layer_norm_backward", (x, None, x, None, rows, rows, F32, None, BF16)
    for weight, total, mean in ((None, False, False), (w.abs(), True, True)):
        yield "cross_entropy", (x, target, weight, total, mean, -100, 0.0, 0.0, 0.0)
    for dloss, divisor in ((rows, None), (rows[0].expand(3), rows[0])):
        yield "cross_entropy_backward", (half, target, None, dloss, divisor, -100, 0.1, 0.01, 5.0)


def opcheck():
    """Schemas, fake kernels and gradients of all operators (A19)."""
    seen = set()
    for name, arguments in _samples():
        seen.add(name)
        torch.library.opcheck(getattr(OPS, name).default, arguments)
        statistics = not name.endswith("norm") or arguments[-1]
        if name.endswith("_backward") or not statistics:
            continue
        needing = [a.clone().requires_grad_() if isinstance(a, torch.Tensor) and
                   a.is_floating_point() else a for a in arguments]
        if name == "cross_entropy":
            needing[2] = arguments[2]
        torch.library.opcheck(getattr(OPS, name).default, tuple(needing),
                              test_utils=("test_autograd_registration", "test_faketensor"))
    defined = {name for name in dir(OPS) if not name.startswith("_") and name != "name"}
    assert seen == defined, seen ^ defined


def fake_results_are_as_real():
    """In type, shape and strides, for each operator."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    for name, arguments in _samples():
        operator = getattr(OPS, name).default
        real = operator(*arguments)
        with FakeTensorMode() as mode:
            fake = operator(*(mode.from_tensor(a) if isinstance(a, torch.Tensor) else a
                              for a in arguments))
        for a, b in zip(*((t if isinstance(t, tuple) else (t,)) for t in (real, fake))):
            assert (a.shape, a.dtype, a.stride()) == (b.shape, b.dtype, b.stride()), name


def modes():
    """What watches operators sees them, though no compiler is there."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            names.append(str(function))
            return function(*arguments, **(options or {}))

    names = []
    x = torch.randn(2, 8, requires_grad=True)
    with Watch():
        quack_mlir.softmax(x).sum().backward()
    assert "quack_mlir.softmax.default" in names, names
    assert "quack_mlir.softmax_backward.default" in names, names


class Model(torch.nn.Module):
    """All functions, on what is not contiguous; one weight has a gradient, as simulated
    sums over rows take long."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(40) + 0.5)

    def forward(self, x, target):
        h = x.transpose(0, 1) * 2
        y, h = quack_mlir.rms_norm(h, self.weight, residual=h.to(BF16), prenorm=True)
        y = quack_mlir.layer_norm(y + 1)
        y = quack_mlir.softmax(y) + quack_mlir.log_softmax(h.float())
        y = y * quack_mlir.logsumexp(y).unsqueeze(-1)
        return quack_mlir.cross_entropy(y, target, label_smoothing=0.1)


class Small(Model):
    def forward(self, x, target):
        y = quack_mlir.rms_norm(x.transpose(0, 1) * 2, self.weight)
        return (quack_mlir.softmax(y + 1) * target.unsqueeze(-1)).sum()


def _run(model, call, x, target):
    x = x.clone().requires_grad_()
    model.zero_grad()
    loss = call(x, target)
    loss.backward()
    return loss.detach(), x.grad, model.weight.grad.clone()


def check_compiled(model, backend, batches, **options):
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend=backend, **options)
    for batch in batches:
        x, target = torch.randn(3, batch, 40), torch.randint(0, 40, (batch, 3))
        for got, expected in zip(_run(model, compiled, x, target), _run(model, model, x, target)):
            torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


def aot_eager():
    check_compiled(Model(), "aot_eager", (2, 3), dynamic=True)
    check_compiled(Small(), "aot_eager", (2,))


def graphs():
    """One graph for any number of rows; specialisations are none of torch's business."""
    torch._dynamo.reset()
    graphs = []

    def count(module, inputs):
        graphs.append(module)
        return module.forward

    norm = torch.compile(lambda x, w: quack_mlir.rms_norm(x, w), fullgraph=True, backend=count,
                         dynamic=True)
    weight = torch.randn(40)
    with torch.no_grad():
        for rows in (2, 3, 7, 30):
            x = torch.randn(rows, 40)
            assert (norm(x, weight) == quack_mlir.rms_norm(x, weight)).all()
    assert len(graphs) == 1
    nodes = [str(node.target) for node in graphs[0].graph.nodes if node.op == "call_function"]
    assert "quack_mlir.rms_norm.default" in nodes, nodes


def no_gradients():
    """Where no gradient is needed there is one operator, and nothing is kept."""
    torch._dynamo.reset()
    model = Small()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    x, target = torch.randn(3, 2, 40), torch.randint(0, 40, (2, 3))
    with torch.inference_mode():
        torch.testing.assert_close(compiled(x, target), model(x, target))


def autocast():
    """Types follow the inputs; gradients go to parameters in their own."""
    linear, weight = torch.nn.Linear(40, 40), torch.ones(40, requires_grad=True)
    x, target = torch.randn(3, 40, requires_grad=True), torch.tensor([1, 2, 3])
    with torch.autocast(DEVICE, BF16):
        y = quack_mlir.rms_norm(linear(x), weight)
        loss = quack_mlir.cross_entropy(linear(y), target)
    assert y.dtype == BF16 and loss.dtype == F32
    loss.backward()
    assert x.grad.dtype == weight.grad.dtype == F32 and weight.grad.abs().max() > 0


def checkpoints():
    x = torch.randn(3, 40, requires_grad=True)
    run = torch.utils.checkpoint.checkpoint
    run(quack_mlir.layer_norm, x, use_reentrant=False).pow(3).sum().backward()
    wide = x.detach().double().requires_grad_()
    torch.nn.functional.layer_norm(wide, (40,)).pow(3).sum().backward()
    torch.testing.assert_close(x.grad.double(), wide.grad, rtol=1e-4, atol=1e-4)


def export():
    class Norm(torch.nn.Module):
        def forward(self, x):
            return quack_mlir.softmax(x)

    x = torch.randn(3, 40)
    rows = torch.export.Dim("rows")
    program = torch.export.export(Norm(), (x,), dynamic_shapes=({0: rows},))
    more = torch.randn(5, 40)
    assert (program.module()(more) == quack_mlir.softmax(more)).all()


def import_first():
    """torch may come after the package, too, which leaves CUDA alone."""
    script = """
import quack_mlir
import torch
with quack_mlir.simulate():
    print(float(quack_mlir.softmax(torch.zeros(1, 4)).sum()), torch.cuda.is_initialized())
"""
    assert vars(quack_mlir)["softmax"] is quack_mlir.softmax  # looked up once
    said = subprocess.run([sys.executable, "-c", script], text=True, check=True,
                          capture_output=True).stdout
    assert said.strip() == "1.0 False", said


if __name__ == "__main__":
    with started():
        main()
