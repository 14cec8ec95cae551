#!/usr/bin/env python3
"""Fits the coefficients of lib/Codegen/Common/MathCoefficients.h.

Minimax fits by the Remez algorithm with 80 digits. Coefficients are rounded to
the element type: the first ones one by one, refitting the remaining ones after
each rounding as long as this reduces the error. Rational fits start from a
Lawson iteration in float64.

Prints one line per table: name, log2 of the maximum (relative) error of the
approximation itself, coefficients in increasing order. attnc-math-accuracy
measures the error of the evaluated function, including rounding.

usage: fit_math.py [NAME...]        needs: pip install mpmath numpy
"""
import struct
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 80
GRID = 2000
TINY = mp.mpf(10) ** -12
LN2 = mp.log(2)
HALF_LN2 = LN2 / 2 * mp.mpf("1.0005")


def f32(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def f64(x):
    return mp.mpf(float(x))


def alternation(error, a, b, count):
    """The points of largest error, one per change of sign, `count` at most."""
    peaks = []
    for i in range(GRID + 1):
        x = a + (b - a) * (1 - mp.cos(mp.pi * i / GRID)) / 2
        e = error(x)
        if not peaks or (e >= 0) != (peaks[-1][1] >= 0):
            peaks.append((x, e))
        elif abs(e) > abs(peaks[-1][1]):
            peaks[-1] = (x, e)
    while len(peaks) > count:
        peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
    sizes = [abs(e) for _, e in peaks]
    return [x for x, _ in peaks], max(sizes), min(sizes)


def rounded_polynomial(f, weight, degree, a, b, rounding):
    """The best polynomial with coefficients of the element type."""
    safe = lambda x: x if abs(x) > TINY else TINY
    xs = [safe(a + (b - a) * mp.mpf(i) / 3001) for i in range(3002)]
    best, fixed_part = None, []
    for k in range(min(degree, 5) + 1):
        # What is left is x^k times a polynomial of degree - k.
        tail = lambda x: (f(x) - mp.polyval(fixed_part[::-1] or [0], x)) / x**k
        part, _, _ = rational(lambda x: tail(safe(x)),
                              lambda x: weight(safe(x)) * abs(safe(x)) ** k,
                              degree - k, 0, a, b)
        c = fixed_part + [rounding(v) for v in part]
        error = max(abs(weight(x) * (f(x) - mp.polyval(c[::-1], x))) for x in xs)
        if best is None or error < best[1]:
            best = (c, error)
        fixed_part = fixed_part + [rounding(part[0])]
    return best


def lawson(f, weight, p_degree, q_degree, a, b):
    """A rational fit in float64, good enough to start the exchange from."""
    count = 800
    u = np.cos((np.arange(count) + 0.5) * np.pi / count)
    x = float(a + b) / 2 + float(b - a) / 2 * u
    fx = np.array([float(f(mp.mpf(v))) for v in x])
    wx = np.array([float(weight(mp.mpf(v))) for v in x])
    basis = np.polynomial.chebyshev.chebvander(u, max(p_degree, q_degree))
    emphasis, q, best = np.ones(count), np.ones(count), None
    for step in range(300):
        scale = np.sqrt(emphasis) * wx / np.abs(q)
        columns = np.hstack([basis[:, :p_degree + 1],
                             -fx[:, None] * basis[:, 1:q_degree + 1]])
        c = np.linalg.lstsq(columns * scale[:, None], fx * scale, rcond=None)[0]
        q = 1 + basis[:, 1:q_degree + 1] @ c[p_degree + 1:]
        error = wx * (fx - basis[:, :p_degree + 1] @ c[:p_degree + 1] / q)
        size = np.abs(error).max()
        if best is None or size < best[0]:
            best = (size, error.copy())
        if step > 10:
            emphasis = emphasis * (np.abs(error) / size + 1e-3)
            emphasis /= emphasis.mean()
    lookup = dict(zip(x, best[1]))
    peaks = []
    for v in sorted(x):
        if not peaks or (lookup[v] >= 0) != (peaks[-1][1] >= 0):
            peaks.append((v, lookup[v]))
        elif abs(lookup[v]) > abs(peaks[-1][1]):
            peaks[-1] = (v, lookup[v])
    while len(peaks) > p_degree + q_degree + 2:
        peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
    level = abs(peaks[0][1]) * (1 if peaks[0][1] >= 0 else -1)
    return [mp.mpf(v) for v, _ in peaks], mp.mpf(level)


def rational(f, weight, p_degree, q_degree, a, b):
    """Minimises max |weight (f - p/q)|, q(0) = 1; a polynomial for degree 0."""
    n = p_degree + 1 + q_degree
    xs, level = lawson(f, weight, p_degree, q_degree, a, b)
    if len(xs) != n + 1:  # below the noise of float64
        assert q_degree == 0, f"start has {len(xs)} of {n + 1} points"
        xs = [a + (b - a) * (1 - mp.cos(mp.pi * (i + 0.01) / (n + 0.03))) / 2
              for i in range(n + 1)]
    q = [mp.mpf(1)] + [mp.mpf(0)] * q_degree
    for _ in range(12):
        for _ in range(30):  # Newton's method on the level of the error
            system, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
            for i, x in enumerate(xs):
                unit = (-1) ** i / weight(x)
                goal = f(x) - unit * level
                for j in range(p_degree + 1):
                    system[i, j] = x**j
                for j in range(1, q_degree + 1):
                    system[i, p_degree + j] = -goal * x**j
                system[i, n] = unit * mp.polyval(q[::-1], x)
                right[i] = goal + system[i, n] * level
            c = list(mp.lu_solve(system, right))
            change, level = abs(c[n] - level), c[n]
            q = [mp.mpf(1)] + c[p_degree + 1:n]
            if change < abs(level) * mp.mpf(10) ** -8:
                break
        p = c[:p_degree + 1]
        error = lambda x: weight(x) * (
            f(x) - mp.polyval(p[::-1], x) / mp.polyval(q[::-1], x))
        points, largest, smallest = alternation(error, a, b, n + 1)
        if len(points) < n + 1 or largest < smallest * 1.01:
            break
        xs = points
    return p, q, largest


def near_zero(f, value, limit=mp.mpf(10) ** -11):
    """f with its removable singularity at 0 filled in."""
    return lambda x: f(x) if abs(x) > limit else mp.mpf(value)


def expm1_tail(x):  # (expm1(x) - x) / x^2
    return (mp.expm1(x) - x) / x**2


def log1p_tail(x):  # (log1p(x) - x + x^2 / 2) / x^3
    return (mp.log1p(x) - x + x * x / 2) / x**3


def log_series(z):  # (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z


def odd(f):  # f(x) / x as a function of x^2
    return lambda t: f(mp.sqrt(t)) / mp.sqrt(t)


def scaled_erfc(t):  # erfc(x) exp(x^2) (1 + 2x) - 5/4, t = 1 / (1 + 2x)
    x = (1 / t - 1) / 2
    return mp.erfc(x) * mp.exp(x * x) / t - mp.mpf(5) / 4


def fixed(f, weight, degree, a, b, rounding, first):
    """`rounded_polynomial` with the given first coefficients."""
    k = len(first)
    g = lambda x: (f(x) - mp.polyval(first[::-1], x)) / x**k
    c, error = rounded_polynomial(g, lambda x: weight(x) * abs(x) ** k,
                                  degree - k, a, b, rounding)
    return [mp.mpf(v) for v in first] + c, error


def chebyshev(f, degree, a, b, size):
    """Interpolation at Chebyshev's points, which is nearly minimax, with
    coefficients rounded to f64; the error is relative to `size`."""
    c = mp.chebyfit(f, [a, b], degree + 1)[::-1]
    c = [f64(x) for x in c]
    xs = [a + (b - a) * mp.mpf(i) / 1000 for i in range(1, 1000)]
    error = max(abs(mp.polyval(c[::-1], x) - f(x)) / size(x) for x in xs)
    return c, error


SHEPHERD = mp.mpf("3.75")


def shepherd(y):  # erfc(x) exp(x^2) (1 + 2x) - 5/4, y = (x - k) / (x + k)
    x = SHEPHERD * (1 + y) / (1 - y)
    return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x) - mp.mpf(5) / 4


