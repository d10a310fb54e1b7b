# SPDX-License-Identifier: GPL-2.0
"""What gpreempt-hwtest reported, held against what the GPU model says, and against reason.

Functions yield what is wrong, in words.
"""
import json
import re

KEPT_SECRET = "secrethost"      # the host name in the guest
VGPR_BYTES = 256                # of a wave, for each vector register
QUICK_PREEMPTIONS = 30
RESOLUTION = 0.05               # of a cost that a report tells


def load(folder):
    return json.loads((folder / "report.json").read_text())


def step(report, name):
    return next(s for s in report["steps"] if s["name"] == name)


def complete(report, last="table"):
    """All is well, up to a step; nothing was done after that."""
    if report["anomaly"]:
        yield f"anomaly: {report['anomaly']}"
    names = [s["name"] for s in report["steps"]]
    for n, s in enumerate(report["steps"]):
        wanted = "ok" if n <= names.index(last) else "not run"
        if s["state"] != wanted:
            yield f"step {s['name']} is '{s['state']}', not '{wanted}'"
    if not report["restored"]:
        yield "the settings were not put back"


def anomalous(report, name, text):
    """It ended at a step, says so, and left the node as it was."""
    if not re.search(text, report["anomaly"] or ""):
        yield f"not '{text}': {report['anomaly']}"
    if step(report, name)["state"] not in ("ANOMALY", "did not end"):
        yield f"step {name} is '{step(report, name)['state']}'"
    if not report["restored"]:
        yield "the settings were not put back"


def index(report, log):
    """When the read index advances, as the model was told."""
    told = re.search(r" rptr_at=(\w+)", log)[1]
    if step(report, "index")["read_index_at"] != told:
        yield f"the read index advances at {told}, not {step(report, 'index')['read_index_at']}"


def registers(report, log):
    """What it found firmware to write, and registers to have bits for, is what the model does."""
    for name, key, option, told in (
            ("registers", "status_bits_are", "status=busy", ("queues", "queues with waves")),
            ("offset", "wave_offset_written_at", "state_offset=save", ("each unmap", "saves only"))):
        found, wanted = step(report, name).get(key), told[f" {option}" in log]
        if found != wanted:
            yield f"{key} '{found}', not '{wanted}'"
    found = step(report, "registers")
    if not found.get("waves_counted", 0) == found.get("waves_launched") > 0:
        yield f"{found.get('waves_counted')} waves counted of {found.get('waves_launched')}"


def costs_as_told(told, log, of_model):
    """The costs that a report makes are those that the model had, as well as it can tell."""
    default = {p.name: int(p.value) for p in of_model}
    changed = re.search(r" params (.*)", log)
    had = default | {name: int(value) for name, value in
                     re.findall(r"(\w+)=(\d+)", changed[1] if changed else "")}
    for name, value in re.findall(r"--param (\w+)=(\d+)", told):
        if abs(int(value) - had[name]) > RESOLUTION * had[name]:
            yield f"{name} is {had[name]}, the report makes it {value}"


def cost(report):
    """What was saved is at least what was allocated, and costs more the more it is."""
    rows = step(report, "cost")["rows"]
    if len(rows) < 10:
        yield f"{len(rows)} loads"
    for row in rows:
        least = row["waves"] * (row["vgprs"] * VGPR_BYTES + row["lds_bytes"] / 2) / 2**20
        if not least <= row["saved_mib"] <= 1.5 * least + 0.1:
            yield f"{row['saved_mib']:.3f} MiB saved, {least:.3f} are allocated: {row}"
    small, large = (pick(rows, key=lambda r: r["saved_mib"]) for pick in (min, max))
    for what in "save_us", "restore_us":
        if not 0 < small[what] < large[what]:
            yield f"{what}: {small[what]} for least, {large[what]} for most"


def grace(report):
    """Each us that is asked for is one; without it a save is shorter by the time that was found."""
    found = step(report, "grace")
    if not abs(found.get("us_for_each_us", 0) - 1) <= RESOLUTION:
        yield f"{found.get('us_for_each_us')} us for each us of grace_us"
    fixed = step(report, "cost")["save_fixed_us"] - found.get("found_us", 0)
    if not abs(found.get("save_without_us", 0) - fixed) <= RESOLUTION * fixed:
        yield f"{found.get('save_without_us')} us without a grace period, not {fixed}"
    if found.get("proposed_us") != 0:
        yield f"{found.get('proposed_us')} us are proposed"


def figures(report):
    """What each of the other steps found is there, and can be."""
    least = {("gws", "preemptions"): 1, ("watch", "register_access_ns"): 1, ("empty", "unmap_fence_us"): 1,
             ("doorbell", "faults"): 1, ("detection", "preemptions"): 1,
             ("detection", "detection_at_most_us"): 1,
             ("exact", "preemptions"): QUICK_PREEMPTIONS, ("exact", "low_words"): 1}
    for (name, what), value in least.items():
        if not step(report, name).get(what, 0) >= value:
            yield f"{name}: {what} is {step(report, name).get(what)}"
    p50 = {row["way"]: row["p50_us"] for row in step(report, "table")["rows"]}
    for way, us in p50.items():
        stock = p50.get(way.replace("GPREEMPT", "stock"))
        if way.startswith("GPREEMPT") and not p50["HIGH alone"] < us < stock:
            yield f"HIGH with {way}: {us} us, {p50['HIGH alone']} alone, {stock} on stock"


def secrets(folder):
    """No host name, and no place for a serial number."""
    for path in sorted(folder.iterdir()):
        found = re.search(rb"(?i)serial|unique_id|" + KEPT_SECRET.encode(), path.read_bytes())
        if found:
            yield f"{path.name} has '{found[0].decode()}'"
