#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reports what the benchmark measured: report.py [--out DIR] FILE.jsonl...

Prints all speeds and the bars, and writes bench.json and bench.svg to DIR.

Each line of the input is one measurement:
    part      "native", "kernel", "device" or "library"
    what      the work (WORK below names those of the bars); empty: all that the
              peer would do
    variant   ours: the backend; a peer: its name
    peer      whether it is a peer (default false)
    size      bytes of a call or request
and one of
    gbps          10^9 bytes a second
    ns            nanoseconds a call
    instructions  a call
    missing       why it was not measured (then size may be absent)
Lines alike in all but the value are samples of one measurement: the median counts.

WORK
    library  "u64" (ns; peer "getrandom(2)"), "fill" (gbps, size of a call), refilled
             from a file in memory
    native   a format's name; "shake256 absorb", "shake128 absorb"; "random";
             "section FORMAT" (ns; the longest stretch in which no other task runs)
    kernel   "fill chacha20|aes256-ctr|shake256" (secure, kernel memory; gbps)
             "request chacha20|aes256-ctr|shake256" (secure, ns at size 16, 32,
             256 and 4096; peer: variant "get_random_bytes", what "request")
    device   "secure chacha20|aes256-ctr|shake256", "seeded FORMAT" (gbps, size
             of a read; peers: what "read", variant "/dev/urandom", "/dev/zero")
             "shake128 absorb" (gbps, size of the message; peers "openssl dgst" of
             a file and "libcrypto" in process)
             "one reader", "two readers" (gbps together, both on a 7.x kernel)
             "overhead" (instructions of a 4 KiB request outside the core; peer
             "/dev/urandom")
