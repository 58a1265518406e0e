#!/usr/bin/env python3
"""Read .ics calendar files (list a span, find free time, find conflicts), or write one with a new event. Standard library only."""
import argparse
import datetime as dt
import re
import sys
import uuid
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UTC = dt.timezone.utc
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def unfold(text):
    return re.sub(r"\r?\n[ \t]", "", text).replace("\r\n", "\n").split("\n")


def prop(line):
    head, _, value = line.partition(":")
    while head.count('"') % 2:
        more, _, value = value.partition(":")
        head += ":" + more
    name, *params = head.split(";")
    return name.upper(), dict(p.split("=", 1) for p in params if "=" in p), value


def moment(value, params, zone):
    if re.fullmatch(r"\d{8}", value):
        day = dt.datetime.strptime(value, "%Y%m%d")
        return day.replace(tzinfo=zone), True
    at = dt.datetime.strptime(value.rstrip("Z")[:15], "%Y%m%dT%H%M%S")
    if value.endswith("Z"):
        return at.replace(tzinfo=UTC), False
    try:
        return at.replace(tzinfo=ZoneInfo(params["TZID"].strip('"'))), False
    except (KeyError, ZoneInfoNotFoundError, ValueError):
        return at.replace(tzinfo=zone), False


def duration(text):
    found = re.fullmatch(r"(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", text)
    if not found:
        return dt.timedelta()
    weeks, days, hours, minutes, seconds = (int(x or 0) for x in found.groups()[1:])
    return dt.timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def plain(value):
    return value.replace("\\n", " ").replace("\\N", " ").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\")


