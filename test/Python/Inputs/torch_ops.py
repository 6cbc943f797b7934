# test/Python/Inputs/torch_ops.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions on torch tensors against torch in float64: values and gradients."""

import itertools
import threading

import quack_mlir
import torch
import torch.nn.functional as F
from devices import DEVICE, started
from testing import main, raises

F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
# Of the greatest number: some roundings of the type.
ALLOWED = {F32: 2e-6, F16: 2e-3, BF16: 1.6e-2}


def _close(got, expected, *types):
    """Compares; `types` are those that it was rounded to on its way."""
    assert got.shape == expected.shape, (got.shape, expected.shape)
    if got.numel() == 0:
        return
    allowed = max(ALLOWED[type] for type in (got.dtype, *types))
    scale = max(expected.abs().max().item(), 1e-3)
    worst = (got.double() - expected).abs().max().item() / scale
    assert worst <= allowed, f"off by {worst} of the greatest, {allowed} is allowed"


def _make(shape, dtype):
    return None if dtype is None else torch.randn(shape).to(dtype)


def _norm(kind, x, weight, bias, residual, eps, offset):
    """Returns y and what was normalised."""
    h = x if residual is None else x + residual
    centred = h - h.mean(-1, keepdim=True) if kind == "layer_norm" else h
    y = centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + eps)
    y = y * ((1 if weight is None else weight) + offset)
    return y if bias is None else y + bias, h


def _check_norm(kind, x, weight=None, bias=None, residual=None, needed="xwbr", prenorm=False,
                residual_dtype=None, eps=1e-2, **options):
    """Compares values and the gradients of `needed`; others must be None."""
    own = {"x": x, "w": weight, "b": bias, "r": residual}
    wide = {}
    for name, tensor in own.items():
        if tensor is not None:
            wide[name] = tensor.detach().double().requires_grad_(name in needed)
            own[name] = tensor.detach().requires_grad_(name in needed)
    got = getattr(quack_mlir, kind)(*own.values(), eps, prenorm=prenorm,
                                    residual_dtype=residual_dtype, **options)
    results = got if prenorm else (got,)
    expected = _norm(kind, *(wide.get(name) for name in own), eps, options.get("offset", 0))
    assert results[0].dtype == x.dtype
    if prenorm:
        default = x.dtype if residual is None else residual.dtype
        assert results[1].dtype == (residual_dtype or default)
    for result, right in zip(results, expected):
        _close(result, right)
    if not needed:
        assert not any(result.requires_grad for result in results)
        return
    directions = [torch.randn(result.shape).to(result.dtype) for result in results]
    torch.autograd.backward(results, directions)
    torch.autograd.backward(expected[:len(results)], [d.double() for d in directions])
    # Gradients are of the sum as it was stored.
    saved = set() if residual is None else {residual_dtype or residual.dtype}
    for name, tensor in own.items():
        if tensor is None:
            continue
        if name not in needed:
            assert tensor.grad is None
            continue
        assert tensor.grad.dtype == tensor.dtype, name
        _close(tensor.grad, wide[name].grad, *saved)


def softmax_family():
    for name in ("softmax", "log_softmax", "logsumexp"):
        for dtype, shape in ((F32, (2, 1, 3, 40)), (F16, (3, 40)), (BF16, (3, 40)),
                             (F32, (40,)), (F32, (3, 1)), (F32, (0, 40)), (F32, (2, 0, 40))):
            x = _make(shape, dtype).requires_grad_()
            wide = x.detach().double().requires_grad_()
            y, expected = getattr(quack_mlir, name)(x), getattr(torch, name)(wide, -1)
            assert y.dtype == (F32 if name == "logsumexp" else dtype)
            _close(y, expected)
            direction = torch.randn(y.shape).to(y.dtype)
            y.backward(direction)
            expected.backward(direction.double())
            assert x.grad.dtype == dtype
            _close(x.grad, wide.grad, dtype)


