# test/Simulator/Cuda/instructions.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every arithmetic instruction form of PTX for sm_90, as kernels of one each.

A form is its mnemonic and its operands, the result first: h, r, d are registers
of 16, 32 and 64 bits, p is a predicate, x is nothing that is compared, and a
number stands for itself. Braces in a mnemonic are alternatives: add.{s,u}32.
Sources take values at which something changes, and any others.
"""

import hashlib
import itertools
import re
import struct

import corpus

# PTX ISA, chapter "Instruction Set", in its order.
FORMS = """
# Integer arithmetic
{add,sub}.{u16,s16} h h h
{add,sub}.{u32,s32,sat.s32} r r r
add.{u16x2,s16x2} r r r
{add,sub}.{u64,s64} d d d
mul.{lo,hi}.{u16,s16} h h h
mul.wide.{u16,s16} r h h
mul.{lo,hi}.{u32,s32} r r r
mul.wide.{u32,s32} d r r
mul.{lo,hi}.{u64,s64} d d d
mad.lo.{u16,s16} h h h h
mad.hi.{u16,s16} h h h h
mad.wide.{u16,s16} r h h r
mad.{lo,hi}.{u32,s32} r r r r
mad.hi.sat.s32 r r r r
mad.wide.{u32,s32} d r r d
mad.{lo,hi}.{u64,s64} d d d d
mul24.{lo,hi}.{u32,s32} r r r
mad24.{lo,hi}.{u32,s32} r r r r
mad24.hi.sat.s32 r r r r
sad.{u16,s16} h h h h
sad.{u32,s32} r r r r
sad.{u64,s64} d d d d
{div,rem}.{u16,s16} h h h
{div,rem}.{u32,s32} r r r
{div,rem}.{u64,s64} d d d
{abs,neg}.s16 h h
{abs,neg}.s32 r r
{abs,neg}.s64 d d
{min,max}.{u16,s16} h h h
{min,max}.{u32,s32,u16x2,s16x2,relu.s16x2,relu.s32} r r r
{min,max}.s32.relu r r r
{min,max}.s16x2.relu r r r
{min,max}.{u64,s64} d d d
popc.b32 r r
popc.b64 r d
clz.b32 r r
clz.b64 r d
bfind.{u32,s32,shiftamt.u32,shiftamt.s32} r r
bfind.{u64,s64,shiftamt.u64,shiftamt.s64} r d
fns.b32 r r 7 2
fns.b32 r r 20 -3
fns.b32 r r 16 0
fns.b32 r r 0 1
brev.b32 r r
brev.b64 d d
bfe.{u32,s32} r r r r
bfe.{u64,s64} d d r r
bfi.b32 r r r r r
bfi.b64 d d d r r
szext.{clamp,wrap}.{u32,s32} r r r
bmsk.{clamp,wrap}.b32 r r r
dp4a.{u32,s32}.{u32,s32} r r r r
dp2a.{lo,hi}.{u32,s32}.{u32,s32} r r r r
# Logic and shifts
{and,or,xor}.b16 h h h
{and,or,xor}.b32 r r r
{and,or,xor}.b64 d d d
{and,or,xor}.pred p p p
not.b16 h h
not.b32 r r
not.b64 d d
not.pred p p
cnot.b16 h h
cnot.b32 r r
cnot.b64 d d
lop3.b32 r r r r 0x1b
lop3.b32 r r r r 0xe8
lop3.or.b32 r|p r r r 0x96 p
lop3.and.b32 r|p r r r 0xca p
shf.{l,r}.{wrap,clamp}.b32 r r r r
shl.b16 h h r
shl.b32 r r r
shl.b64 d d r
shr.{u16,s16,b16} h h r
shr.{u32,s32,b32} r r r
shr.{u64,s64,b64} d d r
prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} r r r r
# Comparison and selection
setp.{eq,ne,lt,le,gt,ge}.{u16,s16} p h h
setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.u32 p|p r r
setp.{eq,ne,lt,le,gt,ge}.s32 p|p r r
setp.{eq,ne}.b32 p r r
setp.{lt,ge}.{and,or,xor}.s32 p|p r r p
setp.{lt,ge}.{and,or,xor}.s32 p|p r r !p
setp.{eq,ne,lt,le,gt,ge}.{u64,s64} p d d
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.ftz}.f32 p|p r r
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.f64 p|p d d
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.ftz}.f16 p h h
setp.{lt,leu,nan}{,.ftz}.f16x2 p|p r r
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.bf16 p h h
setp.{lt,leu,num}.bf16x2 p|p r r
set.{lt,geu}.{u32,s32,f32}.f32 r r r
set.{lt,ge}.{u32,s32,f32}.{u32,s32} r r r
set.{lt,geu}.ftz.{u32,f32}.f32 r r r
set.{lt,geu}.{u32,s32,f32}.f64 r d d
set.{lt,hi}.{u32,f32}.u32 r r r
set.{lt,ge}.and.u32.s32 r r r p
set.{lt,geu}{,.ftz}.{f16,u16,s16}.f16 h h h
set.{lt,geu,nan}{,.ftz}.f16x2.f16x2 r r r
set.{lt,geu}.{bf16,u16,s16}.bf16 h h h
set.{lt,geu,nan}.bf16x2.bf16x2 r r r
set.{lt,geu}.{u32,s32}.{f16,bf16} r h h
selp.{b16,u16,s16} h h h p
selp.{b32,u32,s32,f32} r r r p
selp.{b64,u64,s64,f64} d d d p
slct.{b32,u32,s32,f32}.s32 r r r r
slct.{b32,u32,s32,f32}{,.ftz}.f32 r r r r
slct.{b64,u64,s64,f64}.s32 d d d r
# Single precision
{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32 r r r
fma{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32 r r r r
mad{.rn,.rz}{,.ftz}{,.sat}.f32 r r r r
div{.rn,.rz,.rm,.rp}{,.ftz}.f32 r r r
{rcp,sqrt}{.rn,.rz,.rm,.rp}{,.ftz}.f32 r r
{abs,neg}{,.ftz}.f32 r r
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32 r r r
testp.{finite,infinite,number,notanumber,normal,subnormal}.f32 p r
copysign.f32 r r r
# Double precision
{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64 d d d
{fma,mad}{.rn,.rz,.rm,.rp}.f64 d d d d
div{.rn,.rz,.rm,.rp}.f64 d d d
{rcp,sqrt}{.rn,.rz,.rm,.rp}.f64 d d
{abs,neg}.f64 d d
{min,max}.f64 d d d
testp.{finite,infinite,number,notanumber,normal,subnormal}.f64 p d
copysign.f64 d d d
# Half precision
{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16 h h h
{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16x2 r r r
{add,sub,mul}{,.rn}.bf16 h h h
{add,sub,mul}{,.rn}.bf16x2 r r r
fma.rn{,.ftz}{,.sat,.relu}.f16 h h h h
fma.rn{,.ftz}{,.sat,.relu}.f16x2 r r r r
fma.rn{,.relu}.bf16 h h h h
fma.rn{,.relu}.bf16x2 r r r r
fma.rn.oob{,.relu}.{f16,bf16} h h h h
fma.rn.oob{,.relu}.{f16x2,bf16x2} r r r r
{abs,neg}{,.ftz}.f16 h h
{abs,neg}{,.ftz}.f16x2 r r
{abs,neg}.bf16 h h
{abs,neg}.bf16x2 r r
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16 h h h
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16x2 r r r
{min,max}{,.NaN}{,.xorsign.abs}.bf16 h h h
{min,max}{,.NaN}{,.xorsign.abs}.bf16x2 r r r
# Conversions between integers
cvt.{u8,s8,u16,s16}.{u8,s8,u16,s16} h h
cvt{,.sat}.{u8,s8,u16,s16}.{u32,s32} h r
cvt{,.sat}.{u8,s8,u16,s16}.{u64,s64} h d
cvt.{u32,s32}.{u8,s8,u16,s16} r h
cvt.{u32,s32}.{u32,s32} r r
cvt.sat.{u32.s32,s32.u32} r r
cvt{,.sat}.{u32,s32}.{u64,s64} r d
cvt.{u64,s64}.{u8,s8,u16,s16} d h
cvt.{u64,s64}.{u32,s32} d r
cvt.sat.u64.s32 d r
cvt.{u64,s64}.{u64,s64} d d
cvt.sat.{u64.s64,s64.u64} d d
cvt.pack.sat.{u16,s16}.s32 r r r
cvt.pack.sat.{u8,s8}.s32.b32 r r r r
cvt.pack.sat.{u4,s4}.s32.b32 r r r r
cvt.pack.sat.{u2,s2}.s32.b32 r r r r
# Conversions from floats to integers
cvt.{rni,rzi,rmi,rpi}.{u8,s8,u16,s16}.f16 h h
cvt.{rni,rzi,rmi,rpi}.{u32,s32}.f16 r h
cvt.{rni,rzi,rmi,rpi}.{u64,s64}.f16 d h
cvt.{rni,rzi,rmi,rpi}.{u16,s16}.bf16 h h
cvt.{rni,rzi,rmi,rpi}.{u32,s32}.bf16 r h
cvt.{rni,rzi,rmi,rpi}.{u64,s64}.bf16 d h
cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.{u8,s8,u16,s16}.f32 h r
cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.{u32,s32}.f32 r r
cvt.{rni,rzi,rmi,rpi}{,.ftz}.{u64,s64}.f32 d r
cvt.{rni,rzi,rmi,rpi}.{u8,s8,u16,s16}.f64 h d
cvt.{rni,rzi,rmi,rpi}.{u32,s32}.f64 r d
cvt.{rni,rzi,rmi,rpi}.{u64,s64}.f64 d d
# Conversions from integers to floats
cvt.{rn,rz,rm,rp}.f16.{u8,s8,u16,s16} h h
cvt.{rn,rz,rm,rp}.bf16.{u16,s16} h h
cvt.{rn,rz,rm,rp}.{f16,bf16}.{u32,s32} h r
cvt.{rn,rz,rm,rp}.{f16,bf16}.{u64,s64} h d
cvt.{rn,rz,rm,rp}.f32.{u8,s8,u16,s16} r h
cvt.{rn,rz,rm,rp}{,.sat}.f32.{u32,s32} r r
cvt.{rn,rz,rm,rp}.f32.{u64,s64} r d
cvt.{rn,rz,rm,rp}.f64.{u8,s8,u16,s16} d h
cvt.{rn,rz,rm,rp}.f64.{u32,s32} d r
cvt.{rn,rz,rm,rp}.f64.{u64,s64} d d
# Conversions between floats
cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.f32.f32 r r
cvt{,.ftz,.sat,.ftz.sat}.f32.f32 r r
cvt.{rni,rzi,rmi,rpi}{,.sat}.f64.f64 d d
cvt{,.sat}.f64.f64 d d
cvt.{rni,rzi,rmi,rpi}{,.sat}.f16.f16 h h
cvt{,.sat}.f16.f16 h h
cvt.{rni,rzi,rmi,rpi}.bf16.bf16 h h
cvt{,.ftz}{,.sat}.f32.f16 r h
cvt{,.ftz}.f32.bf16 r h
cvt.f64.{f16,bf16} d h
cvt{,.ftz}{,.sat}.f64.f32 d r
cvt.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32.f64 r d
cvt.{rn,rz,rm,rp}{,.ftz}{,.sat}.f16.f32 h r
cvt.{rn,rz,rm,rp}{,.sat}.f16.f64 h d
cvt.{rn,rz}{,.relu}.f16.f32 h r
cvt.{rn,rz,rm,rp}.bf16.f32 h r
cvt.{rn,rz}.relu.bf16.f32 h r
cvt.{rn,rz}{,.satfinite}{,.relu}.bf16.f32 h r
cvt.{rn,rz}{,.relu}.satfinite.{f16,bf16}.f32 h r
cvt.{rn,rz,rm,rp}.bf16.f64 h d
cvt.{rn,rz,rm,rp}.bf16.f16 h h
cvt.{rn,rz,rm,rp}.f16.bf16 h h
cvt.{rn,rz}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32 r r r
cvt.rna{,.satfinite}.tf32.f32 r r
cvt.{rn,rz}{,.relu}.tf32.f32 r r
cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32 h r r
cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2 h r
cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2} r h
# Moves
mov.b16 h h
mov.b32 r r
mov.b64 d d
# Extended precision: each in a chain of its own
add.cc.{u32,s32} r r r
add.cc.{u64,s64} d d d
sub.cc.{u32,s32} r r r
sub.cc.{u64,s64} d d d
mad.{lo,hi}.cc.{u32,s32} r r r r
mad.{lo,hi}.cc.{u64,s64} d d d d
# Video
vabsdiff4.u32.u32.u32 r r r r
vabsdiff4.u32.u32.u32.add r r r r
# Near enough: compared within a bound
{rcp,rsqrt,sqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32 r r
tanh.approx.{f32} r r
div.{approx,full}{,.ftz}.f32 r r r
rcp.approx.ftz.f64 d d
rsqrt.approx{,.ftz}.f64 d d
ex2.approx.{f16} h h
ex2.approx.f16x2 r r
ex2.approx.ftz.bf16 h h
ex2.approx.ftz.bf16x2 r r
tanh.approx.{f16,bf16} h h
tanh.approx.{f16x2,bf16x2} r r
"""

COUNT = 512

WIDTHS = {"h": 16, "r": 32, "d": 64}


def expand(text):
    """Yields what the braces of `text` stand for."""
    parts = re.split(r"\{([^}]*)\}", text)
    choices = [p.split(",") if i % 2 else [p] for i, p in enumerate(parts)]
    for choice in itertools.product(*choices):
        yield "".join(choice)


def forms():
    """Returns the forms, each once, as (mnemonic, operands)."""
    result = {}
    for line in FORMS.strip().splitlines():
        if line.startswith("#"):
            continue
        mnemonic, *operands = re.sub(r",(?=[^{}]*\})", "\0", line).split(" ")
        for one in expand(mnemonic.replace("\0", ",")):
            result[one, tuple(operands)] = None
    return list(result)


def name(form):
    return " ".join([form[0], *form[1]])


def digest(form, result):
    """A hash of what PTX fixes in the results of a form.

    Positions and lengths of bit fields are fixed from 0 to 255."""
    rows = [result[at:at + 16] for at in range(0, len(result), 16)]
    if form[0].startswith(("bfe", "bfi")):
        sources = inputs("integers")
        words = [k for k, kind in enumerate(form[1][1:]) if kind == "r"][-2:]
        rows = [row for i, row in enumerate(rows)
                if all(struct.unpack_from("<I", sources, 32 * i + 8 * k)[0] < 256
                       for k in words)]
    return hashlib.sha256(b"".join(rows)).hexdigest()[:16]


def block(number, mnemonic, operands):
    """Returns what runs one form: from %i to the results' place in [%z]."""
    body, sources, stores = [], [], []
    target, *rest = operands
    targets = []
    for j, kind in enumerate(target.split("|")):
        register = f"%{kind}o{j}"
        targets.append(register)
        width = "pred" if kind == "p" else f"b{WIDTHS[kind]}"
        body.append(f".reg .{width} {register};")
        stores.append(f"selp.b64 %o{j}, 1, 0, {register};" if kind == "p" else
                      f"mov.b64 %o{j}, {register};" if kind == "d" else
                      f"cvt.u64.u{WIDTHS[kind]} %o{j}, {register};")
    for k, operand in enumerate(rest):
        kind, register, source = operand.lstrip("!"), f"%s{k}", f"%i{k % 4}"
        if kind == "p":
            body += [f".reg .pred {register};", f"and.b64 %t, {source}, 256;",
                     f"setp.ne.u64 {register}, %t, 0;"]
        elif kind in WIDTHS:
            width = WIDTHS[kind]
            body += [f".reg .b{width} {register};",
                     f"mov.b64 {register}, {source};" if width == 64 else
                     f"cvt.u{width}.u64 {register}, {source};"]
        else:
            register = operand
        sources.append("!" * operand.count("!") + register)
    body += ["mov.b64 %o0, 0;", "mov.b64 %o1, 0;",
             f"{mnemonic} {', '.join(['|'.join(targets)] + sources)};"]
    if ".cc." in mnemonic:
        width = WIDTHS[target]
        root = "subc" if mnemonic.startswith("sub") else "addc"
        body += [f".reg .b{width} %c;", f"{root}.u{width} %c, 0, 0;",
                 "mov.b64 %o1, %c;" if width == 64 else
                 "cvt.u64.u32 %o1, %c;"]
    place = 16 * COUNT * number
    return ["{", *body, *stores, f"st.global.b64 [%z+{place}], %o0;",
            f"st.global.b64 [%z+{place + 8}], %o1;", "}"]


def module(forms):
    """Returns PTX whose kernel runs `forms`: from 32 bytes of each thread to 16
    bytes of each form and thread."""
    lines = [".version 9.0", ".target sm_90", ".address_size 64",
             ".visible .entry forms(.param .u64 in, .param .u64 out)", "{",
             ".reg .b32 %x, %y;", ".reg .b64 %t, %a, %z, %i<4>, %o<2>;",
             "mov.u32 %x, %ctaid.x;", "mov.u32 %y, %tid.x;",
             "mad.lo.s32 %x, %x, 128, %y;", "mul.wide.u32 %t, %x, 32;",
             "ld.param.u64 %a, [in];", "add.s64 %a, %a, %t;",
             *[f"ld.global.b64 %i{k}, [%a+{8 * k}];" for k in range(4)],
             "mul.wide.u32 %t, %x, 16;", "ld.param.u64 %z, [out];",
             "add.s64 %z, %z, %t;"]
    for number, form in enumerate(forms):
        lines += block(number, *form)
    return "\n".join(lines + ["ret;", "}", ""])


def input_kind(mnemonic):
    """What the sources hold: the mnemonic's last type says."""
    types = re.findall(r"\b(f16|f32|f64|bf16|e4m3|e5m2)(?:x2)?\b", mnemonic)
    last = mnemonic.split(".")[-1]
    if re.fullmatch(r"[usb]\d+(x\d)?|pred|e\dm\dx2", last) or not types:
        return "slct" if mnemonic.startswith("slct") else "integers"
    return {"f16": "halves", "bf16": "bfloats", "f32": "singles",
            "f64": "patterns64"}[types[-1]]


def groups():
    """Yields forms that have the same inputs, at most 64, and the inputs' kind."""
    kinds = {}
    for form in forms():
        kinds.setdefault(input_kind(form[0]), []).append(form)
    for kind, members in kinds.items():
        for first in range(0, len(members), 64):
            yield kind, members[first:first + 64]


def inputs(kind):
    """Returns the four sources of each of COUNT threads, of 64 bits each."""
    result = []
    for k in range(4):
        high = corpus.mixes(COUNT, 100 + k)
        if kind == "patterns64":
            row = corpus.edges(64, 52, COUNT, 110 + k)
        elif kind == "singles":
            row = [h << 32 | v for h, v in
                   zip(high, corpus.edges(32, 23, COUNT, 120 + k))]
        elif kind in ("halves", "bfloats"):
            mantissa = 10 if kind == "halves" else 7
            two = [corpus.edges(16, mantissa, COUNT, 130 + 2 * k + j)
                   for j in range(2)]
            row = [h << 32 | a << 16 | b for h, a, b in zip(high, *two)]
        else:
            row = integers(high, 140 + k)
            if kind == "slct" and k == 2:
                row = corpus.edges(32, 23, COUNT, 150)
        result.append(row)
    # Equal sources meet now and then.
    for i in range(5, COUNT, 16):
        result[1][i] = result[0][i]
    return b"".join(struct.pack("<4Q", *row) for row in zip(*result))


def integers(high, seed):
    """Small numbers, those near powers of two, and any."""
    row = []
    for h, v in zip(high, corpus.mixes(COUNT, seed)):
        wide = h << 32 | v
        power = 1 << (v >> 8) % 64
        row.append([v >> 8 & 31, wide, power + (v >> 16) % 3 - 1,
                    -power - (v >> 16) % 3 + 1, wide >> (v >> 8) % 64,
                    v >> 8 & 127, ~(wide >> (v >> 8) % 64),
                    (h & 0xffff) << 16 | v & 0xffff][v % 8] & 2**64 - 1)
    return row