"""

# Not 'env python3': the plot needs Debian's own, where python3-matplotlib goes.

import argparse
import collections
import json
import os
import platform
import statistics

KIB64, MIB, MIB32 = 64 << 10, 1 << 20, 32 << 20
UNITS = {"gbps": "GB/s", "ns": "ns", "instructions": "instructions"}
PLOT_PACKAGE = "python3-matplotlib"

# What a bar compares: measurements of a part; the best variant of those named
# (None: of all). SAME is the variant that the other side has.
Side = collections.namedtuple("Side", "part what size variants", defaults=(None,))
Bar = collections.namedtuple("Bar", "work ours peer bar goal")
# A peer that cannot be measured here: a number to hold.
Limit = collections.namedtuple("Limit", "unit value")
SAME = "same"
ABSENT = "not on this processor"

OPENSSL = ("openssl",)
IPSEC = ("ipsec-mb-avx512", "ipsec-mb-avx2", "ipsec-mb-sse")
VAES = ("vaes512", "vaes256")
AVX512 = ("avx512", "avx512vl")
GENERATORS = {"chacha20": "chacha20", "aes256-ctr": "aes256-ctr", "shake256": "shake256-ctr"}


def native(what, *variants, size=KIB64):
    return Side("native", what, size, variants or None)


def device(what, *variants):
    return Side("device", what, MIB32, variants or None)


def library(what, size):
    return Side("library", what, size)


SQUEEZE = native("shake256", *OPENSSL, size=MIB)
URANDOM = device("read", "/dev/urandom")

# The bars of the project, each with the ratio to hold and the one to aim at.
BARS = [
    Bar("aes256-ctr, VAES", native("aes256-ctr", *VAES), native("aes256-ctr", *OPENSSL), 1.9, None),
    Bar("aes256-ctr, VAES", native("aes256-ctr", *VAES), native("aes256-ctr", *IPSEC), None, 1.0),
    Bar("aes128-ctr, VAES", native("aes128-ctr", *VAES), native("aes128-ctr", *OPENSSL), 2.2, None),
    Bar("aes128-ctr, VAES", native("aes128-ctr", *VAES), native("aes128-ctr", *IPSEC), None, 1.0),
    Bar("aes128-le, VAES", native("aes128-le", *VAES), native("aes128-ctr", *OPENSSL), 2.2, None),
    Bar("aes128-le, VAES", native("aes128-le", *VAES), native("aes128-ctr", *IPSEC), None, 1.0),
    Bar("aes256-ctr, AES-NI", native("aes256-ctr", "aesni"), native("aes256-ctr", *OPENSSL), 0.95, 1.05),
    Bar("chacha20, AVX-512", native("chacha20", *AVX512), native("chacha20", *OPENSSL), 1.0, 1.15),
    Bar("chacha20, AVX2", native("chacha20", "avx2"), native("chacha20", "libgcrypt-noavx512"), 0.95, 1.05),
    Bar("shake256-ctr, AVX-512", native("shake256-ctr", *AVX512), SQUEEZE, 4.2, 5.0),
    Bar("shake256-ctr, AVX2", native("shake256-ctr", "avx2"), SQUEEZE, 2.6, 2.9),
    Bar("shake256, one state", native("shake256"), SQUEEZE, 1.0, 1.1),
    *(Bar(f"kernel, secure fill, {ours}", Side("kernel", f"fill {ours}", None),
          native(core, SAME), 0.85, 0.95) for ours, core in GENERATORS.items()),
    *(Bar(f"kernel, {size} bytes, {ours}", Side("kernel", f"request {ours}", size),
          Side("kernel", "request", size, ("get_random_bytes",)), 5, 10)
      for ours in GENERATORS for size in (16, 32, 256)),
    Bar("device, aes256-ctr", device("secure aes256-ctr"), URANDOM, 14, 17),
    Bar("device, chacha20", device("secure chacha20"), URANDOM, 8, 9.5),
    Bar("device, shake256", device("secure shake256"), URANDOM, 4.2, 5),
    *(Bar(f"device, seeded {name}", device(f"seeded {name}"), device(f"secure {name}", SAME), 0.95, None)
      for name in ("chacha20", "aes256-ctr")),
    *(Bar("device, shake128 of 78 MB", Side("device", "shake128 absorb", None),
          Side("device", "shake128 absorb", None, (peer,)), 1.0, None) for peer in ("openssl dgst", "libcrypto")),
    Bar("device, two readers", device("two readers"), device("one reader", SAME), 1.9, 2.0),
    Bar("device, instructions for 4 KiB", Side("device", "overhead", 4096),
        Side("device", "overhead", 4096, ("/dev/urandom",)), 1.0, None),
    Bar("library, u64", library("u64", 8), Side("library", "u64", 8, ("getrandom(2)",)), 60, None),
    Bar("library, u64", library("u64", 8), Limit("ns", 3), 1.0, None),
    Bar("library, fill of 16 bytes", library("fill", 16), Limit("gbps", 2.5), 1.0, None),
    Bar("library, fill of 32 bytes", library("fill", 32), Limit("gbps", 3.7), 1.0, None),
]


class Measurement(collections.namedtuple(
        "Measurement", "part what variant peer size unit value missing")):
    @property
    def speed(self):
        """Greater is better, whatever the unit."""
        return self.value if self.unit == "gbps" else 1 / self.value

    def record(self):
        """As it was read, without what is empty."""
        fields = self._asdict()
        del fields["unit"], fields["value"]
        fields = {key: value for key, value in fields.items() if value is not None}
        return {**fields, self.unit: self.value} if self.unit else fields

    def __str__(self):
        value = f"{self.value:.3g}" if self.value < 100 else f"{self.value:.0f}"
        return f"{self.variant} {value} {UNITS[self.unit]}"


def measurement(record, where):
    units = [unit for unit in UNITS if record.get(unit)]
    if len(units) != 1 and not record.get("missing"):
        raise SystemExit(f"{where}: needs one of {', '.join(UNITS)} or missing")
    unit = units[0] if units else None
    try:
        return Measurement(record["part"], record["what"], record["variant"], bool(record.get("peer")),
                           record.get("size"), unit, record.get(unit), record.get("missing"))
    except KeyError as key:
        raise SystemExit(f"{where}: has no {key}") from None


def read(lines, where):
    """Measurements of JSON lines; alike ones become their median."""
    alike = collections.defaultdict(list)
    for number, line in enumerate(lines, 1):
        place = f"{where}:{number}"
        try:
            one = measurement(json.loads(line), place)
        except json.JSONDecodeError as error:
            raise SystemExit(f"{place}: {error}") from None
        alike[one._replace(value=None)].append(one.value)
    return [key._replace(value=values[0] if key.missing else statistics.median(values))
            for key, values in alike.items()]


def on_side(side, measurements, same=None):
    """All measurements that a side of a bar speaks of, missing ones included."""
    variants = (same,) if side.variants == (SAME,) else side.variants

    def fits(m):
        if m.missing and not m.what:        # a whole library
            return m.part == side.part and any(v.startswith(m.variant) for v in variants or ())
        return ((m.part, m.what) == (side.part, side.what) and (side.size in (None, m.size) or m.missing)
                and (m.variant in variants if variants else not m.peer))

    return [m for m in measurements if fits(m)]


def best(found):
    return max((m for m in found if not m.missing), key=lambda m: m.speed, default=None)


def why_not(side, found, measurements):
    """The reason when there is none to compare."""
    if any(m.missing for m in found):
        return next(m.missing for m in found if m.missing)
    # Other variants did this work here: the ones named are of another architecture.
    return ABSENT if best(on_side(side._replace(variants=None), measurements)) else "not measured"


Outcome = collections.namedtuple("Outcome", "bar ours peer ratio verdict")


def judge(bar, measurements):
    candidates = on_side(bar.ours, measurements)
    ours = best(candidates)
    if not ours:
        return Outcome(bar, None, None, None, why_not(bar.ours, candidates, measurements))
    if isinstance(bar.peer, Limit):
        peer = ours._replace(variant="limit", peer=True, **bar.peer._asdict())
        return Outcome(bar, ours, peer, ours.speed / peer.speed, verdict(bar, ours.speed / peer.speed))
    others = on_side(bar.peer, measurements, ours.variant)
    peer = best(others)
    if not peer:
        return Outcome(bar, ours, None, None, "peer " + why_not(bar.peer, others, measurements))
    ratio = ours.speed / peer.speed
    return Outcome(bar, ours, peer, ratio, verdict(bar, ratio))


def verdict(bar, ratio):
    if bar.goal and ratio >= bar.goal:
        return "goal met"
    if not bar.bar:
        return "below goal"
    return "met" if ratio >= bar.bar else "MISSED"


def table(head, rows, left):
    """Columns as wide as they need; those in @left begin at the left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        cells = (cell.ljust(width) if i in left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths)))
        print("  ".join(cells).rstrip())
    print()