def types_of_weights():
    """Each of x, weight and bias in its own type (A01)."""
    for kind, x, weight, bias in (("rms_norm", BF16, F32, F16), ("rms_norm", F32, BF16, BF16),
                                  ("layer_norm", F32, F16, F32), ("layer_norm", F16, F16, BF16)):
        _check_norm(kind, _make((3, 40), x), _make(40, weight), _make(40, bias))


def presence():
    """Weight and bias there and not there, in sequence (A03)."""
    for kind in ("rms_norm", "layer_norm"):
        for weight, bias in itertools.product((None, F32), repeat=2):
            _check_norm(kind, _make((3, 40), F32), _make(40, weight), _make(40, bias))


def residuals():
    """What is stored of x + residual has the type that is asked for (A05)."""
    for residual, asked in itertools.product((F32, BF16, None), (F32, None)):
        _check_norm("rms_norm", _make((4, 40), BF16), residual=_make((4, 40), residual),
                    residual_dtype=asked, prenorm=True, needed="")
    x, residual = _make((4, 40), BF16), _make((4, 40), F32)
    _check_norm("rms_norm", x, _make(40, BF16), residual=residual, prenorm=True)
    _check_norm("layer_norm", x, residual=residual, prenorm=True)
    _check_norm("layer_norm", x, residual=residual)
    # Only one of two results goes on.
    for index in (0, 1):
        x = _make((3, 40), F32).requires_grad_()
        quack_mlir.rms_norm(x, prenorm=True)[index].sum().backward()
        assert (x.grad == 1).all() == (index == 1)


def needed_gradients():
    for needed in ("x", "w", "b", "r", ""):
        for kind in ("rms_norm", "layer_norm")[:2 if needed in ("r", "") else 1]:
            _check_norm(kind, *(_make(shape, F32) for shape in ((3, 40), 40, 40, (3, 40))),
                        needed=needed)
    with torch.no_grad():
        x = _make((3, 40), F32).requires_grad_()
        assert not quack_mlir.rms_norm(x, x[0]).requires_grad


def shapes_of_norms():
    for kind, shape in (("rms_norm", (2, 1, 3, 40)), ("rms_norm", (0, 40)),
                        ("layer_norm", (40,)), ("layer_norm", (2, 0, 40))):
        _check_norm(kind, _make(shape, F32), _make(40, F32), _make(40, F32))
    _check_norm("rms_norm", _make((3, 40), F32), _make(40, F32), offset=1.0)
    # One column is its own mean.
    x, weight, bias = (torch.randn(shape, requires_grad=True) for shape in ((3, 1), 1, 1))
    y = quack_mlir.layer_norm(x, weight, bias)
    y.sum().backward()
    assert (y == bias).all() and (x.grad.abs() < 1e-4).all() and (weight.grad == 0).all()


def strides():
    """Any strides: rows apart, columns apart, dimensions in another order, one row for all."""
    base = torch.randn(4, 6, 40)
    views = [base[:, ::2], base[:, :, ::2].contiguous()[:, :, 3:17], base[..., ::2],
             base.transpose(0, 1), base.permute(2, 0, 1), base[:1].expand(3, 6, 40),
             base[0, 0].expand(2, 40), base.flip(0)[:, :, 1:]]
    for view in views:
        wide = view.detach().double().requires_grad_()
        own = view.detach().requires_grad_()
        expected = wide.softmax(-1)
        direction = torch.randn(1).expand(view.shape)  # stride 0
        quack_mlir.softmax(own).mul(view).backward(direction)
        expected.mul(view).backward(direction.double())
        _close(own.grad, wide.grad)
    odd = torch.randn(80)[::2]
    _check_norm("layer_norm", base[:, ::2], odd, odd.flip(0), base.transpose(1, 2)[:, :6, :1]
                .expand(4, 6, 40)[:, ::2])


def _loss(x, target, weight, ignore, reduction, smoothing, z, cap):
    v = cap * torch.tanh(x / cap) if cap else x
    loss = F.cross_entropy(v, target, weight, ignore_index=ignore, label_smoothing=smoothing,
                           reduction="none")
    loss = loss + z * torch.logsumexp(v, -1) ** 2 * (target != ignore)
    counts = (target != ignore).double()
    if weight is not None:
        counts = counts * weight[target.clamp(min=0)]
    return {"none": loss, "sum": loss.sum(), "mean": loss.sum() / counts.sum()}[reduction]


