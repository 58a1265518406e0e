#!/usr/bin/env python3
"""Wake a computer on the local network, and wait until it answers. Standard library only."""
import argparse
import re
import socket
import sys
import time


def packet(mac):
    plain = re.sub(r"[^0-9a-fA-F]", "", mac)
    if len(plain) != 12:
        sys.exit(f"{mac} is no hardware address; it has six pairs, as in 00:11:22:aa:bb:cc")
    return b"\xff" * 6 + bytes.fromhex(plain) * 16


def answers(host, port):
    try:
        with socket.create_connection((host, port), timeout=2):
            return True
    except ConnectionRefusedError:
        return True
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(prog="wake.py", description=__doc__)
    parser.add_argument("mac", help="hardware address, e.g. 00:11:22:aa:bb:cc")
    parser.add_argument("--broadcast", default="255.255.255.255", help="e.g. 192.168.1.255")
    parser.add_argument("--udp-port", type=int, default=9)
    parser.add_argument("--host", help="wait until this name or address answers")
    parser.add_argument("--port", type=int, default=22, help="TCP port to try, e.g. 22, 445, 3389")
    parser.add_argument("--wait", type=int, default=90, help="seconds")
    args = parser.parse_args()
    data = packet(args.mac)
    if args.host and answers(args.host, args.port):
        print(f"{args.host} is awake already")
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            for _ in range(3):
                sender.sendto(data, (args.broadcast, args.udp_port))
                time.sleep(0.1)
        except OSError as error:
            sys.exit(f"the packet could not be sent to {args.broadcast}: {error}")
    print(f"sent to {args.broadcast}:{args.udp_port}")
    if not args.host:
        return
    start = time.monotonic()
    while time.monotonic() - start < args.wait:
        if answers(args.host, args.port):
            print(f"{args.host} answers after {time.monotonic() - start:.0f} s")
            return
        time.sleep(2)
    sys.exit(f"{args.host} did not answer within {args.wait} s")


if __name__ == "__main__":
    main()
