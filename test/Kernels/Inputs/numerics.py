# test/Kernels/Inputs/numerics.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that kernels of this kind have shipped with, each with its right value: one
function a case, named as in the table of lib/Kernels/README.md. Runs in the simulator,
each verified against the evaluator besides."""

import random

import references as ref
from regression import *

KERNELS = kernels()
PINS = ["", "threads = 64, threads_per_row = 64", "cluster = 2, threads = 64, threads_per_row = 64"]


def call(kernel, inputs, outputs, columns, storage="", scalars=(), pin="", *options):
    arguments = ["--columns=%d" % columns] + list(options)
    arguments += ["--storage=" + storage] if storage else []
    arguments += ["--pin=" + pin] if pin else []
    for name, value in dict(scalars).items():
        arguments += ["--scalar", "%s=%r" % (name, value)]
    return run(KERNELS[kernel], inputs, outputs, *arguments)


def normal(rows, columns, seed):
    generator = random.Random(seed)
    return [[round(generator.gauss(0, 1) * 256) / 256 for _ in range(columns)]
            for _ in range(rows)]


def N01_columns_that_do_not_exist_in_a_variance():
    for columns in (1, 2, 255, 257, 769, 1025):
        x = [[1000 + 100 * r + ((c % 17) - 8) / 8 for c in range(columns)] for r in range(3)]
        for pin in PINS[:1 if columns < 200 else 3]:
            mean, rstd = call("layer_norm", {"x": x}, ["mean", "rstd"], columns,
                              "mean:f32,rstd:f32", {"eps": 1e-6}, pin)
            for row, m, s in zip(x, mean, rstd):
                expected = ref.layer_norm(row, eps=1e-6)
                close(m, expected["mean"], 1e-6)
                close(s, expected["rstd"], 1e-4)
            if columns == 769:
                close(mean, [999.99577, 1099.99577, 1199.99577], 1e-7)
                close(rstd, [1.62959] * 3, 1e-4)


def N05_a_warp_that_sees_only_minus_infinity():
    for columns in (1024, 4096):
        rows = [[0.0] + [-INF] * (columns - 1), [-INF] * (columns - 1) + [0.0],
                [0.0 if c % 1000 == 0 else -INF for c in range(columns)]]
        shares = [1, 1, 1 / len(range(0, columns, 1000))]
        for storage in ("f32", "bf16"):
            y = call("softmax", {"x": (rows, storage)}, ["y"], columns, storage)
            lse = call("logsumexp", {"x": (rows, storage)}, ["lse"], columns, storage)
            loss = call("cross_entropy", {"x": (rows, storage), "target": ([0, columns - 1, 0], "i64")},
                        ["loss"], columns, storage)
            dx = call("cross_entropy_backward",
                      {"x": (rows[:2], storage), "target": ([0, columns - 1], "i64")}, ["dx"],
                      columns, storage)
            for row, out, share in zip(rows, y, shares):
                close(out, [share if v == 0 else 0.0 for v in row], 4e-3 if storage == "bf16" else 1e-6, 0)
            close(lse, [0, 0, -math.log(shares[2])], 1e-6)
            close(loss, lse, 1e-6)
            assert all(d == 0 for row in dx for d in row)


def N07_a_row_that_is_masked_altogether():
    rows = [[0.0] * 128, [-INF] * 128, [0.0] * 128]
    for pin in ("", "threads = 64, threads_per_row = 8"):
        y = call("softmax", {"x": rows}, ["y"], 128, pin=pin)
        logs = call("log_softmax", {"x": rows}, ["y"], 128, pin=pin)
        assert y[0] == y[2] == [1 / 128] * 128 and all(math.isnan(v) for v in y[1] + logs[1])
        close(call("logsumexp", {"x": rows}, ["lse"], 128, pin=pin), [4.852030, -INF, 4.852030])
        assert call("max", {"x": rows}, ["m"], 128, pin=pin) == [0, -INF, 0]


def N10_the_argument_of_the_exponential():
    for value in (1e4, 1e8, 1e14, 3e38, -3e38):
        rows = [[value] * 256] * 2
        assert call("softmax", {"x": rows}, ["y"], 256) == [[1 / 256] * 256] * 2
        close(call("log_softmax", {"x": rows}, ["y"], 256), [[-5.545177] * 256] * 2)


def N12_a_large_common_offset():
    for columns in (2, 1000):
        for value in (1.0, 1e4, 1e6, 1e8, 1e20):
            given = {"x": [[value] * columns], "target": ([1], "i64")}
            close(call("cross_entropy", given, ["loss"], columns), [math.log(columns)], 1e-6)
            dx = call("cross_entropy_backward", given, ["dx"], columns)[0]
            close(dx, [1 / columns - (c == 1) for c in range(columns)], 1e-6)


def N14_not_a_number_is_passed_on():
    clean = [[1.0] * 1000 for _ in range(3)]
    norm = {"eps": 1e-6}
    before = {kernel: call(kernel, {"x": clean}, ["y"], 1000, scalars=options)
              for kernel, options in (("softmax", {}), ("rms_norm", norm), ("layer_norm", norm))}
    for place in (0, 1, 31, 32, 127, 511, 999):
        rows = [list(row) for row in clean]
        rows[1][place] = NAN
        for storage in ("f32", "bf16", "f16"):
            m = call("max", {"x": (rows, storage)}, ["m"], 1000, storage)
            assert m[0] == m[2] == 1 and math.isnan(m[1])
        for kernel, options in (("softmax", {}), ("rms_norm", norm), ("layer_norm", norm)):
            y = call(kernel, {"x": rows}, ["y"], 1000, scalars=options)
            assert y[0] == before[kernel][0] and y[2] == before[kernel][2]
            assert all(math.isnan(v) for v in y[1])


def N16_the_first_of_several_that_are_not_numbers():
    for columns in (1000, 1024):
        for places in ((517, 700), (0,), (999,)):
            row = [-float(c) for c in range(columns)]
            for place in places:
                row[place] = NAN
            for pin in PINS:
                column, value = call("argmax", {"x": [row]}, ["column", "value"], columns,
                                     "value:f32", pin=pin)
                assert column == [places[0]] and math.isnan(value[0]), (column, value)


def N19_ties_go_to_the_first():
    def row(columns, *places):
        return [1.0 if c in places or not places else 0.0 for c in range(columns)]
    for given, expected in [((1024,), 0), ((1024, 300, 700), 300), ((1024, 5, 6), 5),
                            ((512, 5, 256), 5), ((32768, 0, 32767), 0)]:
        for cluster in (1, 2, 4, 8):
            pin = "cluster = %d, threads_per_row = 64, threads = 64" % cluster
            if given[0] == 32768:
                pin = "cluster = %d, threads_per_row = 512, threads = 512" % cluster
            rows = [row(*given), [-0.0 if c % 2 else 0.0 for c in range(given[0])]]
            assert call("argmax", {"x": rows}, ["column"], given[0], pin=pin) == [expected, 0]


def N25_indices_are_not_added():
    row = [0.0] * 131072
    row[100001] = 1.0
    assert call("argmax", {"x": [row] * 2}, ["column"], 131072) == [100001] * 2
    assert call("argmax", {"x": [row] * 2}, ["column"], 131072, "", {}, "",
                "--row-stride", "x=131080") == [100001] * 2


def N26_a_small_variance_beside_a_large_mean():
    x = [[struct.unpack("<f", struct.pack("<f", 1000 + i * 1e-3))[0] for i in range(16)]]
    for pin in ("", "threads = 32, threads_per_row = 4", "threads = 64, threads_per_row = 64"):
        y, rstd = call("layer_norm", {"x": x}, ["y", "rstd"], 16, "rstd:f32", {"eps": 1e-5}, pin)
        close(rstd, [178.875], 1e-3)
        close(y[0][0], -1.34151, 1e-3)


def N29_squares_beyond_the_storage_type():
    rows = [[60000.0] * 4096, [65504.0 * (-1) ** c for c in range(4096)]]
    y, rstd = call("rms_norm", {"x": (rows, "f16")}, ["y", "rstd"], 4096, "f16,rstd:f32",
                   {"eps": 1e-6})
    assert y == [[1.0] * 4096, [(-1.0) ** c for c in range(4096)]]
    close(rstd, [1 / 60000, 1 / 65504], 1e-6)


def N32_sums_over_rows_are_f32():
    ones = [[1.0] * 64] * 4096
    rstd = [1 / math.sqrt(1 + 1e-6)] * 4096
    dx, dw = call("rms_norm_backward", {"x": (ones, "bf16"), "dy": (ones, "bf16"),
                                        "w": ([1.0] * 64, "bf16"), "rstd": rstd},
                  ["dx", "dw"], 64, "bf16,w:bf16,dw:f32")
    close(dw, [4095.998] * 64, 1e-6)
    assert all(abs(d) < 1e-5 for row in dx for d in row)


def N34_the_gradient_of_a_confident_class():
    row = [-13.8125] * 1024
    row[77] = 0.0
    dx = call("cross_entropy_backward", {"x": ([row], "bf16"), "target": ([77], "i64")}, ["dx"],
              1024, "bf16")[0]
    assert dx[77] == -0.00102234 or abs(dx[77] + 0.00102234) < 1e-8, dx[77]
    assert abs(math.fsum(dx)) < 2e-5


def N36_a_loss_is_f32():
    loss = call("cross_entropy", {"x": ([[0.0] * 100] * 2, "bf16"), "target": ([3, 99], "i64")},
                ["loss"], 100, "bf16")
    close(loss, [4.605170] * 2, 1e-6)


def N38_a_row_of_zeros():
    for storage in ("f32", "bf16", "f16"):
        rows = [[1.0, -2.0] * 500, [0.0] * 1000, [3.0] * 1000]
        y, rstd = call("rms_norm", {"x": (rows, storage), "weight": [2.0] * 1000},
                       ["y", "rstd"], 1000, storage + ",weight:f32,rstd:f32", {"eps": 1e-6})
        assert y[1] == [0.0] * 1000
        close(rstd[1], 1000, 1e-6)
        without = call("rms_norm", {"x": (rows, storage)}, ["y"], 1000, storage, {"eps": 0.0})
        assert all(math.isnan(v) for v in without[1])
        assert all(math.isfinite(v) for row in (without[0], without[2]) for v in row)


def N38_the_gradient_of_a_row_of_zeros():
    for storage in ("f32", "bf16", "f16"):
        rows = [[1.0, -2.0] * 500, [0.0] * 1000, [3.0] * 1000]
        rstd = [ref.rms_norm(row, eps=1e-6)["rstd"] for row in rows]
        dx, dw = call("rms_norm_backward",
                      {"x": (rows, storage), "dy": ([[1.0] * 1000] * 3, storage),
                       "w": ([2.0] * 1000, storage), "rstd": rstd}, ["dx", "dw"], 1000,
                      storage + ",w:%s,dw:f32" % storage)
        assert dx[1] == [2000.0] * 1000, dx[1][:3]
        close(dw, [sum(row[c] * s for row, s in zip(rows, rstd)) for c in range(1000)], 1e-5)


def N41_the_gradient_of_one_column():
    rstd = 1 / math.sqrt(1e-5)
    x = [[1e30], [-7.0], [0.0], [3.0], [1e-30]]
    dx, dw, db = call("layer_norm_backward",
                      {"x": x, "dy": [[1.0]] * 5, "w": [2.0], "mean": [row[0] for row in x],
                       "rstd": [rstd] * 5}, ["dx", "dw", "db"], 1, "w:f32,dw:f32,db:f32")
    assert dx == [[0.0]] * 5 and dw == [0.0] and db == [5.0]


def N42_the_gradient_of_a_constant_row():
    dx = call("layer_norm_backward",
              {"x": [[3.0] * 64], "dy": [[1.0] + [0.0] * 63], "mean": [3.0],
               "rstd": [1 / math.sqrt(1e-5)]}, ["dx"], 64)[0]
    close(dx, [311.2867] + [-4.941059] * 63, 1e-5)


def N41_one_column():
    x = [[1e30], [-7.0], [0.0], [3.0], [1e-30]]
    y, mean, rstd = call("layer_norm", {"x": x, "weight": [2.0], "bias": [0.5]},
                         ["y", "mean", "rstd"], 1, "weight:f32,bias:f32,mean:f32,rstd:f32",
                         {"eps": 1e-5})
    assert y == [[0.5]] * 5
    close(mean, [row[0] for row in x], 1e-7, 0)
    close(rstd, [1 / math.sqrt(1e-5)] * 5, 1e-6)


def N51_optional_outputs_change_no_bits():
    for columns in (100, 1003, 8192):
        x = normal(3, columns, columns)
        targets = ([0, columns - 1, 5], "i64")
        alone = call("rms_norm", {"x": x}, ["y"], columns, scalars={"eps": 1e-6})
        y, _, _ = call("rms_norm", {"x": x}, ["y", "rstd", "residual_out"], columns,
                       "rstd:f32,residual_out:f32", {"eps": 1e-6})
        assert y == alone
        alone = call("layer_norm", {"x": x}, ["y"], columns, scalars={"eps": 1e-6})
        for names in (["mean"], ["rstd"], ["mean", "rstd", "residual_out"]):
            found = call("layer_norm", {"x": x}, ["y"] + names, columns,
                         ",".join(name + ":f32" for name in names), {"eps": 1e-6})
            assert found[0] == alone
        alone = call("cross_entropy", {"x": x, "target": targets}, ["loss"], columns)
        for names in (["lse"], ["total"], ["lse", "total", "weight_sum"]):
            found = call("cross_entropy", {"x": x, "target": targets}, ["loss"] + names, columns,
                         ",".join(name + ":f32" for name in names))
            assert found[0] == alone
        alone = call("cross_entropy_backward", {"x": x, "target": targets}, ["dx"], columns)
        for names in (["loss", "lse"], ["total"]):
            found = call("cross_entropy_backward", {"x": x, "target": targets}, ["dx"] + names,
                         columns, ",".join(name + ":f32" for name in names))
            assert found[0] == alone
        given = {"x": x, "dy": normal(3, columns, 3), "rstd": [1.0, 0.5, 2.0]}
        for kernel in ("rms_norm_backward", "layer_norm_backward"):
            alone = call(kernel, given, ["dx"], columns)
            for names in (["dw"], ["dw", "db"], ["dresidual"]):
                found = call(kernel, given, ["dx"] + names, columns,
                             ",".join(name + ":f32" for name in names))
                assert found[0] == alone
            given["mean"] = [0.0, 1.0, -1.0]


def A01_weights_of_another_type():
    x, w, b = normal(3, 520, 1), normal(1, 520, 2)[0], normal(1, 520, 3)[0]
    for storage in ("f32", "bf16", "f16"):
        for weight in ("f32", "bf16", "f16"):
            for bias in ("f32", "bf16", "f16"):
                for kernel in ("rms_norm", "layer_norm"):
                    y = call(kernel, {"x": (x, storage), "weight": (w, weight), "bias": (b, bias)},
                             ["y"], 520, "%s,weight:%s,bias:%s" % (storage, weight, bias),
                             {"eps": 1e-5})
                    for row, out in zip(x, y):
                        expected = getattr(ref, kernel)(row, weight=w, bias=b, eps=1e-5)["y"]
                        close(out, expected, 8e-3, 2e-2)


def A09_ignored_rows_read_no_weight():
    x = normal(64, 1000, 9)
    targets = ([-100] * 5 + [0] + [-100] * 58, "i64")
    weight = normal(1, 1000, 4)[0]
    given = {"x": x, "target": targets, "weight": weight}
    loss = call("cross_entropy", given, ["loss"], 1000, "weight:f32")
    dx = call("cross_entropy_backward", given, ["dx"], 1000, "weight:f32")
    expected = ref.cross_entropy(x[5], 0, weight)["loss"]
    for row in range(64):
        close(loss[row], expected if row == 5 else 0.0)
        assert row == 5 or dx[row] == [0.0] * 1000


def A11_a_target_that_is_no_column():
    x = normal(3, 1000, 11)
    right = call("cross_entropy", {"x": x, "target": ([3, 4, 5], "i64")}, ["loss"], 1000)
    for target in (1000, 1001, 2 ** 30, -1, -101, 2 ** 32 + 3):
        given = {"x": x, "target": ([3, target, 5], "i64")}
        loss = call("cross_entropy", given, ["loss"], 1000)
        dx = call("cross_entropy_backward", given, ["dx"], 1000)
        assert math.isnan(loss[1]) and loss[0] == right[0] and loss[2] == right[2]
        assert all(math.isnan(d) for d in dx[1]) and not any(math.isnan(d) for d in dx[0] + dx[2])


def A13_each_row_has_its_own_gradient():
    x, targets, dloss = normal(4, 16, 13), [1, 0, 15, 7], [1.0, 2.0, -3.0, 0.0]
    dx = call("cross_entropy_backward", {"x": x, "target": (targets, "i64"), "dloss": dloss},
              ["dx"], 16, "dloss:f32")
    for row, out, target, g in zip(x, dx, targets, dloss):
        p = ref.softmax(row)
        close(out, [g * (p[c] - (c == target)) for c in range(16)])
    assert dx[3] == [0.0] * 16


def A17_the_output_is_the_input():
    for columns in (128, 8192):
        x = normal(2, columns, 17)
        cases = [("softmax", {}, {}, "y"), ("rms_norm", {}, {"eps": 1e-6}, "y"),
                 ("layer_norm", {}, {"eps": 1e-6}, "y"),
                 ("cross_entropy_backward", {"target": ([1, columns - 1], "i64")}, {}, "dx")]
        for hold in ("registers", "reload"):
            for kernel, more, scalars, out in cases:
                pin = "hold = {x = %s}" % hold
                apart = call(kernel, {"x": x, **more}, [out], columns, "", scalars, pin)
                over = call(kernel, {"x": x, **more}, [out], columns, "", scalars, pin,
                            "--in-place", "%s=x" % out)
                assert over == apart, (kernel, columns, hold)


CASES = [case for name, case in sorted(globals().items()) if name[0] in "NA" and name[1:3].isdigit()]
for case in CASES:
    case()
    print(case.__name__)
