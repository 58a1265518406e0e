"""Every method of the Python client once against the server: `python FILE URL FOLDER`, from the top of the repository."""

import asyncio
import sys
from pathlib import Path

from sdk.python.hermes_client import Device, HermesMobileClient, HermesProtocolError

url, folder = sys.argv[1], Path(sys.argv[2])
seen = []


def note(name):
    return lambda *values: seen.append((name, *values))


async def until(wanted):
    async def come():
        while not any(name == wanted for name, *_ in seen):
            await asyncio.sleep(0.01)

    await asyncio.wait_for(come(), 60)


async def main():
    try:
        await HermesMobileClient(url, "wrong").connect()
        raise AssertionError("a wrong token was taken")
    except HermesProtocolError as error:
        assert (error.code, error.fatal) == ("auth_failed", True), error

    client = HermesMobileClient(
        url,
        "the-token",
        Device("bot-1", "Bot"),
        user={"name": "Ann"},
        on_message=note("message"),
        on_message_edit=note("edit"),
        on_avatar=note("avatar"),
        on_typing=note("typing"),
        on_typing_stop=note("typing stop"),
        on_prompt=note("prompt"),
        on_prompt_done=note("prompt done"),
        on_media=note("media"),
        on_error=note("error"),
        on_ready=note("ready"),
    )
    async with client:
        assert client.ready.session == "agent:main:mobile:dm:bot-1"
        assert client.ready.capabilities["max_text_chars"] == 4000
        assert seen == [("ready", client.ready)]

        await client.send_typing()
        assert await client.wait_avatar(60) == "listening"
        await client.ping(5)

        identifier = await client.send_text("echo привет")
        assert "".join(await client.wait_message(60)) == "You said: echo привет"
        assert await client.send_text("echo привет", identifier) == identifier
        await until("typing stop")
        await client.acknowledge(seen[[name for name, *_ in seen].index("message")][1].id)

        await client.send_audio(b"OggS", "ogg", transcript="spoken words")
        assert "spoken words" in "".join(await client.wait_message(60))

        await client.send_text("long please")
        parts = await client.wait_message(60)
        assert len(parts) > 1 and "".join(parts) == "word " * 2000 + "end", parts

        await client.send_text("clean up")
        card = await client.wait_prompt(60)
        assert card.kind == "exec_approval" and card.option_ids() == ["once", "session", "always", "deny"], card
        await client.answer_prompt(card.id, "ONCE ")
        assert "".join(await client.wait_message(60)) == "Done."
        await until("prompt done")
        await client.answer_prompt(card.id, "deny")
        await until("error")
        assert [values[0].code for name, *values in seen if name == "error"] == ["prompt_closed"], seen

        await client.send_text("choose")
        card = await client.wait_prompt(60)
        assert card.kind == "clarify" and card.option_ids() == ["c0", "c1", "other"], card
        await client.answer_prompt(card.id, "other", "green")
        assert "green" in "".join(await client.wait_message(60))

        await client.send_text("send the file")
        file = await client.wait_media(60)
        assert len(file.data) == file.size == 1_000_000 and file.kind == "video", file.size
        saved = client.save_media(file, folder)
        assert saved.read_bytes() == file.data and saved.name == "clip.mp4"
        assert file.data_url().startswith("data:video/mp4;base64,")
        await client.wait_message(60)
        await client.acknowledge(file.id)

        pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
        await client.send_image(pixel, caption="look", mime="image/png")
        assert "look" in "".join(await client.wait_message(60))
        await client.send_document(saved, "keep it", chunk_bytes=100_000)
        assert "clip.mp4" in "".join(await client.wait_message(60))
        await client.send_voice(b"OggS", filename="a.ogg")
        assert "voice message" in "".join(await client.wait_message(60))
        await client.send_media("video", b"film", filename="a.mp4")
        assert "a video" in "".join(await client.wait_message(60))

        await client.send_text("stream it")
        assert await client.wait_message(60) == ["One two three four five."]
        assert any(name == "edit" for name, *_ in seen)

    await client.aclose()
    expected = {"ready", "avatar", "typing", "typing stop", "message", "edit", "prompt", "prompt done", "media", "error"}
    assert {name for name, *_ in seen} == expected, expected - {name for name, *_ in seen}
    # What was not acknowledged comes again, what was does not.
    await client.connect()
    again = [await client.wait_message(60)]
    assert "spoken words" in "".join(again[0]), again
    await client.aclose()
    print("ok")


asyncio.run(main())
