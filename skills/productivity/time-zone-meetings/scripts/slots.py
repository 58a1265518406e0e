#!/usr/bin/env python3
"""Find meeting times that are bearable in several time zones, or show one moment in all of them. Standard library only."""
import argparse
import datetime as dt
import sys
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones


def zone_of(text):
    name = text.strip()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, IsADirectoryError):
        plain = name.lower().replace(" ", "_")
        near = sorted(z for z in available_timezones() if z.lower().rsplit("/", 1)[-1] == plain) or sorted(
            z for z in available_timezones() if plain in z.lower()
        )
        if len(near) == 1 or (near and near[0].lower().endswith("/" + plain)):
            return ZoneInfo(near[0])
        sys.exit(f"no time zone {name!r}" + (f"; near it: {', '.join(near[:6])}" if near else ""))


def cost(at, begin, end):
    """0 within working hours, more the further away; weekends and nights are dear."""
    hour = at.hour + at.minute / 60
    if at.weekday() > 4:
        return 100
    if begin <= hour <= end:
        return 0
    away = begin - hour if hour < begin else hour - end
    away = min(away, 24 - away)
    return away if away <= 1.5 else away * 2 if away <= 3 else 50


def main():
    parser = argparse.ArgumentParser(prog="slots.py", description=__doc__)
    parser.add_argument("zones", nargs="+", help="e.g. Europe/Berlin 'New York' Tokyo; the first is yours")
    parser.add_argument("--date", help="first day, YYYY-MM-DD (default tomorrow)")
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--hours", default="9-17", help="working hours, in every zone")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--at", help="show this moment (YYYY-MM-DDTHH:MM in the first zone) in all zones")
    args = parser.parse_args()
    zones = [zone_of(z) for z in args.zones]
    if args.at:
        moments = [dt.datetime.fromisoformat(args.at).replace(tzinfo=zones[0])]
        for at in moments:
            for zone in zones:
                local = at.astimezone(zone)
                print(f"{zone.key:24} {local:%a %Y-%m-%d %H:%M} (UTC{local:%z})")
        return
    begin, end = (float(x) for x in args.hours.split("-"))
    day = dt.date.fromisoformat(args.date) if args.date else dt.datetime.now(zones[0]).date() + dt.timedelta(days=1)
    found = []
    for offset in range(args.days):
        for half in range(48):
            start = dt.datetime.combine(day + dt.timedelta(days=offset), dt.time(half // 2, half % 2 * 30), zones[0])
            stop = start.astimezone(dt.timezone.utc) + dt.timedelta(minutes=args.minutes)
            costs = [max(cost(start.astimezone(z), begin, end), cost(stop.astimezone(z), begin, end)) for z in zones]
            found.append((max(costs), sum(costs), start, costs))
    found.sort(key=lambda f: f[:3])
    for worst, _, start, costs in found[: args.top]:
        note = "good" if worst == 0 else "bearable" if worst <= 3 else "hard" if worst < 50 else "night or weekend for somebody"
        print(f"{start:%a %Y-%m-%d}: {note}")
        for zone, price in zip(zones, costs):
            a, b = start.astimezone(zone), (start.astimezone(dt.timezone.utc) + dt.timedelta(minutes=args.minutes)).astimezone(zone)
            shift = (a.date() - start.date()).days
            print(f"    {a:%H:%M}-{b:%H:%M}{f' ({shift:+d} day)' if shift else '':9}  {zone.key}{'  !' if price else ''}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
