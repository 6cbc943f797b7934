# test/Raise/Inputs/generate.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes random linalg programs, and compares each as it is with what it is when raised.

    generate.py [--first=1] [--count=40] [--print] [--specials]

A program is made from its seed alone. It has a few inputs (rows, weights, numbers), and
operations with maps of all kinds: elementwise ones, broadcasts, reductions along the last,
first and middle dimensions, transposes, reshapes, masks, gathers, softmax, and some that
kernels lack. Most dimensions have one of a few extents, so that shapes hide which is which.
Prints PASS, or each seed that differs."""

import argparse
import random
import re
import sys

import compare

EXTENTS = [4, 6, 8]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.args = [], []
        self.values = []  # (name, shape, element type)
        self.count = 0
        rng = self.rng
        self.rank = rng.choice([2, 2, 2, 3])
        self.leads = [rng.choice(EXTENTS) for _ in range(self.rank - 1)]
        self.narrow = rng.random() < 0.5
        self.columns = rng.choice(EXTENTS + [24, 33])
        self.shape = [*self.leads, self.columns]

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    @staticmethod
    def type(shape, element):
        return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"

    def halves(self):
        return ["bf16", "f16"] if self.narrow else []

    def argument(self, shape, element):
        name = f"%a{len(self.args)}"
        self.args.append(f"{name}: {self.type(shape, element)}")
        self.values.append((name, shape, element))
        return name

    def emit(self, text):
        self.lines.append("    " + text)

    def empty(self, shape, element):
        name = self.name()
        self.emit(f"{name} = tensor.empty() : {self.type(shape, element)}")
        return name

    def fill(self, shape, element, number):
        number_name, name = self.name(), self.name()
        init = self.empty(shape, element)
        self.emit(f"{number_name} = arith.constant {number} : {element}")
        self.emit(f"{name} = linalg.fill ins({number_name} : {element}) outs({init} : "
                  f"{self.type(shape, element)}) -> {self.type(shape, element)}")
        return name

    def add(self, name, shape, element):
        self.values.append((name, shape, element))

    def pick(self, accept=lambda value: True):
        """Returns a value, a late one rather than an early one."""
        good = [v for v in self.values if accept(v)]
        return good[-1 - min(int(self.rng.expovariate(0.6)), len(good) - 1)] if good else None

    def generic(self, reads, shape, element, body, loops=None, iterators=None, init=None,
                out_map=None):
        """Emits a linalg.generic; `reads` are (name, shape, element, dimensions)."""
        loops = len(shape) if loops is None else loops
        iterators = iterators or ["parallel"] * loops
        dims = ", ".join(f"d{i}" for i in range(loops))
        maps = [f"affine_map<({dims}) -> ({', '.join(r[3])})>" for r in reads]
        out_map = out_map if out_map is not None else [f"d{i}" for i in range(len(shape))]
        maps.append(f"affine_map<({dims}) -> ({', '.join(out_map)})>")
        init = init or self.empty(shape, element)
        name = self.name()
        ins = ""
        if reads:
            ins = (f"ins({', '.join(r[0] for r in reads)} : "
                   f"{', '.join(self.type(r[1], r[2]) for r in reads)}) ")
        block = ", ".join([f"%i{i}: {r[2]}" for i, r in enumerate(reads)] + [f"%o: {element}"])
        kinds = ", ".join(f'"{i}"' for i in iterators)
        self.emit(f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
                  f"iterator_types = [{kinds}]}} {ins}outs({init} : "
                  f"{self.type(shape, element)}) {{")
        self.emit(f"^bb0({block}):")
        for line in body:
            self.emit("  " + line)
        self.emit(f"}} -> {self.type(shape, element)}")
        self.add(name, shape, element)
        return name

    # Reads of a value in loops over `shape`: all the ways in which its dimensions fit.
    def dims_for(self, value, shape):
        _, has, _ = value
        ways = []

        def place(i, used, dims):
            if i == len(has):
                ways.append(list(dims))
                return
            if has[i] == 1:
                place(i + 1, used, dims + ["0"])
            for loop, extent in enumerate(shape):
                if extent == has[i] and extent != 1 and loop not in used:
                    place(i + 1, used | {loop}, dims + [f"d{loop}"])

        place(0, frozenset(), [])
        if not ways:
            return None
        # Mostly the way in which broadcasts go, sometimes any.
        in_order = [w for w in ways if [d for d in w if d != "0"] ==
                    sorted(d for d in w if d != "0")]
        return self.rng.choice(in_order if in_order and self.rng.random() < 0.85 else ways)

    def elementwise(self):
        rng = self.rng
        shape = self.shape if rng.random() < 0.75 else rng.choice(
            [self.leads, [*self.leads, 1], [self.columns]])
        element = rng.choice(["f32", "f32", "f32", *self.halves()])
        reads = []
        for _ in range(rng.choice([1, 2, 2, 3])):
            value = self.pick(lambda v: v[2] in ("f32", "bf16", "f16") and
                              all(n == 1 or n in shape for n in v[1]))
            dims = value and self.dims_for(value, shape)
            if dims is not None:
                reads.append((*value, dims))
        if not reads:
            return
        body, terms = [], []
        for i, read in enumerate(reads):
            term = f"%i{i}"
            if read[2] != "f32" and element == "f32":
                body.append(f"%w{i} = arith.extf {term} : {read[2]} to f32")
                term = f"%w{i}"
            elif read[2] != element:
                if read[2] == "f32":
                    body.append(f"%w{i} = arith.truncf {term} : f32 to {element}")
                else:
                    body += [f"%x{i} = arith.extf {term} : {read[2]} to f32",
                             f"%w{i} = arith.truncf %x{i} : f32 to {element}"]
                term = f"%w{i}"
            terms.append(term)
        value = terms[0]
        for i, term in enumerate(terms[1:]):
            op = rng.choice(["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
                             "arith.minimumf", "arith.maxnumf"])
            body.append(f"%b{i} = {op} {value}, {term} : {element}")
            value = f"%b{i}"
        unary = rng.choice(["", "", "", "math.absf", "arith.negf", "math.tanh", "square",
                            "mask", "math.exp2", "math.atan"])
        if unary == "square":
            body.append(f"%u = arith.mulf {value}, {value} : {element}")
        elif unary == "math.exp2":  # Of what cannot be large.
            body += [f"%t = math.tanh {value} : {element}", f"%u = math.exp2 %t : {element}"]
        elif unary == "mask" and len(shape) > 0:
            dim = rng.randrange(len(shape)) if rng.random() < 0.3 else len(shape) - 1
            body += [f"%n = linalg.index {dim} : index",
                     f"%limit = arith.constant {rng.randrange(1, 6)} : index",
                     "%is = arith.cmpi ult, %n, %limit : index",
                     f"%z = arith.constant 0.5 : {element}",
                     f"%u = arith.select %is, {value}, %z : {element}"]
        elif unary and unary != "mask":
            body.append(f"%u = {unary} {value} : {element}")
        if any(line.startswith("%u =") for line in body):
            value = "%u"
        body.append(f"linalg.yield {value} : {element}")
        self.generic(reads, shape, element, body)

    def reduction(self):
        rng = self.rng
        value = self.pick(lambda v: len(v[1]) == self.rank and v[1][-1] != 1 and
                          v[2] in ("f32", "bf16", "f16"))
        if value is None:
            return
        name, shape, element = value
        # Mostly the last dimension; any; all but the last, whose sums are a kernel's, too; all.
        last = len(shape) - 1
        dims = rng.choices([[last], [rng.randrange(len(shape))], [*range(last)],
                            [*range(last + 1)]], [14, 2, 3, 1])[0]
        rest = [n for i, n in enumerate(shape) if i not in dims]
        narrow = element != "f32"
        op, start = rng.choice(
            [("arith.addf", "0.0"), ("arith.addf", "0.0"), ("arith.addf", "1.5"),
             ("arith.maximumf", "0xFF800000"), ("arith.maximumf", "0.25"),
             ("arith.minimumf", "0x7F800000"), ("arith.maxnumf", "0xFF800000"),
             ("arith.minnumf", "0x7F800000")])
        body, term = [], "%i0"
        if narrow:
            body.append(f"%w = arith.extf %i0 : {element} to f32")
            term = "%w"
        if op == "arith.addf" and rng.random() < 0.3:
            body.append(f"%q = arith.mulf {term}, {term} : f32")
            term = "%q"
        operands = ["%o", term]
        rng.shuffle(operands)
        body += [f"%r = {op} {', '.join(operands)} : f32", "linalg.yield %r : f32"]
        loops = len(shape)
        iterators = ["reduction" if i in dims else "parallel" for i in range(loops)]
        keeps = rng.random() < 0.4
        out_shape = [1 if i in dims else n for i, n in enumerate(shape)] if keeps else rest
        out_map = [("0" if i in dims else f"d{i}") for i in range(loops)
                   if keeps or i not in dims]
        init = self.fill(out_shape, "f32", start)
        self.generic([(name, shape, element, [f"d{i}" for i in range(loops)])], out_shape,
                     "f32", body, loops, iterators, init, out_map)

    def softmax(self):
        value = self.pick(lambda v: v[1] == self.shape and v[2] == "f32")
        if value is None:
            return
        name, shape, element = value
        init, result = self.empty(shape, element), self.name()
        dim = len(shape) - 1 if self.rng.random() < 0.9 else 0
        type = self.type(shape, element)
        self.emit(f"{result} = linalg.softmax dimension({dim}) ins({name} : {type}) "
                  f"outs({init} : {type}) -> {type}")
        self.add(result, shape, element)

    def transpose(self):
        value = self.pick(lambda v: len(v[1]) == 2 and v[2] == "f32")
        if value is None:
            return
        name, shape, element = value
        turned = shape[::-1]
        init, result = self.empty(turned, element), self.name()
        self.emit(f"{result} = linalg.transpose ins({name} : {self.type(shape, element)}) "
                  f"outs({init} : {self.type(turned, element)}) permutation = [1, 0]")
        self.add(result, turned, element)

    def reshape(self):
        value = self.pick(lambda v: len(v[1]) >= 2)
        if value is None:
            return
        name, shape, element = value
        flat = [shape[0] * shape[1], *shape[2:]]
        groups = "[[0, 1]" + "".join(f", [{i}]" for i in range(2, len(shape))) + "]"
        result = self.name()
        if self.rng.random() < 0.5:
            self.emit(f"{result} = tensor.collapse_shape {name} {groups} : "
                      f"{self.type(shape, element)} into {self.type(flat, element)}")
            self.add(result, flat, element)
            return
        wide = [1, *shape] if self.rng.random() < 0.5 else [shape[0], 1, *shape[1:]]
        groups = "[[0, 1]" + "".join(f", [{i}]" for i in range(2, len(wide))) + "]"
        self.emit(f"{result} = tensor.expand_shape {name} {groups} output_shape {wide} : "
                  f"{self.type(shape, element)} into {self.type(wide, element)}")
        self.add(result, wide, element)

    def gather(self):
        value = self.pick(lambda v: v[1] == self.shape and v[2] == "f32")
        places = next((v for v in self.values if v[2] == "i32"), None)
        if value is None or places is None:
            return
        name, shape, element = value
        body = [f"%n{i} = linalg.index {i} : index" for i in range(len(self.leads))]
        body += ["%c = arith.index_cast %i0 : i32 to index", "%least = arith.constant 0 : index",
                 f"%most = arith.constant {self.columns - 1} : index",
                 "%lo = arith.maxsi %c, %least : index", "%at = arith.minsi %lo, %most : index",
                 f"%e = tensor.extract {name}[" +
                 "".join(f"%n{i}, " for i in range(len(self.leads))) +
                 f"%at] : {self.type(shape, element)}", f"linalg.yield %e : {element}"]
        dims = [f"d{i}" for i in range(len(self.leads))]
        self.generic([(*places, dims)], self.leads, element, body)

    def build(self):
        rng = self.rng
        for _ in range(rng.choice([1, 2, 2, 3])):
            self.argument(self.shape, rng.choice(["f32", "f32", *self.halves()]))
        if rng.random() < 0.5:
            self.argument([self.columns], rng.choice(["f32", *self.halves()]))
        if rng.random() < 0.5:
            self.argument(self.leads, "f32")
        if rng.random() < 0.4:
            self.argument(self.leads, "i32")
        steps = rng.choices([self.elementwise, self.reduction, self.softmax, self.transpose,
                             self.reshape, self.gather], [6, 4, 1, 0.5, 0.7, 0.7],
                            k=rng.randrange(4, 11))
        for step in [*steps, self.reduction, self.elementwise]:
            step()
        made = [v for v in self.values if v[0].startswith("%v")]
        # What nothing uses, mostly; of the others, some.
        text = "\n".join(self.lines)
        unused = [v for v in made if len(re.findall(rf"{v[0]}\b", text)) == 1]
        used = [v for v in made if v not in unused]
        results = unused[-rng.choice([1, 2, 3, 6]):]
        results += rng.sample(used, min(len(used), rng.choice([0, 0, 1, 2])))
        types = ", ".join(self.type(s, e) for _, s, e in results)
        head = f"  func.func @main({', '.join(self.args)}) -> ({types}) {{"
        tail = f"    return {', '.join(r[0] for r in results)} : {types}"
        return "\n".join(["module {", head, *self.lines, tail, "  }", "}", ""])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--specials", action="store_true")
    options = parser.parse_args()
    faults = 0
    for seed in range(options.first, options.first + options.count):
        module = Program(seed).build()
        if options.print:
            print(module)
            continue
        try:
            wrong = compare.compare(module, seed, specials=options.specials)
        except RuntimeError as error:
            wrong = str(error)
        if wrong:
            faults += 1
            print(f"seed {seed}: {wrong}", flush=True)
    if not options.print:
        print(f"{faults} of {options.count} programs differ" if faults else "PASS")
    sys.exit(faults != 0)


if __name__ == "__main__":
    main()
