"""Print every benchmark's table. Sizes up to 1e5 members; `python -m benchmarks.every_table 1000000` goes further."""

import sys

from benchmarks import (
    contact_against_mujoco,
    contact_scale,
    contact_steps,
    control_steps,
    located_events,
    page_frames,
    rollouts,
    scale,
    six_strut_against_c,
    six_strut_against_mujoco,
    six_strut_in_lanes,
    statics_counts,
    statics_scale,
    stepping,
    stiff_motion,
    study_workers,
    tbar_against_scipy,
    tbar_compressible,
)

if __name__ == "__main__":
    print(tbar_against_scipy.table(tbar_against_scipy.measure()), end="\n\n")
    for material in (tbar_compressible.HDPE, tbar_compressible.ALUMINIUM):
        print(tbar_compressible.table(material, tbar_compressible.measure(material)), end="\n\n")
    if six_strut_against_c.InC.available:
        print(six_strut_against_c.table(six_strut_against_c.measure()), end="\n\n")
    costs = [six_strut_in_lanes.measure(correction) for correction in six_strut_in_lanes.CORRECTIONS]
    print(six_strut_in_lanes.table(costs), end="\n\n")
    print(six_strut_against_mujoco.report(), end="\n\n")
    if page_frames.CHROMIUM:
        print(page_frames.table(page_frames.measure(page_frames.cases())), end="\n\n")
    print(stepping.report(), end="\n\n")
    print(rollouts.report(), end="\n\n")
    print(stiff_motion.report(), end="\n\n")
    print(located_events.report(), end="\n\n")
    print(contact_steps.table(contact_steps.measure()), end="\n\n")
    print(contact_against_mujoco.report(), end="\n\n")
    print(control_steps.report(), end="\n\n")
    print(contact_scale.report(), end="\n\n")
    print(study_workers.table([study_workers.measure(model) for model in ("tbar", "prism")]), end="\n\n")
    largest = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    # Certifying a lattice that fills space grows fast; alone this benchmark takes any size.
    certified = [statics_counts.measure(kind, min(largest, 10_000)) for kind in statics_counts.KINDS]
    print(statics_counts.table(certified), end="\n\n")
    sizes = [10**n for n in range(3, 9) if 10**n <= largest]
    print(scale.table([scale.measured_apart(kind, size) for kind in scale.KINDS for size in sizes]), end="\n\n")
    print(statics_scale.table(statics_scale.measured(largest)))