def times(ratio):
    return f"{ratio:.2f} x" if ratio else "-"


def print_bars(outcomes):
    table(("work", "ours", "peer", "ratio", "bar", "goal", ""),
          [(o.bar.work, str(o.ours or "-"), str(o.peer or "-"), times(o.ratio),
            times(o.bar.bar), times(o.bar.goal), o.verdict) for o in outcomes],
          left=(0, 1, 2, 6))


def bytes_name(size):
    for unit, name in ((MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def print_speeds(part, unit, measurements):
    """One table of a part: a row for each work and variant, a column a size."""
    mine = [m for m in measurements if m.part == part and m.unit == unit]
    sizes = sorted({m.size for m in mine})
    rows = collections.defaultdict(dict)
    for m in mine:
        rows[m.what, m.peer, m.variant][m.size] = m
    ranked = sorted(rows.items(), key=lambda row: (row[0][0], -max(m.speed for m in row[1].values())))
    if rows:
        table((f"{part}, {UNITS[unit]}", "by", *map(bytes_name, sizes)),
              [(what, f"({variant})" if peer else variant,
                *(f"{cells[size].value:.4g}" if size in cells else "" for size in sizes))
               for (what, peer, variant), cells in ranked], left=(0, 1))


def print_missing(measurements):
    missing = sorted({(f"{m.variant} {m.what}".strip(), m.missing) for m in measurements if m.missing})
    for name, why in missing:
        print(f"skipped: {name}: {why}")
    print(f"{len(missing)} skipped")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
            fields = dict(line.split(":", 1) for line in cpuinfo.read().split("\n\n")[0].splitlines())
    except OSError:
        fields = {}
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    name = fields.get("model name", platform.machine())
    family = f", family {fields['cpu family']} model {fields['model']}" if "cpu family" in fields else ""
    return name + family


def write_json(path, measurements, outcomes):
    bars = [{"work": o.bar.work, "ours": o.ours and o.ours.record(), "peer": o.peer and o.peer.record(),
             "ratio": o.ratio and round(o.ratio, 3), "bar": o.bar.bar, "goal": o.bar.goal,
             "verdict": o.verdict} for o in outcomes]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"processor": processor(), "kernel": platform.release(),
                   "bars": bars, "measurements": [m.record() for m in measurements]}, file, indent=1)
        file.write("\n")


