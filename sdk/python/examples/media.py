"""Sends a file and saves what the agent sends: `python -m sdk.python.examples.media screenshot.png ~/Downloads`."""

from __future__ import annotations

import asyncio
import sys

from sdk.python.hermes_client import Device, HermesMobileClient, MediaMessage

from ._settings import token, url


async def main(file: str, folder: str) -> None:
    def on_media(message: MediaMessage) -> None:
        path = client.save_media(message, folder)
        print("saved:", path, message.kind, message.mime)

    client = HermesMobileClient(
        url(),
        token(),
        device=Device(id="bot-2", name="Files"),
        on_media=on_media,
        on_typing=lambda: print("the agent is typing…"),
        on_typing_stop=lambda: print("…it stopped"),
    )
    async with client:
        await client.send_document(file, caption="Here is the file. Send it back to me.")
        media = await client.wait_media(timeout=60)
        await client.acknowledge(media.id)


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."))
