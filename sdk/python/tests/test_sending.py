"""Which method sends which frame, and what it refuses."""

from __future__ import annotations

import base64
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

from sdk.python.hermes_client import MEDIA_CHUNK_BYTES, HermesMobileClient, HermesProtocolError

from .scripted_server import ScriptedServer


class Sending(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = await self.enterAsync(ScriptedServer())
        self.client = HermesMobileClient(self.server.url, "secret")
        await self.enterAsync(self.client)
        self.folder = Path(tempfile.mkdtemp(prefix="hermes-client-"))

    async def enterAsync(self, manager: Any) -> Any:
        """`enterAsyncContext` of Python 3.11, for 3.10 too."""
        entered = await manager.__aenter__()
        self.addAsyncCleanup(manager.__aexit__, None, None, None)
        return entered

    async def test_text_goes_with_a_fresh_id_or_the_given_one(self) -> None:
        fresh = await self.client.send_text("привет")
        self.assertRegex(fresh, r"^[0-9a-f]{32}$")
        self.assertEqual(await self.server.next_frame(), {"t": "text", "id": fresh, "text": "привет"})
        self.assertEqual(await self.client.send_text("again", "m-1"), "m-1")
        self.assertEqual(await self.server.next_frame(), {"t": "text", "id": "m-1", "text": "again"})
        for empty in ("", " \n\t"):
            with self.assertRaises(ValueError):
                await self.client.send_text(empty)

    async def test_audio_goes_from_bytes_and_from_a_path_in_two_formats(self) -> None:
        await self.client.send_audio(b"RIFF", transcript="hello", message_id="a-1")
        self.assertEqual(
            await self.server.next_frame(),
            {"t": "audio", "id": "a-1", "format": "wav", "data": "UklGRg==", "text": "hello"},
        )
        path = self.folder / "note.ogg"
        path.write_bytes(b"OggS")
        for payload in (path, str(path), bytearray(b"OggS")):
            identifier = await self.client.send_audio(payload, "ogg")
            self.assertEqual(
                await self.server.next_frame(),
                {"t": "audio", "id": identifier, "format": "ogg", "data": "T2dnUw=="},
            )
        with self.assertRaises(ValueError):
            await self.client.send_audio(b"x", "mp3")
        with self.assertRaises(FileNotFoundError):
            await self.client.send_audio("note")
        with self.assertRaises(HermesProtocolError) as caught:
            await self.client.send_audio(bytes(13 * 1024 * 1024))
        self.assertEqual(caught.exception.code, "too_big")

    async def test_typing_ping_and_ack(self) -> None:
        await self.client.send_typing()
        await self.client.ping()
        await self.client.ping(42)
        await self.client.acknowledge("m-9")
        self.assertEqual(
            [await self.server.next_frame() for _ in range(4)],
            [{"t": "typing"}, {"t": "ping", "ts": 0}, {"t": "ping", "ts": 42}, {"t": "ack", "id": "m-9"}],
        )

    async def test_a_card_is_answered_with_an_option_a_text_or_both(self) -> None:
        await self.client.answer_prompt("p", " ONCE ")
        await self.client.answer_prompt("p", text="mine")
        await self.client.answer_prompt("p", "other", "mine")
        self.assertEqual(
            [await self.server.next_frame() for _ in range(3)],
            [
                {"t": "prompt", "prompt_id": "p", "option_id": "once"},
                {"t": "prompt", "prompt_id": "p", "text": "mine"},
                {"t": "prompt", "prompt_id": "p", "option_id": "other", "text": "mine"},
            ],
        )
        for arguments in (("", "once"), ("p",), ("p", ""), ("p", None, "")):
            with self.assertRaises(ValueError):
                await self.client.answer_prompt(*arguments)

    async def test_a_file_goes_in_parts_of_one_id(self) -> None:
        path = self.folder / "clip.PNG"
        data = bytes(range(256)) * 40
        path.write_bytes(data)
        identifier = await self.client.send_image(path, "look", chunk_bytes=4096)
        frames = [await self.server.next_frame() for _ in range(3)]
        self.assertEqual(b"".join(base64.b64decode(frame["data"]) for frame in frames), data)
        self.assertEqual([(frame["part"], frame["parts"]) for frame in frames], [(0, 3), (1, 3), (2, 3)])
        for frame in frames:
            self.assertEqual(
                {key: frame[key] for key in ("t", "id", "kind", "mime", "filename", "caption")},
                {
                    "t": "media",
                    "id": identifier,
                    "kind": "image",
                    "mime": "image/png",
                    "filename": "clip.PNG",
                    "caption": "look",
                },
            )

    async def test_the_default_chunk_is_three_mebibytes(self) -> None:
        await self.client.send_document(bytes(MEDIA_CHUNK_BYTES + 1))
        frames = [await self.server.next_frame() for _ in range(2)]
        self.assertEqual([len(base64.b64decode(frame["data"])) for frame in frames], [MEDIA_CHUNK_BYTES, 1])

    async def test_kinds_types_and_payloads(self) -> None:
        cases: List[Dict[str, Any]] = [
            {"kind": "VIDEO", "payload": b"x", "filename": "a.mp4", "expect": ("video", "video/mp4")},
            {"kind": "document", "payload": b"x", "expect": ("document", "application/octet-stream")},
            {"kind": "audio", "payload": "eA==", "filename": "a.ogg", "expect": ("audio", "audio/ogg")},
            {"kind": "image", "payload": b"x", "mime": "image/x-mine", "expect": ("image", "image/x-mine")},
        ]
        for case in cases:
            expect = case.pop("expect")
            self.assertEqual(await self.client.send_media(**case, message_id="f-1"), "f-1")
            frame = await self.server.next_frame()
            self.assertEqual((frame["kind"], frame["mime"], frame["data"], frame["id"]), (*expect, "eA==", "f-1"))
        await self.client.send_voice(b"x")
        self.assertEqual((await self.server.next_frame())["kind"], "audio")

    async def test_wrong_files_are_refused_before_anything_is_sent(self) -> None:
        empty = self.folder / "empty"
        empty.touch()
        for payload in (b"", bytearray(), None, "", empty, "no file, no base64!"):
            with self.subTest(payload=payload), self.assertRaises(ValueError):
                await self.client.send_media("image", payload)
        with self.assertRaises(ValueError):
            await self.client.send_media("voice", b"x")
        with self.assertRaises(ValueError):
            await self.client.send_image(b"x", chunk_bytes=0)
        with self.assertRaises(FileNotFoundError):
            await self.client.send_document(self.folder / "missing.pdf")
        self.assertTrue(self.server.frames.empty())
