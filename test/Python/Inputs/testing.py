# test/Python/Inputs/testing.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts share: cases are functions of the script, run in its order."""

import sys
import traceback


def close(got, expected, tolerance=1e-5):
    """Compares with numbers in double precision, NaN where they are NaN."""
    import numpy as np

    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    assert got.shape == expected.shape, f"shapes {got.shape} and {expected.shape}"
    good = np.abs(got - expected) <= tolerance * (1 + np.abs(expected))
    good |= np.isnan(got) & np.isnan(expected)
    good |= got == expected
    assert good.all(), f"{got[~good][:4]} instead of {expected[~good][:4]}"


def raises(error, *parts):
    """A context that must end with this error, whose text has all of `parts`."""
    return _Raises(error, parts)


class _Raises:
    def __init__(self, error, parts):
        self.error, self.parts = error, parts

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        assert kind is not None, f"no {self.error}, which would say {self.parts}"
        if not issubclass(kind, self.error):
            return False
        missing = [part for part in self.parts if part not in str(value)]
        assert not missing, f"{str(value)!r} does not say {missing}"
        self.value = value
        return True


def main():
    """Runs the cases of the script: all functions without parameters that have no _ first.
    With arguments, only those named. Exits 1 after a failure."""
    space = sys.modules["__main__"].__dict__
    failed = 0
    for name, case in list(space.items()):
        if name.startswith("_") or getattr(case, "__module__", "") != "__main__":
            continue
        if not callable(case) or isinstance(case, type) or case.__code__.co_argcount:
            continue
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        try:
            case()
            print(name, flush=True)
        except Exception:
            failed += 1
            print(f"{name}: FAILED", flush=True)
            traceback.print_exc()
    if failed:
        sys.exit(f"{failed} failed")
    print("PASS")
