"""A bot asks and prints the whole answer: `python -m sdk.python.examples.dialogue "How are you?"`."""

from __future__ import annotations

import asyncio
import sys

from sdk.python.hermes_client import Device, HermesMobileClient

from ._settings import token, url


async def main(question: str) -> None:
    client = HermesMobileClient(url(), token(), device=Device(id="bot-1", name="Bot"))
    # What is not acknowledged comes again after the next connect.
    client.on_message = lambda message: client.acknowledge(message.id)
    async with client:
        await client.send_text(question)
        answer = await client.wait_message(timeout=120)
        print("".join(answer))


asyncio.run(main(" ".join(sys.argv[1:]) or "Hello, Hermes"))
