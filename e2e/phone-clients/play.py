"""Plays the list of steps with the Python client: `python FILE URL DEVICE FOLDER`. One JSON array of outcomes on stdout."""

import asyncio
import hashlib
import json
import sys
from pathlib import Path

from sdk.python.hermes_client import Device, HermesMobileClient, HermesProtocolError

url, device, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
steps = json.loads((Path(__file__).parent / "steps.json").read_text("utf-8"))
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def digest(data):
    return hashlib.sha256(data).hexdigest()[:12]


class Player:
    def __init__(self):
        self.client = self.fresh_client()
        self.errors = asyncio.Queue()
        self.message = self.prompt = self.file = self.saved = None

    def fresh_client(self):
        client = HermesMobileClient(url, "the-token", Device(device, "Bot"), user={"name": "Ann"})
        client.on_error = lambda error: self.errors.put_nowait(error.code)
        client.on_message = self.note
        return client

    def note(self, message):
        self.message = message.id

    def payload(self, step):
        if step["bytes"] == "png":
            return PNG
        return self.saved if step["bytes"] == "saved" else b"OggS!!"[: step["bytes"]]

    async def play(self, step):
        if step.get("fresh"):
            self.client = self.fresh_client()
        client, call, identifier = self.client, step["call"], step.get("id")
        if call == "connect":
            if "token" in step:
                await HermesMobileClient(url, step["token"], Device(device), user={"name": "Ann"}).connect()
            ready = await client.connect()
            return [ready.v, ready.session.replace(device, "DEVICE"), ready.device["name"], sorted(ready.capabilities)]
        if call == "close":
            return await client.aclose()
        if call in ("send_typing", "ping"):
            return await (client.ping(step["ts"]) if call == "ping" else client.send_typing())
        if call == "send_text":
            return await client.send_text(step["text"], identifier)
        if call == "send_audio":
            return await client.send_audio(self.payload(step), step["format"], step.get("transcript"), identifier)
        if call == "acknowledge":
            return await client.acknowledge(self.message)
        if call == "answer_prompt":
            prompt = self.prompt if identifier == "last" else identifier
            return await client.answer_prompt(prompt, step.get("option"), step.get("text"))
        if call == "wait_avatar":
            return await client.wait_avatar(20)
        if call == "wait_error":
            return await asyncio.wait_for(self.errors.get(), 20)
        if call == "wait_message":
            return await client.wait_message(step.get("timeout", 20))
        if call == "wait_prompt":
            prompt = await client.wait_prompt(20)
            self.prompt = prompt.id
            return [prompt.kind, prompt.text, prompt.option_ids(), prompt.timeout_seconds > 0]
        if call == "wait_media":
            file = self.file = await client.wait_media(20)
            return [file.kind, file.mime, file.filename, file.caption, file.size, digest(file.data)]
        if call == "save_media":
            self.saved = client.save_media(self.file, folder)
            return [self.saved.name, digest(self.saved.read_bytes())]
        if call == "data_url":
            return digest(self.file.data_url().encode())
        options = {key: step[key] for key in ("mime", "filename", "caption") if key in step}
        options.update({"message_id": identifier}, **({"chunk_bytes": step["chunk"]} if "chunk" in step else {}))
        if call == "send_media":
            return await client.send_media(step["kind"], self.payload(step), **options)
        return await getattr(client, call)(self.payload(step), **options)


def outcome_of(error):
    if isinstance(error, HermesProtocolError):
        return {"refused": error.code, "fatal": error.fatal}
    kinds = {ValueError: "invalid", asyncio.TimeoutError: "timeout", RuntimeError: "not connected"}
    return {"error": next(name for kind, name in kinds.items() if isinstance(error, kind))}


async def main():
    player = Player()
    outcomes = []
    for step in steps:
        try:
            outcomes.append({"call": step["call"], "result": await player.play(step)})
        except (RuntimeError, ValueError, asyncio.TimeoutError) as error:
            outcomes.append({"call": step["call"], **outcome_of(error)})
    print(json.dumps(outcomes))


asyncio.run(main())
