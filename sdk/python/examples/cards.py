"""Asks the person at the terminal what to answer to a card: `python -m sdk.python.examples.cards "Delete old.log"`."""

from __future__ import annotations

import asyncio
import sys
from typing import Set

from sdk.python.hermes_client import CLARIFY_OTHER, Device, HermesMobileClient, Prompt, PromptDone

from ._settings import token, url


async def main(task: str) -> None:
    answers: Set[asyncio.Task[None]] = set()

    async def answer(prompt: Prompt) -> None:
        print(prompt.kind, prompt.text, prompt.option_ids())
        typed = (await asyncio.to_thread(input, "> ")).strip()
        if typed in prompt.option_ids():
            await client.answer_prompt(prompt.id, option_id=typed)
        else:
            await client.answer_prompt(prompt.id, option_id=CLARIFY_OTHER, text=typed or "-")

    def on_prompt(prompt: Prompt) -> None:
        # Callbacks run in the read loop, which must not wait for a person.
        answers.add(asyncio.create_task(answer(prompt)))

    def on_prompt_done(done: PromptDone) -> None:
        print("outcome:", done.option_id, "(expired)" if done.expired else "")

    client = HermesMobileClient(
        url(),
        token(),
        device=Device(id="bot-3", name="Cards"),
        on_prompt=on_prompt,
        on_prompt_done=on_prompt_done,
    )
    client.on_message = lambda message: client.acknowledge(message.id)
    async with client:
        await client.send_text(task)
        print("".join(await client.wait_message(timeout=300)))


asyncio.run(main(" ".join(sys.argv[1:])))