def occurrences(event, start, end):
    first, length = event["start"], event["end"] - event["start"]
    rule = event.get("rule")
    if not rule:
        yield first
        return
    parts = dict(p.split("=", 1) for p in rule.upper().split(";") if "=" in p)
    freq, step = parts.get("FREQ", ""), int(parts.get("INTERVAL", "1"))
    left = int(parts.get("COUNT", "100000"))
    until = moment(parts["UNTIL"], {}, first.tzinfo)[0] if "UNTIL" in parts else end
    if "UNTIL" in parts and len(parts["UNTIL"]) == 8:
        until += dt.timedelta(days=1)
    by_day = [d[-2:] for d in parts.get("BYDAY", "").split(",") if d]
    day, index = first, 0
    while day <= min(until, end) and left > 0 and index < 20_000:
        index += 1
        fits = True
        if freq == "WEEKLY":
            monday = first.date() - dt.timedelta(days=first.weekday())
            fits = ((day.date() - monday).days // 7) % step == 0 and (DAYS[day.weekday()] in by_day if by_day else day.weekday() == first.weekday())
            ahead = dt.timedelta(days=1)
        elif freq == "DAILY":
            fits, ahead = (not by_day or DAYS[day.weekday()] in by_day), dt.timedelta(days=step)
        elif freq in ("MONTHLY", "YEARLY"):
            months = step if freq == "MONTHLY" else 12 * step
            nth = re.fullmatch(r"([+-]?\d)([A-Z]{2})", parts.get("BYDAY", ""))
            if nth and freq == "MONTHLY":
                days = [d for d in range(1, 32) if valid(day, d) and DAYS[day.replace(day=d).weekday()] == nth.group(2)]
                pick = int(nth.group(1))
                wanted = days[pick - 1] if 0 < pick <= len(days) else days[pick] if pick < 0 and -pick <= len(days) else None
                if wanted and day.replace(day=wanted) >= first and day.replace(day=wanted) <= until:
                    left -= 1
                    yield day.replace(day=wanted)
            elif valid(day, first.day):
                left -= 1
                yield day.replace(day=first.day)
            total = day.month - 1 + months
            day = day.replace(year=day.year + total // 12, month=total % 12 + 1, day=1)
            continue
        else:
            yield first
            return
        if fits:
            left -= 1
            if day + length >= start:
                yield day
        # Wall-clock time stays the same when the clocks change.
        day = (day.replace(tzinfo=None) + ahead).replace(tzinfo=first.tzinfo)


def valid(day, number):
    try:
        day.replace(day=number)
        return True
    except ValueError:
        return False


def load(paths, zone):
    events = []
    for path in paths:
        with open(path, encoding="utf-8-sig") as file:
            lines = unfold(file.read(20_000_000))
        event, depth = None, 0
        for line in lines:
            name, params, value = prop(line)
            if name == "BEGIN" and value == "VEVENT":
                event, depth = {"file": path, "excluded": []}, 0
            elif event is None:
                continue
            elif name == "BEGIN":
                depth += 1
            elif name == "END" and value == "VEVENT":
                if "start" in event and event.get("status") != "CANCELLED":
                    event.setdefault("end", event["start"] + (event.get("length") or (dt.timedelta(days=1) if event["all_day"] else dt.timedelta())))
                    events.append(event)
                event = None
            elif name == "END":
                depth -= 1
            elif depth:
                continue
            elif name == "DTSTART":
                event["start"], event["all_day"] = moment(value, params, zone)
            elif name == "DTEND":
                event["end"] = moment(value, params, zone)[0]
            elif name == "DURATION":
                event["length"] = duration(value)
            elif name == "RRULE":
                event["rule"] = value
            elif name == "EXDATE":
                event["excluded"] += [moment(v, params, zone)[0] for v in value.split(",")]
            elif name == "RECURRENCE-ID":
                event["replaces"] = moment(value, params, zone)[0]
            elif name in ("SUMMARY", "LOCATION", "STATUS", "TRANSP", "UID"):
                event[name.lower()] = plain(value)
    return events


def within(events, start, end):
    replaced = {(e.get("uid"), e["replaces"]) for e in events if "replaces" in e}
    found = []
    for event in events:
        length = event["end"] - event["start"]
        for at in occurrences(event, start, end):
            skipped = at in event["excluded"] or ("replaces" not in event and (event.get("uid"), at) in replaced)
            if not skipped and at < end and max(at + length, at + dt.timedelta(seconds=1)) > start:
                found.append({**event, "start": at, "end": at + length})
    return sorted(found, key=lambda e: e["start"])


def escaped(text):
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def folded(line):
    data, out = line.encode(), []
    while len(data) > 73:
        cut = 73
        while data[cut] & 0xC0 == 0x80:
            cut -= 1
        out.append(data[:cut].decode())
        data = b" " + data[cut:]
    return "\r\n".join([*out, data.decode()])


def create(args, zone):
    start = dt.datetime.fromisoformat(args.start).replace(tzinfo=zone)
    stamp = "%Y%m%dT%H%M%SZ"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//hermes//ics//EN", "BEGIN:VEVENT", f"UID:{uuid.uuid4()}@hermes", f"DTSTAMP:{dt.datetime.now(UTC):{stamp}}"]
    if len(args.start) == 10:
        lines += [f"DTSTART;VALUE=DATE:{start:%Y%m%d}", f"DTEND;VALUE=DATE:{start + dt.timedelta(days=1):%Y%m%d}"]
    else:
        lines += [f"DTSTART:{start.astimezone(UTC):{stamp}}", f"DTEND:{(start + dt.timedelta(minutes=args.minutes)).astimezone(UTC):{stamp}}"]
    lines.append("SUMMARY:" + escaped(args.title))
    lines += ["LOCATION:" + escaped(args.location)] if args.location else []
    lines += ["DESCRIPTION:" + escaped(args.notes)] if args.notes else []
    if args.remind:
        lines += ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:" + escaped(args.title), f"TRIGGER:-PT{args.remind}M", "END:VALARM"]
    lines += ["END:VEVENT", "END:VCALENDAR", ""]
    with open(args.out, "w", encoding="utf-8", newline="") as file:
        file.write("\r\n".join(folded(line) for line in lines))
    print(f"{args.out}: {args.title}, {start:%a %Y-%m-%d %H:%M} ({zone})")


def main():
    parser = argparse.ArgumentParser(prog="ics.py", description=__doc__)
    parser.add_argument("--zone", default="UTC", help="your time zone, e.g. Europe/Berlin")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("list", "events of a span"), ("free", "free time of working days"), ("conflicts", "events that overlap")):
        sub = commands.add_parser(name, help=text)
        sub.add_argument("files", nargs="+")
        sub.add_argument("--from", dest="start", help="YYYY-MM-DD, default today")
        sub.add_argument("--days", type=int, default=7)
        sub.add_argument("--hours", default="09:00-17:00", help="for free")
        sub.add_argument("--minutes", type=int, default=30, help="shortest free time that is shown")
    sub = commands.add_parser("create", help="write a file with one event")
    sub.add_argument("title")
    sub.add_argument("start", help="YYYY-MM-DDTHH:MM, or YYYY-MM-DD for all day")
    sub.add_argument("--minutes", type=int, default=60)
    sub.add_argument("--location")
    sub.add_argument("--notes")
    sub.add_argument("--remind", type=int, help="minutes before")
    sub.add_argument("--out", default="event.ics")
    args = parser.parse_args()
    try:
        zone = ZoneInfo(args.zone)
        if args.command == "create":
            create(args, zone)
            return
        day = dt.date.fromisoformat(args.start) if args.start else dt.datetime.now(zone).date()
        start = dt.datetime.combine(day, dt.time(), zone)
        events = within(load(args.files, zone), start, start + dt.timedelta(days=args.days))
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        sys.exit(str(error))
    if args.command == "list":
        for e in events:
            a, b = e["start"].astimezone(zone), e["end"].astimezone(zone)
            span = "all day    " if e["all_day"] else f"{a:%H:%M}-{b:%H:%M}"
            print(f"{a:%a %Y-%m-%d}  {span}  {e.get('summary', '(no title)')}" + (f"  @ {e['location']}" if e.get("location") else ""))
        print(f"{len(events)} events")
        return
    busy = [e for e in events if e.get("transp") != "TRANSPARENT" and not e["all_day"]]
    if args.command == "conflicts":
        pairs = [(a, b) for i, a in enumerate(busy) for b in busy[i + 1 :] if b["start"] < a["end"]]
        for a, b in pairs:
            print(f"{a['start'].astimezone(zone):%a %Y-%m-%d %H:%M}  {a.get('summary', '')}  <->  {b.get('summary', '')} ({b['start'].astimezone(zone):%H:%M})")
        print(f"{len(pairs)} conflicts")
        return
    opens, closes = (dt.time.fromisoformat(t) for t in args.hours.split("-"))
    for offset in range(args.days):
        date = day + dt.timedelta(days=offset)
        if date.weekday() > 4:
            continue
        at, stop = (dt.datetime.combine(date, t, zone) for t in (opens, closes))
        gaps = []
        for e in busy:
            if e["end"] <= at or e["start"] >= stop:
                continue
            if (e["start"] - at).total_seconds() >= args.minutes * 60:
                gaps.append((at, e["start"].astimezone(zone)))
            at = max(at, e["end"].astimezone(zone))
        if (stop - at).total_seconds() >= args.minutes * 60:
            gaps.append((at, stop))
        print(f"{date:%a %Y-%m-%d}  " + (", ".join(f"{a:%H:%M}-{b:%H:%M}" for a, b in gaps) or "nothing free"))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