def losses():
    """Each reduction with weights and without, then each option, then all (A09, A13)."""
    combinations = [(F32, weight, reduction, -100, 0, 0, 0)
                    for weight in (None, F32) for reduction in ("none", "sum", "mean")]
    combinations += [(F32, None, "mean", 3, 0.1, 0, 0), (F16, BF16, "mean", -100, 0.1, 0, 0),
                     (BF16, None, "sum", -1, 0, 0.01, 0), (F32, None, "none", -100, 0, 0, 5),
                     (BF16, F32, "mean", 2, 0.1, 0.01, 5)]
    for dtype, kind, reduction, ignore, smoothing, z, cap in combinations:
        x = (3 * torch.randn(4, 40)).to(dtype).requires_grad_()
        target = torch.tensor([1, ignore, 39, 0])
        weight = None if kind is None else (torch.rand(40) + 0.1).to(kind)
        wide = x.detach().double().requires_grad_()
        loss = quack_mlir.cross_entropy(x, target, weight, ignore_index=ignore,
                                        reduction=reduction, label_smoothing=smoothing,
                                        z_loss=z, softcap=cap)
        expected = _loss(wide, target, None if weight is None else weight.double(), ignore,
                         reduction, smoothing, z, cap)
        assert loss.dtype == F32
        _close(loss, expected)
        direction = torch.tensor([1.0, 2.0, -3.0, 0.0])
        direction = direction if reduction == "none" else direction[2]
        loss.backward(direction)
        expected.backward(direction.double())
        _close(x.grad, wide.grad, dtype)
        assert (x.grad[1] == 0).all()
        assert reduction != "none" or (x.grad[3] == 0).all()


def losses_of_other_shapes():
    x = torch.randn(2, 3, 40)
    target = torch.tensor([[1, 2, 3], [4, 5, 6]])
    for reduction in ("mean", "none"):
        loss = quack_mlir.cross_entropy(x, target, reduction=reduction)
        expected = F.cross_entropy(x.view(6, 40).double(), target.view(6), reduction="none")
        _close(loss, expected.mean() if reduction == "mean" else expected.view(2, 3))
    _close(quack_mlir.cross_entropy(x[0, 0], target[0, 0]),
           F.cross_entropy(x[0, 0].double(), target[0, 0]))
    # Targets that lie apart, and in another order than the rows.
    _close(quack_mlir.cross_entropy(x[:, 0], target[:, 1]),
           F.cross_entropy(x[:, 0].double(), target[:, 1]))
    turned = x.transpose(0, 1)
    for weight in (None, torch.rand(40) + 0.1):
        wide = None if weight is None else weight.double()
        _close(quack_mlir.cross_entropy(turned, target.t(), weight),
               F.cross_entropy(turned.reshape(6, 40).double(), target.t().reshape(6), wide))
    # As torch: the mean of no rows is NaN, and of none that count; the sum is 0.
    ignored = torch.full((2,), -100)
    for rows, classes in ((x[0, :0], target[0, :0]), (x[:, 0], ignored)):
        assert quack_mlir.cross_entropy(rows, classes).isnan()
        assert quack_mlir.cross_entropy(rows, classes, reduction="sum") == 0
        assert quack_mlir.cross_entropy(rows, classes, reduction="none").sum() == 0
    # A target that is no column: NaN in its row alone (A11).
    loss = quack_mlir.cross_entropy(x[0], torch.tensor([1, 40, -1]), reduction="none")
    assert loss.isnan().tolist() == [False, True, True]


def saved_tensors():
    """What a later operator does to a result never spoils an earlier gradient (A15)."""
    z = torch.randn(4, 40, requires_grad=True)
    target = torch.tensor([0, 1, 2, 3])
    quack_mlir.cross_entropy(quack_mlir.softmax(z), target).backward()
    wide = z.detach().double().requires_grad_()
    F.cross_entropy(wide.softmax(-1), target).backward()
    _close(z.grad, wide.grad)
    y = quack_mlir.softmax(z)
    with torch.no_grad():
        y.mul_(2)
    with raises(RuntimeError, "modified by an inplace operation"):
        y.sum().backward()


