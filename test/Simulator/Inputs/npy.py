# test/Simulator/Inputs/npy.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words to and from .npy files, without numpy. What words mean does not matter
to the simulator: they travel as f32."""

import struct


def write(path, data):
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }"
              % (len(data) // 4))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                     + header.encode() + data)


def read(path, size):
    return path.read_bytes()[-size:] if size else b""