# The plot, a panel a line: title, part, size (None: the largest of each), works.
PANELS = [
    ("native, 64 KiB calls", "native", KIB64, ["chacha20", "aes256-ctr", "aes128-ctr"]),
    ("native, SHAKE256 and TurboSHAKE", "native", None, ["shake256-ctr", "shake256", "turboshake256"]),
    ("device, 32 MiB reads", "device", MIB32, ["secure aes256-ctr", "secure chacha20", "secure shake256", "read"]),
]
OURS, PEERS = "#1f77b4", "#b0b0b0"


def panel_bars(part, size, works, measurements):
    """Label and measurement of each bar of a panel, by work, the longest first."""
    for what in works:
        mine = [m for m in measurements if (m.part, m.what, m.unit) == (part, what, "gbps")]
        largest = {m.variant: max(n.size for n in mine if n.variant == m.variant) for m in mine}
        shown = [m for m in mine if m.size == (size or largest[m.variant])]
        for m in sorted(shown, key=lambda m: -m.value):
            yield f"{what}  {m.variant}", m


def draw_panel(axes, title, bars):
    places = range(len(bars), 0, -1)
    values = [m.value for _, m in bars]
    axes.barh(places, values, color=[PEERS if m.peer else OURS for _, m in bars])
    axes.set_yticks(list(places), [label for label, _ in bars])
    for place, value in zip(places, values):
        axes.text(value, place, f" {value:.3g}", va="center")
    axes.set_title(f"{title} (GB/s)", loc="left")
    axes.margins(x=0.1, y=0.02)
    axes.spines[["top", "right"]].set_visible(False)


def plot(path, measurements):
    """Draws the panels that have something to show; false if matplotlib is not there."""
    try:
        import matplotlib
    except ImportError:
        return False
    # The same picture for the same numbers.
    matplotlib.rcParams["svg.hashsalt"] = "shakerandom"
    matplotlib.use("svg")
    from matplotlib import pyplot
    panels = [(title, list(panel_bars(part, size, works, measurements)))
              for title, part, size, works in PANELS]
    panels = [(title, bars) for title, bars in panels if bars]
    if not panels:
        return True
    lengths = [len(bars) for _, bars in panels]
    height = 0.28 * sum(lengths) + 0.6 * len(panels) + 0.8
    figure, axes = pyplot.subplots(len(panels), figsize=(9, height), height_ratios=lengths, squeeze=False)
    for (title, bars), place in zip(panels, axes.flat):
        draw_panel(place, title, bars)
    figure.suptitle(f"shakerandom (blue) and others on {processor()}", x=0.01, ha="left")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    return True


def report(measurements, out):
    """Prints and writes everything."""
    outcomes = [judge(bar, measurements) for bar in BARS]
    for part in ("native", "kernel", "device", "library"):
        for unit in UNITS:
            print_speeds(part, unit, measurements)
    print_bars(outcomes)
    print_missing(measurements)
    os.makedirs(out, exist_ok=True)
    picture = os.path.join(out, "bench.svg")
    write_json(os.path.join(out, "bench.json"), measurements, outcomes)
    if not plot(picture, measurements):
        print(f"no plot: apt-get install --no-install-recommends {PLOT_PACKAGE}")
    counts = collections.Counter(o.verdict for o in outcomes)
    print("bench: " + ", ".join(f"{count} {word}" for word, count in counts.items()))
    print(f"on {processor()}; files in {out}")


def read_files(paths):
    measurements = []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            measurements += read(lines, path)
    return measurements


def main():
    parser = argparse.ArgumentParser(description="Reports what the benchmark measured.")
    parser.add_argument("files", nargs="+", metavar="FILE.jsonl")
    parser.add_argument("--out", default=".", metavar="DIR")
    options = parser.parse_args()
    report(read_files(options.files), options.out)


if __name__ == "__main__":
    main()
