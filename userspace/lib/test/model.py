# SPDX-License-Identifier: MIT
"""The draws of shakerandom.h again, from its text, over any function that gives stream bytes.

Shares nothing with the library; the tables of the ziggurat are computed here, another way."""

from decimal import Decimal, getcontext
from functools import lru_cache

PLAIN, AES_PRNG, CHACHACIPHERS, CRYPTORANDOM = range(4)
M64 = 2**64 - 1


@lru_cache(None)
def ziggurat():
    """(edges, heights, 1 / R): the published R of 256 layers, refined by Newton's method."""
    getcontext().prec = 60

    def f(x):
        return (-x * x / 2).exp()

    def area(r):
        # The half that is under the curve less what is there up to r, by a series.
        total, term, n = r, r, 0
        while abs(term) > Decimal(10) ** -48:
            n += 1
            term = term * r * r / (2 * n + 1)
            total += term
        half = (Decimal(2) * pi()).sqrt() / 2
        return r * f(r) + half - f(r) * total

    def climb(r):
        v, x = area(r), [r]
        for _ in range(254):
            x.append((-2 * (f(x[-1]) + v / x[-1]).ln()).sqrt())
        return x, f(x[-1]) + v / x[-1] - 1

    a = Decimal("3.654152885361008796")     # Doornik (2005), to 19 digits
    h = Decimal(10) ** -20
    for _ in range(4):
        miss = climb(a)[1]
        step = miss * h / (climb(a + h)[1] - miss)
        a -= step
        if abs(step) < Decimal(10) ** -40:
            break
    edges = [area(a) / f(a)] + climb(a)[0] + [Decimal(0)]
    return ([int(x * 2**60) for x in edges], [int(f(x) * 2**63) for x in edges],
            int(2**64 / a))


def pi():
    """Machin's formula."""
    def arctan_inverse(n):
        total = term = Decimal(1) / n
        k = 1
        while abs(term) > Decimal(10) ** -49:
            term = -term / (n * n)
            k += 2
            total += term / k
        return total
    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


class Stream:
    """read(offset, length) gives bytes; everything else follows the rules."""

    def __init__(self, read, rules=PLAIN):
        self.read, self.rules, self.position, self.cache = read, rules, 0, []

    def fill(self, n):
        data = self.read(self.position, n)
        assert len(data) == n
        self.position += n
        return data

    def scalar(self, size):
        if self.rules == AES_PRNG and size in (4, 8):
            used = self.position % 128
            if used >= 128 - size:
                self.position += 128 - used
        if self.rules == CHACHACIPHERS and self.position % 64 + size > 64:
            self.position += -self.position % 64
        return int.from_bytes(self.fill(size), "little")

    def u8(self):
        return self.scalar(1)

    def u16(self):
        return self.scalar(2)

    def u32(self):
        return self.scalar(4)

    def u64(self):
        return self.scalar(8)

    def u128(self):
        return self.scalar(16)

    def bool(self):
        if self.rules != AES_PRNG:
            return self.u8() & 1
        if not self.cache:
            v = self.u64()
            self.cache = [v >> i & 1 for i in range(64)]
        return self.cache.pop(0)

    def bits(self, count):
        return self.u64() % 2**min(count, 64) if count else 0

    def below(self, bound, width):
        draw = {32: self.u32, 64: self.u64}[width]
        if self.rules == CRYPTORANDOM:
            if bound == 0 and width == 32:
                draw()
            if bound <= 1:
                return 0
            while True:
                v = draw() % 2 ** (bound - 1).bit_length()
                if v < bound:
                    return v
        if bound <= 1:
            return 0
        while True:
            product = draw() * bound
            if product % 2**width >= 2**width % bound:
                return product >> width

    def below32(self, bound):
        return self.below(bound, 32)

    def below64(self, bound):
        return self.below(bound, 64)

    def range(self, a, b, width):
        count = abs(a - b) + 1
        if count == 2**width:
            return min(a, b) + {32: self.u32, 64: self.u64}[width]()
        return min(a, b) + self.below(count, width)

    def range32(self, a, b):
        return self.range(a, b, 32)

    def range64(self, a, b):
        return self.range(a, b, 64)

    urange32, urange64 = range32, range64

    def float(self):
        return (self.u32() >> 8) / 2**24

    def double(self):
        return (self.u64() >> 11) / 2**53

    def exponential(self):
        """In units of 2^-60."""
        for k in range(16):
            run = [self.u64()]
            while True:
                u = self.u64()
                if u >= run[-1]:
                    break
                run.append(u)
            if len(run) % 2:
                return k * 2**60 + run[0] // 16
        return M64

    def normal(self):
        edge, height, inverse = ziggurat()
        getcontext().prec = 50
        while True:
            r = self.u64()
            i, sign = r % 256, -1 if r >> 8 & 1 else 1
            x = (r >> 9 << 9) * edge[i] >> 64
            if x < edge[i + 1]:
                pass
            elif i == 0:
                while True:
                    t = self.exponential() * inverse >> 64
                    e = self.exponential()
                    if t * t >> 64 < e >> 3:
                        break
                x = edge[1] + t
            else:
                y = height[i] + (self.u64() * (height[i + 1] - height[i]) >> 64)
                # The library's fixed point is within 2^-55 of this.
                exact = int((-(Decimal(x) / 2**60)**2 / 2).exp() * 2**63)
                assert abs(y - exact) > 2**9, "too close to tell: choose other seeds"
                if y >= exact:
                    continue
            return sign * (x >> 11) / 2**49

    def shuffle(self, count, size):
        items = [bytes((i + j * 16) % 256 for j in range(size)) for i in range(count)]
        for i in range(count - 1, 0, -1):
            j = self.below32(i + 1)
            items[i], items[j] = items[j], items[i]
        return b"".join(items)

    def sample(self, k, n):
        out = []
        for j in range(n - k, n):
            t = self.below64(j + 1)
            out.append(j if t in out else t)
        for i in range(k - 1, 0, -1):
            j = self.below32(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    @staticmethod
    def uuid(data, version):
        data = bytearray(data)
        data[6] = data[6] & 15 | version << 4
        data[8] = data[8] & 63 | 128
        h = data.hex()
        return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))

    def uuid4(self):
        return self.uuid(self.fill(16), 4)

    def uuid7(self, ms):
        return self.uuid(ms.to_bytes(6, "big") + self.fill(10), 7)