def operators():
    """torch.ops' own way, which torch.compile takes, does what the functions do."""
    x, weight, target = torch.randn(3, 40), torch.randn(40), torch.tensor([1, 2, 3])
    ops = torch.ops.quack_mlir
    for function, operator in (
            (quack_mlir.softmax, ops.softmax),
            (lambda x: quack_mlir.rms_norm(x, weight, eps=1e-6),
             lambda x: ops.rms_norm(x, None, weight, None, 1e-6, 0.0, None, True)[0]),
            (lambda x: quack_mlir.cross_entropy(x, target),
             lambda x: ops.cross_entropy(x, target, None, True, True, -100, 0.0, 0.0, 0.0)[1])):
        results = []
        for call in (function, operator):
            own = x.clone().requires_grad_()
            y = call(own)
            (y * y).sum().backward()
            results.append((y.detach(), own.grad))
        assert all((a == b).all() for a, b in zip(*results))
    # Statistics are f32, whatever x is (A07); what is not asked for is empty.
    half = x.to(BF16)
    y, h, rstd = ops.rms_norm(half, None, None, None, 1e-6, 0.0, None, True)
    assert rstd.dtype == F32 and rstd.shape == (3,) and h.numel() == 0
    y, h, mean, rstd = ops.layer_norm(half, None, None, None, 1e-6, None, True)
    _close(mean, half.double().mean(-1))
    assert mean.dtype == rstd.dtype == F32


def second_gradients():
    """A gradient of a gradient is an error, never wrong; also where what comes in is a
    constant."""
    x, weight = torch.randn(3, 40), torch.randn(40)
    target = torch.tensor([1, 2, 3])
    for call in (quack_mlir.softmax, torch.ops.quack_mlir.softmax, quack_mlir.logsumexp,
                 lambda x: quack_mlir.rms_norm(x, weight),
                 lambda x: quack_mlir.layer_norm(x, weight),
                 lambda x: quack_mlir.cross_entropy(x, target)):
        own = x.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(call(own).sum(), own, create_graph=True)
        with raises(RuntimeError, "quack_mlir", "gradient of a gradient"):
            torch.autograd.grad((gradient * own).sum(), own)
        with raises(RuntimeError, "quack_mlir", "gradient of a gradient"):
            gradient.sum().backward()