def shepherd_place(x):
    return (mp.mpf(x) - SHEPHERD) / (mp.mpf(x) + SHEPHERD)


def sine_tail(t):  # (sin(x) / x - 1) / x^2, t = x^2
    return (odd(mp.sin)(t) - 1) / t


def cosine_tail(t):  # (cos(x) - 1 + x^2 / 2) / x^4
    return (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2


SQRT_HALF = mp.sqrt(mp.mpf(1) / 2)
LOG_RANGE = (SQRT_HALF - 1, 2 * SQRT_HALF - 1)
LOG_Z = ((2 * SQRT_HALF - 1) / (2 * SQRT_HALF + 1)) ** 2 * mp.mpf("1.001")
EPS = mp.mpf(2) ** -12
EIGHTH_TURN = (mp.pi / 4) ** 2 * mp.mpf("1.0001")
POLYNOMIALS = {
    "exp2F32": lambda: fixed(lambda x: 2**x, lambda x: 2**-x, 6, EPS, mp.mpf(1),
                             f32, [1]),
    "exp2BesideOneF32": lambda: fixed(lambda x: 2**x, lambda x: 2**-x, 5, EPS,
                                      mp.mpf(1), f32, [1]),
    "exp2RoughF32": lambda: fixed(lambda x: 2**x, lambda x: 2**-x, 3, EPS,
                                  mp.mpf(1), f32, [1]),
    "exp2F64": lambda: fixed(lambda x: 2**x, lambda x: 2**-x, 11, mp.mpf("-.5"),
                             mp.mpf("0.5001"), f64, [1]),
    "expm1F32": lambda: rounded_polynomial(
        near_zero(expm1_tail, 0.5), lambda x: abs(x), 4, -HALF_LN2,
        HALF_LN2 * mp.mpf("1.0001"), f32),
    "expm1F64": lambda: rounded_polynomial(
        near_zero(expm1_tail, 0.5), lambda x: abs(x), 10, -HALF_LN2,
        HALF_LN2 * mp.mpf("1.0001"), f64),
    "logF32": lambda: rounded_polynomial(
        near_zero(log1p_tail, mp.mpf(1) / 3), lambda x: x * x, 7, *LOG_RANGE,
        f32),
    "logF64": lambda: rounded_polynomial(
        near_zero(log_series, mp.mpf(2) / 3), lambda z: z, 6, mp.mpf(0), LOG_Z,
        f64),
    "erfF32": lambda: rounded_polynomial(
        near_zero(lambda t: odd(mp.erf)(t) - 1, 2 / mp.sqrt(mp.pi) - 1),
        near_zero(lambda t: 1 / odd(mp.erf)(t), mp.sqrt(mp.pi) / 2), 5,
        mp.mpf(0), mp.mpf(1), f32),
    "erfTailF32": lambda: rounded_polynomial(
        lambda a: mp.log(mp.erfc(a), 2), lambda a: mp.erfc(a) * LN2, 5,
        mp.mpf(1), mp.mpf(4), f32),
    "erfF64": lambda: chebyshev(
        near_zero(lambda t: odd(mp.erf)(t) - 1, 2 / mp.sqrt(mp.pi) - 1), 12,
        mp.mpf(0), mp.mpf(1), odd(mp.erf)),
    "erfcF64": lambda: chebyshev(
        shepherd, 23, shepherd_place("0.5"), shepherd_place("27.3"),
        lambda y: shepherd(y) + mp.mpf(5) / 4),
    "sinF64": lambda: rounded_polynomial(
        near_zero(sine_tail, mp.mpf(-1) / 6), lambda t: t, 5,
        mp.mpf(0), EIGHTH_TURN, f64),
    "cosF64": lambda: rounded_polynomial(
        near_zero(cosine_tail, mp.mpf(1) / 24), lambda t: t * t, 5, mp.mpf(0),
        EIGHTH_TURN, f64),
    "sinQuarter": lambda: rounded_polynomial(
        near_zero(odd(lambda x: mp.sin(x * mp.pi / 2)), mp.pi / 2),
        lambda t: 1, 4, mp.mpf(0), mp.mpf(".2501"), f64),
    "cosQuarter": lambda: fixed(
        lambda t: mp.cos(mp.sqrt(t) * mp.pi / 2), lambda t: 1, 5, mp.mpf(0),
        mp.mpf(".2501"), f64, [1]),
}
RATIONALS = {
    "erfcF32": lambda: rational(
        scaled_erfc, lambda t: 1, 5, 4, mp.mpf(1) / 22,
        mp.mpf(1) / 2),
}


def pieces_of_turn():
    """1 / (2 pi) in seven pieces of 29 bits."""
    left, pieces = 1 / (2 * mp.pi), []
    for i in range(7):
        unit = mp.mpf(2) ** (-31 - 29 * i)
        pieces.append(mp.floor(left / unit) * unit)
        left -= pieces[-1]
    return [float(piece).hex() for piece in pieces]


def words_of_two_over_pi():
    """2 / pi in words of 64 bits, of the first one only the last 9."""
    with mp.workprec(1400):
        digits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (9 + 19 * 64)))
    return [hex(digits >> 64 * i & 2**64 - 1) for i in reversed(range(20))]


