"""Generates functions with one matrix product, as dumps of stage graph.

Used by benchmarks/products.py and test/Integration/Inputs/run-products.py.
"""

MASK = """    %m = attn.mask "{letters}" : {type} {{
    ^bb0(%a: index, %b: index):
      %c = arith.cmpi sle, %b, %a : index
      attn.yield %c : i1
    }}
"""

EPILOGUE = """    %r = attn.map "{out},{last},{out}->{out}"(%p, %B, %R) : ({y}, {bias}, {y}) -> {y} {{
    ^bb0(%x: {scalar}, %b: {scalar}, %z: {scalar}, {places}):
      %s = arith.addf %x, %b : {scalar}
      %t = arith.addf %s, %z : {scalar}
      attn.yield %t : {scalar}
    }}
"""


def tensor(axes, element):
    """A tensor type whose axes are numbers or names of sizes."""
    shape = "x".join(a if a.isdigit() else "?" for a in axes)
    return f"tensor<{shape}x{element}, #attn.dims<{', '.join(axes)}>>"


def module(name, labels, axes, dtype="f32", masked="", epilogue=False):
    """A function of X and W, whose axes are numbers or names of sizes.

    `masked`: letters of two axes, of which only places with the second at most
    the first count. `epilogue`: a bias of the last axis and a residual are
    added.
    """
    x, w, y = (tensor(own, dtype) for own in axes)
    out = labels.split("->")[1]
    arguments = [("X", axes[0]), ("W", axes[1])]
    if epilogue:
        arguments += [("B", axes[2][-1:]), ("R", axes[2])]
    sizes = dict.fromkeys(a for own in axes for a in own if not a.isdigit())
    tensors = ", ".join(
        "{axes = [" + ", ".join(f'"{a}"' for a in own) + f'], dtype = "{dtype}", name = "{n}", role = "{role}"}}'
        for n, own, role in [(n, own, "input") for n, own in arguments] + [("Y", axes[2], "output")])
    mask = where = operand = ""
    if masked:
        letters = dict(zip("".join(labels.split("->")[0].split(",")), axes[0] + axes[1]))
        kind = tensor([letters[l] for l in masked], "i1")
        mask, where, operand = MASK.format(letters=masked, type=kind), f' where "{masked}"(%m)', f", {kind}"
    made = "%p" if epilogue else "%r"
    text = (f'{mask}    {made} = attn.contract "{labels}"(%X, %W){where} : ({x}, {w}{operand}) -> {y}\n')
    if epilogue:
        text += EPILOGUE.format(out=out, last=out[-1], y=y, bias=tensor(axes[2][-1:], dtype),
                                scalar="f64" if dtype == "f64" else "f32",
                                places=", ".join(f"%i{i}: index" for i in range(len(out))))
    parameters = ", ".join(f"%{n}: {tensor(own, dtype)}" for n, own in arguments)
    named = ", ".join(f'{{name = "{s}"}}' for s in sizes)
    return (f'module attributes {{attnc.interface = [{{name = "{name}", sizes = [{named}], tensors = [{tensors}], '
            f'spec = "", title = "{name}"}}]}} {{\n  func.func @{name}({parameters}) -> {y} {{\n{text}'
            f"    return %r : {y}\n  }}\n}}\n")
