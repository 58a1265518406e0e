"""Where the examples find the agent: HERMES_URL and HERMES_TOKEN, so that the token is in no command line."""

from __future__ import annotations

import os


def url() -> str:
    return os.environ.get("HERMES_URL", "ws://127.0.0.1:8787/ws")


def token() -> str:
    return os.environ["HERMES_TOKEN"]