def tanh_piece(i):
    """A cubic around i / 4, of r in [-1/8, 1/8]: exactly odd around 0, and
    exactly 1 at the last place, where larger arguments end."""
    half, place = mp.mpf(1) / 8, mp.mpf(i) / 4
    if i == 0:
        c, error = rounded_polynomial(
            near_zero(odd(mp.tanh), 1), lambda t: mp.sqrt(abs(t)), 1,
            mp.mpf(0), half**2, f32)
        return [mp.mpf(0), c[0], mp.mpf(0), c[1]], error
    f = lambda r: mp.tanh(place + r)
    if i == 31:
        return fixed(f, lambda r: 1, 3, -half, mp.mpf(0), f32, [1])
    return rounded_polynomial(f, lambda r: 1, 3, -half, half, f32)


def tanh_pieces():
    """One row per coefficient."""
    pieces = [tanh_piece(i)[0] for i in range(32)]
    return [mp.nstr(c[order], 9) for order in range(4) for c in pieces]


EXACT = {
    "tanhPiecesF32": tanh_pieces,
    "quarterTurn": lambda: [float(mp.pi / 2).hex(),
                            float(mp.pi / 2 - f64(mp.pi / 2)).hex()],
    "turnPieces": pieces_of_turn,
    "twoOverPi": words_of_two_over_pi,
}


def show(name, c, error):
    digits = 17 if name.endswith("F64") or "Quarter" in name else 9
    text = ", ".join(mp.nstr(v, digits) for v in c)
    print(f"{name} (2^{mp.nstr(mp.log(error, 2), 4)}): {text}", flush=True)


def main(names):
    for name, fit in POLYNOMIALS.items():
        if not names or name in names:
            show(name, *fit())
    for name, fit in RATIONALS.items():
        if not names or name in names:
            p, q, error = fit()
            show(name + " p", p, error)
            show(name + " q", q, error)
    for name, digits in EXACT.items():
        if not names or name in names:
            print(f"{name}: {', '.join(digits())}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