def forward_mode():
    """Tangents are an error, and not lost."""
    x = torch.randn(2, 8)
    with raises(NotImplementedError, "softmax has no forward-mode gradient"):
        torch.func.jvp(quack_mlir.softmax, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        with raises(NotImplementedError, "logsumexp has no forward-mode gradient"):
            quack_mlir.logsumexp(dual)
        quack_mlir.logsumexp(x)


def errors():
    """Each names the function and the argument (A21)."""
    x, weight, target = torch.randn(3, 40), torch.randn(40), torch.tensor([1, 2, 3])
    norm, loss = quack_mlir.rms_norm, quack_mlir.cross_entropy
    for call in (quack_mlir.softmax, lambda x: norm(x, weight), quack_mlir.logsumexp):
        with raises(TypeError, "operand 'x' must be of float32", "got float64"):
            call(x.double())
        with raises(quack_mlir.QuackError, "operand 'x'", "cannot be stored as 'i32'"):
            call(x.int())
        with raises(quack_mlir.QuackError, "operand 'x': must have"):
            call(x[:, :0])
        with raises(TypeError, "x must be a torch.Tensor, got ndarray"):
            call(x.cpu().numpy())
    with raises(quack_mlir.QuackError, "softmax: operand 'x': must have rows of columns"):
        quack_mlir.softmax(torch.tensor(1.0))
    for wrong in (weight[:20], weight.expand(2, 40)):
        with raises(quack_mlir.QuackError, "rms_norm: operand 'weight': must"):
            norm(x, wrong)
    with raises(TypeError, "rms_norm: operand 'weight' must be of float32"):
        norm(x, weight.double())
    with raises(TypeError, "rms_norm: weight must be a torch.Tensor, got list"):
        norm(x, [1.0] * 40)
    with raises(ValueError, "rms_norm: operand 'weight' must be on a GPU", "meta"):
        norm(x, weight.to("meta"))
    if DEVICE != "cpu":
        with raises((ValueError, quack_mlir.QuackError), "rms_norm: operand 'weight'", "CPU"):
            norm(x, weight.cpu())
    for wrong in (x[:2], x.view(1, 3, 40), x.T):
        with raises(ValueError, "rms_norm: residual must be [3, 40]"):
            norm(x, residual=wrong)
    with raises(TypeError, "rms_norm: residual_dtype must be float32", "int8"):
        norm(x, prenorm=True, residual_dtype=torch.int8)
    for name, values in (("eps", (-1, float("nan"))), ("eps", ("a", [1], 1j)),
                         ("offset", ("a", None))):
        for value in values:
            with raises((TypeError, ValueError), f"rms_norm: {name} must be"):
                norm(x, **{name: value})
    with raises(ValueError, "cross_entropy: target must be [3], got [3, 40]"):
        loss(x, x.softmax(-1))
    with raises(ValueError, "cross_entropy: target must be [3, 1], got [1, 3]"):
        loss(x.view(3, 1, 40), target.view(1, 3))
    with raises(quack_mlir.QuackError, "operand 'target'", "cannot be stored as 'f32'"):
        loss(x, x[:, 0])
    with raises(TypeError, "cross_entropy: target must be a torch.Tensor, got list"):
        loss(x, [1, 2, 3])
    for options, part in (({"reduction": "avg"}, "reduction must be"),
                          ({"label_smoothing": 1.5}, "label_smoothing must be at most 1"),
                          ({"label_smoothing": -1}, "label_smoothing must be at least 0"),
                          ({"z_loss": "a"}, "z_loss must be a number"),
                          ({"softcap": -1}, "softcap must be at least 0"),
                          ({"ignore_index": 1.5}, "ignore_index must be an integer"),
                          ({"weight": weight[:3]}, "operand 'weight': must have 40 columns"),
                          ({"weight": weight.clone().requires_grad_()}, "weight has no gradient")):
        with raises((TypeError, ValueError, quack_mlir.QuackError), f"cross_entropy: {part}"):
            loss(x, target, **options)
    with raises(ValueError, "operand 'x' is on the CPU", "simulate()"):
        thread = threading.Thread(target=_keep_error, args=(quack_mlir.softmax, x.cpu()))
        thread.start()
        thread.join()
        raise _errors.pop()


_errors = []


def _keep_error(call, x):
    """In a thread, which is not within simulate()."""
    try:
        call(x)
    except Exception as error:
        _errors.append(error)


def shapes_alone():
    x = torch.empty(3, 40, device="meta")
    assert quack_mlir.softmax(x).is_meta and quack_mlir.logsumexp(x).shape == (3,)
    y, h = quack_mlir.rms_norm(x, x[0], prenorm=True, residual_dtype=BF16)
    assert h.dtype == BF16 and h.is_meta and y.shape == x.shape


def callables():
    """compile's callables on tensors: results, and no gradients that nobody computes."""
    kernel = quack_mlir.compile("softmax")
    x = torch.randn(3, 40)
    y = torch.empty(3, 40)
    assert kernel(x, out=y) is y
    _close(y, x.double().softmax(-1))
    _close(kernel(x.to(BF16)), x.to(BF16).double().softmax(-1))
    for _ in range(2):
        with raises(ValueError, "softmax: operand 'x' requires a gradient", "no_grad"):
            kernel(x.clone().requires_grad_(), out=y)
    with torch.no_grad():
        kernel(x.clone().requires_grad_(), out=y)
    norm = quack_mlir.compile("rms_norm")
    y, h = norm(x, eps=1e-6, returns=["y", "residual_out"], dtypes={"residual_out": F16})
    assert h.dtype == F16
    _close(h, x.double())


if __name__ == "__main__":
    with started():
        main()
