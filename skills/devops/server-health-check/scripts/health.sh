#!/usr/bin/env bash
# A quick look at a Linux machine: only reads, needs no rights. Marks what is worth a second look with "!".
set -u
export LC_ALL=C

if [ "${1:-}" = "--help" ]; then
  echo "usage: health.sh    (prints a report; exit code 1 when something is marked)"
  exit 0
fi

marked=0
mark() { marked=$((marked + 1)); printf '! %s\n' "$*"; }
title() { printf '\n== %s\n' "$*"; }

title "Machine"
uname -srm
sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\).*/\1/p' /etc/os-release 2>/dev/null
echo "now $(date -u +%Y-%m-%dT%H:%M:%SZ), up since $(uptime -s 2>/dev/null || echo unknown)"
[ -f /var/run/reboot-required ] && mark "a restart is needed after updates"

title "Load"
read -r one five fifteen _ < /proc/loadavg
cores=$(nproc)
echo "load $one $five $fifteen on $cores cores"
awk -v l="$five" -v c="$cores" 'BEGIN { exit !(l > 1.5 * c) }' && mark "load is above 1.5 per core"
if [ -r /proc/pressure/cpu ]; then
  for kind in cpu memory io; do
    avg=$(sed -n 's/^some.*avg60=\([0-9.]*\).*/\1/p' "/proc/pressure/$kind")
    echo "waiting for $kind, last minute: ${avg:-0} %"
    awk -v a="${avg:-0}" 'BEGIN { exit !(a > 25) }' && mark "tasks wait for $kind ${avg} % of the time"
  done
fi

title "Memory"
total=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
available=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
swap_total=$(awk '/^SwapTotal/ { print $2 }' /proc/meminfo)
swap_free=$(awk '/^SwapFree/ { print $2 }' /proc/meminfo)
echo "available $((available / 1024)) of $((total / 1024)) MiB; swap used $(((swap_total - swap_free) / 1024)) of $((swap_total / 1024)) MiB"
[ $((available * 100 / total)) -lt 10 ] && mark "less than 10 % of memory is available"
if [ -r /sys/fs/cgroup/memory.max ] && [ "$(cat /sys/fs/cgroup/memory.max)" != max ]; then
  echo "limit of this container: $(($(cat /sys/fs/cgroup/memory.max) / 1048576)) MiB, used $(($(cat /sys/fs/cgroup/memory.current) / 1048576)) MiB"
fi
kills=$(awk '/^oom_kill / { print $2 }' /proc/vmstat)
[ "${kills:-0}" -gt 0 ] && mark "the system has killed $kills programs for lack of memory since it started"

title "Disks"
while read -r used inodes place; do
  echo "$place: ${used}% of space, ${inodes}% of inodes"
  [ "$used" -ge 85 ] && mark "$place is ${used}% full"
  case $inodes in *[!0-9]*) ;; *) [ "$inodes" -ge 85 ] && mark "$place has ${inodes}% of its inodes in use" ;; esac
done < <(df --output=pcent,ipcent,target -x tmpfs -x devtmpfs -x squashfs 2>/dev/null | tail -n +2 | tr -d '%')
awk '$4 ~ /(^|,)ro(,|$)/ && $3 ~ /^(ext4|xfs|btrfs)$/ { print $2 }' /proc/mounts | sort -u | while read -r place; do echo "read-only: $place"; done

title "Largest programs"
ps -eo pid,user,pcpu,pmem,etime,comm --sort=-pcpu 2>/dev/null | head -6
zombies=$(ps -eo stat= 2>/dev/null | grep -c '^Z')
[ "$zombies" -gt 20 ] && mark "$zombies ended programs wait for their parents"

title "Services"
if command -v systemctl >/dev/null && systemctl is-system-running >/dev/null 2>&1 || [ -d /run/systemd/system ]; then
  failed=$(systemctl list-units --state=failed --no-legend --plain 2>/dev/null | awk '{ print $1 }')
  if [ -n "$failed" ]; then for unit in $failed; do mark "service $unit has failed"; done; else echo "no failed services"; fi
else
  echo "no systemd here"
fi

title "Network"
(ss -tln 2>/dev/null || netstat -tln 2>/dev/null) | awk 'NR > 1 && /LISTEN/ { print $4 }' | sort -u | head -20
if getent hosts example.com >/dev/null 2>&1; then echo "names resolve"; else mark "names do not resolve (or there is no network)"; fi

title "Clock"
if command -v timedatectl >/dev/null && [ "$(timedatectl show -p NTPSynchronized --value 2>/dev/null)" = no ]; then
  mark "the clock is not synchronised"
else
  echo "nothing to say"
fi

printf '\n%s remarks\n' "$marked"
[ "$marked" -eq 0 ]
