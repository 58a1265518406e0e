"""Which frame reaches which callback and queue."""

from __future__ import annotations

import asyncio
import base64
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

from sdk.python.hermes_client import HermesMobileClient, HermesProtocolError, MediaMessage, Prompt

from .scripted_server import ScriptedServer


def media(part: int, parts: int, data: bytes, **more: Any) -> Dict[str, Any]:
    encoded = base64.b64encode(data).decode()
    return {"t": "media", "id": "f", "kind": "image", "data": encoded, "part": part, "parts": parts, **more}


class Receiving(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.events: List[Tuple[str, Any]] = []
        self.server = ScriptedServer()
        await self.server.__aenter__()
        self.addAsyncCleanup(self.server.__aexit__, None, None, None)

        def note(name: str) -> Any:
            return lambda *values: self.events.append((name, *values))

        async def note_later(message: Any) -> None:
            await asyncio.sleep(0)
            self.events.append(("message", message))

        self.client = HermesMobileClient(
            self.server.url,
            "secret",
            on_message=note_later,
            on_message_edit=note("edit"),
            on_avatar=note("avatar"),
            on_typing=note("typing"),
            on_typing_stop=note("typing stop"),
            on_prompt=note("prompt"),
            on_prompt_done=note("prompt done"),
            on_media=note("media"),
            on_error=note("error"),
        )
        await self.client.connect()
        self.addAsyncCleanup(self.client.aclose)

    async def test_a_reply_is_its_chunks_until_the_final_one(self) -> None:
        await self.server.send(
            {"t": "message", "id": "1", "text": "a", "index": 0, "total": 2, "final": False},
            {"t": "message", "id": "2", "text": "b", "index": 1, "total": 2, "final": True},
            {"t": "message", "id": "3", "text": "c"},
        )
        self.assertEqual(await self.client.wait_message(5), ["a", "b"])
        self.assertEqual(await self.client.wait_message(5), ["c"])
        self.assertEqual([message.text for _, message in self.events], ["a", "b", "c"])

    async def test_waiting_times_out_and_keeps_what_came_of_the_reply(self) -> None:
        with self.assertRaisesRegex(asyncio.TimeoutError, "Ответ агента не пришёл"):
            await self.client.wait_message(0.01)
        await self.server.send({"t": "message", "id": "1", "text": "a", "final": False}, {"t": "avatar", "state": "x"})
        await self.client.wait_avatar(5)
        with self.assertRaises(asyncio.TimeoutError):
            await self.client.wait_message(0.01)
        await self.server.send({"t": "message", "id": "2", "text": "b"})
        self.assertEqual(await self.client.wait_message(5), ["a", "b"])

    async def test_edits_have_their_callback_and_are_no_chunks(self) -> None:
        await self.server.send(
            {"t": "message", "id": "1", "text": "old"},
            {"t": "message", "id": "1", "text": "new", "edit": True},
            {"t": "avatar", "state": "idle"},
        )
        await self.client.wait_avatar(5)
        self.assertEqual(await self.client.wait_message(5), ["old"])
        with self.assertRaises(asyncio.TimeoutError):
            await self.client.wait_message(0.01)
        self.assertEqual([name for name, _ in self.events], ["message", "edit", "avatar"])

    async def test_a_streamed_reply_grows_by_edits_and_ends_with_the_final_one(self) -> None:
        await self.server.send(
            {"t": "message", "id": "1", "text": "Hel", "final": False},
            {"t": "message", "id": "1", "text": "Hello", "edit": True, "final": False},
            {"t": "message", "id": "1", "text": "Hello!", "edit": True, "final": True},
        )
        self.assertEqual(await self.client.wait_message(5), ["Hello!"])

    async def test_avatar_and_typing(self) -> None:
        await self.server.send(
            {"t": "typing"}, {"t": "avatar", "state": "thinking"}, {"t": "typing", "stop": True}, {"t": "avatar"},
            {"t": "avatar", "state": "idle"},
        )  # fmt: skip
        self.assertEqual([await self.client.wait_avatar(5) for _ in range(2)], ["thinking", "idle"])
        self.assertEqual(
            self.events, [("typing",), ("avatar", "thinking"), ("typing stop",), ("avatar", "idle")]
        )
        with self.assertRaises(asyncio.TimeoutError):
            await self.client.wait_avatar(0.01)

    async def test_cards_come_and_close(self) -> None:
        await self.server.send(
            {
                "t": "prompt",
                "id": "p",
                "kind": "exec_approval",
                "text": "rm?",
                "options": [{"id": "once", "label": "Once", "style": "primary"}, {"id": "deny"}, 7],
                "session": "s-1",
                "timeout_seconds": 60,
            },
            {"t": "prompt_done", "id": "p", "option_id": "once", "expired": False},
            {"t": "prompt_done", "id": "q", "expired": True},
        )
        prompt = await self.client.wait_prompt(5)
        self.assertEqual((prompt.option_ids(), prompt.timeout_seconds), (["once", "deny"], 60))
        self.assertEqual(prompt.options[0].label, "Once")
        with self.assertRaises(asyncio.TimeoutError):
            await self.client.wait_prompt(0.05)
        self.assertEqual([name for name, _ in self.events], ["prompt", "prompt done", "prompt done"])
        self.assertEqual([done.option_id for _, done in self.events[1:]], ["once", None])
        self.assertEqual(Prompt("x", "clarify").option_ids(), [])

    async def test_parts_in_any_order_and_twice_are_one_file(self) -> None:
        await self.server.send(
            media(2, 3, b"c", final=True, size=3),
            media(0, 3, b"a", mime="image/png", filename="a.png", caption="hi"),
            media(0, 3, b"X"),
            media(9, 3, b"?"),
            media(1, 3, b"b"),
            media(0, 1, b"again", mime="text/plain"),
        )
        first = await self.client.wait_media(5)
        self.assertEqual((first.data, first.mime, first.filename, first.caption), (b"abc", "image/png", "a.png", "hi"))
        self.assertEqual((first.size, first.final, first.parts), (3, True, 3))
        second = await self.client.wait_media(5)
        self.assertEqual((second.data, second.data_url()), (b"again", "data:text/plain;base64,YWdhaW4="))
        self.assertEqual([name for name, _ in self.events], ["media", "media"])
        with self.assertRaises(asyncio.TimeoutError):
            await self.client.wait_media(0.01)

    async def test_files_are_saved_inside_the_folder_only(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="hermes-client-")) / "new" / "deep"
        cases = {
            "report.pdf": "report.pdf",
            "../../etc/passwd": "passwd",
            "..\\..\\evil.exe": "evil.exe",
            "/abs/name.txt": "name.txt",
            "..": "f.png",
            "": "f.png",
        }
        for filename, expected in cases.items():
            path = self.client.save_media(MediaMessage("f", "image", b"x", "image/png", filename), folder)
            self.assertEqual(path, folder / expected)
            self.assertEqual(path.read_bytes(), b"x")
        path = self.client.save_media(MediaMessage("../../up", "document", b"y"), str(folder))
        self.assertEqual(path, folder / "up")
        for name in ("ж" * 300, "😀" * 200, "a" * 300, "." + "ж" * 300):
            path = self.client.save_media(MediaMessage("ж" * 300, "image", b"x", "image/png", name + ".png"), folder)
            self.assertEqual((path.parent, path.suffix, path.read_bytes()), (folder, ".png", b"x"))

    async def test_no_frame_of_a_server_ends_the_read_loop(self) -> None:
        odd = ("null", "1e999", "-Infinity", "NaN", "9" * 5000, "[" * 100_000, '"\\ud800"', '"%%"', "[]", "{}", "true")
        keys = ("index", "total", "part", "parts", "size", "data", "options", "timeout_seconds", "expired", "code", "id")
        for kind in ("message", "media", "prompt", "prompt_done", "typing", "avatar", "error", "ready"):
            for value in odd:
                await self.server.send(*(f'{{"t":"{kind}","{key}":{value}}}' for key in keys))
        await self.server.send(*odd)
        await self.server.send({"t": "avatar", "state": "the end"})
        while await self.client.wait_avatar(5) != "the end":
            pass

    async def test_errors_are_reported_and_everything_unknown_is_ignored(self) -> None:
        await self.server.send(
            {"t": "pong", "ts": 1},
            {"t": "new_thing"},
            {"t": 5},
            [1],
            {"t": "message", "id": 3, "text": None, "total": "x"},
            {"t": "media", "id": "f", "data": "%%%"},
            {"t": "error", "code": "bad_frame", "message": "No", "fatal": False},
        )
        await self.server.send("{not json")
        await self.server.send({"t": "avatar", "state": "end"})
        await self.client.wait_avatar(5)
        names = [name for name, _ in self.events]
        self.assertEqual(names, ["message", "error", "avatar"])
        error = self.events[1][1]
        self.assertIsInstance(error, HermesProtocolError)
        self.assertEqual((error.code, error.message, error.fatal), ("bad_frame", "No", False))

    async def test_without_a_callback_errors_go_to_the_log(self) -> None:
        self.client.on_error = None
        with self.assertLogs("sdk.python.hermes_client", "WARNING") as logs:
            await self.server.send({"t": "error", "code": "too_big", "message": "No"}, {"t": "avatar", "state": "x"})
            await self.client.wait_avatar(5)
        self.assertIn("too_big: No", logs.output[0])

    async def test_what_nobody_reads_is_bounded(self) -> None:
        for index in range(1200):
            await self.server.send({"t": "avatar", "state": str(index)})
        await self.server.send({"t": "prompt", "id": "p", "kind": "clarify"})
        await self.client.wait_prompt(5)
        self.assertEqual(await self.client.wait_avatar(1), "200")
