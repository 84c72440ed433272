"""What is done inside the machine: two boots, with everything that the tests look at afterwards."""

from __future__ import annotations

SIGNALS = {"ata": ("INT", "TERM"), "scsi": ("INT",), "nvme": ("HUP", "QUIT")}
"""Polite ends, and on which disk each is tried."""

PRELUDE = """
disk() {
  for d in /sys/block/*; do
    case $(cat $d/device/model 2>/dev/null) in $1*) echo /dev/${d##*/};; esac
  done
}
# What does not come about within three minutes ends the machine: nothing behind it would mean anything.
await() {
  until=$(($(cut -d. -f1 /proc/uptime) + 180))
  while [ $(cut -d. -f1 /proc/uptime) -lt $until ]; do "$@" >/dev/null 2>&1 && return; usleep 100000; done
  part "waited in vain for $*"; ps; tail -n 20 /tmp/*.said /kept/*.said 2>/dev/null
  poweroff -f
}
found() { [ -e "$(disk 'SAMPLE ATA')" ] && [ -e "$(disk 'SCSI DISK')" ] && [ -e "$(disk 'QEMU NVMe')" ] &&
  [ -e "$(disk 'KEPT')" ] && [ -e "$(disk 'UAS DISK')" ] && [ -e "$(disk 'QEMU HARDDISK')" ]; }
await found
ata=$(disk 'SAMPLE ATA'); scsi=$(disk 'SCSI DISK'); nvme=$(disk 'QEMU NVMe'); kept=$(disk 'KEPT')
# To look for rotation would take seconds for each run.
writing="--writes preserve --confirm 0001 --rotational no"
# measure PROGRAM DEVICE FILE REPEATS: with a kind that wants the write cache off.
measure() { $1 run $2 --only bandwidth --suite quick --repeats $4 $writing -o $3 2>&1; }
# begin DEVICE FILE REPEATS: the same, and goes on here once its first piece is written down.
begin() {
  diskatlas run $1 --only bandwidth --suite quick --repeats $3 $writing -o $2 >$2.said 2>&1 &
  pid=$!; await grep -q '"kind":"bandwidth"' $2.journal
}
document() { part "document $1"; diskatlas show --json $2; }
"""


def first_boot() -> str:
    """Looks at every disk, and ends runs in every way."""
    lines = [PRELUDE, "part list; diskatlas list --json", "part nobody; su nobody -c 'diskatlas list --json'"]
    lines += ["part table; diskatlas list", "part key; diskatlas key new"]
    for disk in SIGNALS:
        lines += [
            _whole(disk),
            *(_ended_by(disk, signal) for signal in SIGNALS[disk]),
            _panic(disk),
            _killed(disk),
        ]
    lines += [_both_states("scsi"), _kept_as_they_are("nvme"), _left_for_the_next_boot("ata")]
    return "\n".join(lines)


def second_boot() -> str:
    """Goes on with the run that the first boot did not end, on disks with other names."""
    return (
        PRELUDE
        + """
mkdir -p /kept; mount $kept /kept; export HOME=/kept
part names; echo $ata $scsi
part other; diskatlas resume /kept/run.json $scsi --confirm 0001; echo "exit $?"
witness other
part resumed; diskatlas resume /kept/run.json --confirm 0001; echo "exit $?"
witness resumed
document resumed /kept/run.json
part remains; ls /kept
umount /kept
"""
    )


def _whole(disk: str) -> str:
    return f"""
part 'whole {disk}'; measure diskatlas ${disk} /tmp/{disk}.json 1
witness 'whole {disk}'
document 'whole {disk}' /tmp/{disk}.json
"""


def _ended_by(disk: str, signal: str) -> str:
    name = f"{signal} {disk}"
    file = f"/tmp/{disk}-{signal}.json"
    return f"""
begin ${disk} {file} 100
witness 'before {name}'
kill -{signal} $pid; wait $pid; code=$?
part '{name}'; echo "exit $code"; cat {file}.said
witness 'after {name}'
document '{name}' {file}
"""


def _panic(disk: str) -> str:
    return f"""
part 'panic {disk}'
export DISKATLAS_PANIC_IN=bandwidth
measure diskatlas-development ${disk} /tmp/{disk}-panic.json 1; echo "exit $?"
unset DISKATLAS_PANIC_IN
witness 'panic {disk}'
"""


def _killed(disk: str) -> str:
    file = f"/tmp/{disk}-KILL.json"
    return f"""
begin ${disk} {file} 100
witness 'running {disk}'
part 'running {disk}'; diskatlas list --json
kill -KILL $pid; wait $pid
witness 'killed {disk}'
part 'killed {disk}'; diskatlas list --json
part 'journal {disk}'; cat {file}.journal
part 'read {disk}'
diskatlas run ${disk} --only positional --repeats 1 --rotational no -o /tmp/{disk}-read.json
witness 'read {disk}'
document 'read {disk}' /tmp/{disk}-read.json
""" + (_resumed(disk, file) if disk == "scsi" else _measured_anew(disk))


def _resumed(disk: str, file: str) -> str:
    """A run of a hundred passes: once it goes on again it is ended politely."""
    return f"""
pieces=$(grep -c '"kind":"bandwidth"' {file}.journal)
diskatlas resume {file} --confirm 0001 >{file}.said 2>&1 & pid=$!
await eval "[ \\$(grep -c '\\"kind\\":\\"bandwidth\\"' {file}.journal) -gt $pieces ]"
witness 'goes on {disk}'
kill -INT $pid; wait $pid
part 'mended {disk}'; cat {file}.said
witness 'mended {disk}'
document 'mended {disk}' {file}
"""


def _measured_anew(disk: str) -> str:
    return f"""
part 'mended {disk}'; measure diskatlas ${disk} /tmp/{disk}-anew.json 1
witness 'mended {disk}'
document 'mended {disk}' /tmp/{disk}-anew.json
"""


def _both_states(disk: str) -> str:
    return f"""
part both; diskatlas run ${disk} --only sync_write --suite quick $writing -o /tmp/both.json
witness both
document both /tmp/both.json
"""


def _kept_as_they_are(disk: str) -> str:
    return f"""
part keep; diskatlas run ${disk} --only bandwidth --suite quick $writing --caches keep -o /tmp/keep.json
witness keep
document keep /tmp/keep.json
"""


def _left_for_the_next_boot(disk: str) -> str:
    return f"""
mke2fs -q $kept >/dev/null; mkdir -p /kept; mount $kept /kept; export HOME=/kept
part keptkey; diskatlas key new
part names; echo $ata $scsi
begin ${disk} /kept/run.json 3
kill -KILL $pid; wait $pid
witness 'left {disk}'
umount /kept
"""
