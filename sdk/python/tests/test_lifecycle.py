"""Connecting, being refused, being cut off, closing."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, List

from sdk.python.hermes_client import (
    CLOSE_POLICY_VIOLATION,
    Device,
    HermesMobileClient,
    HermesProtocolError,
    Ready,
)

from .scripted_server import ScriptedServer


class Lifecycle(unittest.IsolatedAsyncioTestCase):
    def test_a_token_is_required_and_the_rest_has_defaults(self) -> None:
        with self.assertRaises(ValueError):
            HermesMobileClient("ws://x/ws", "")
        client = HermesMobileClient("ws://x/ws", "secret")
        self.assertRegex(client.device.id, r"^py-[0-9a-f]{8}$")
        self.assertEqual(client.device.name, "Python-клиент")
        self.assertEqual((client.device.platform, client.device.app_version), ("python", "1.0.0"))
        self.assertEqual((client.user, client.ready), ({}, None))
        self.assertEqual((client.url, client.token), ("ws://x/ws", "secret"))

    async def test_hello_carries_token_device_and_user_and_ready_comes_back(self) -> None:
        seen: List[Ready] = []
        async with ScriptedServer() as server:
            client = HermesMobileClient(
                server.url, "secret", Device("bot-1", "Bot"), user={"name": "Ann"}, on_ready=seen.append
            )
            async with client:
                self.assertEqual(seen, [client.ready])
                assert client.ready
                self.assertEqual((client.ready.v, client.ready.session), (1, "s-1"))
                self.assertEqual(client.ready.capabilities["max_text_chars"], 4000)
            self.assertEqual(
                server.hellos,
                [
                    {
                        "t": "hello",
                        "v": 1,
                        "token": "secret",
                        "device": {"id": "bot-1", "name": "Bot", "platform": "python", "app_version": "1.0.0"},
                        "user": {"name": "Ann"},
                    }
                ],
            )

    async def test_an_error_in_place_of_ready_is_raised_and_reported(self) -> None:
        seen: List[HermesProtocolError] = []
        first = {"t": "error", "code": "version_mismatch", "message": "Speak 1", "fatal": True}
        async with ScriptedServer(first) as server:
            client = HermesMobileClient(server.url, "secret", on_error=seen.append)
            with self.assertRaises(HermesProtocolError) as caught:
                await client.connect()
        self.assertEqual(str(caught.exception), "version_mismatch: Speak 1")
        self.assertIsInstance(caught.exception, RuntimeError)
        self.assertTrue(caught.exception.fatal)
        self.assertEqual(seen, [caught.exception])
        self.assertIsNone(client.ready)

    async def test_another_frame_in_place_of_ready_is_refused(self) -> None:
        async with ScriptedServer({"t": "pong", "ts": 1}) as server:
            with self.assertRaises(HermesProtocolError):
                await HermesMobileClient(server.url, "secret").connect()

    async def test_a_close_with_1008_is_auth_failed_before_and_after_ready(self) -> None:
        seen: List[HermesProtocolError] = []
        async with ScriptedServer(close_code=CLOSE_POLICY_VIOLATION) as server:
            client = HermesMobileClient(server.url, "secret", on_error=seen.append)
            with self.assertRaises(HermesProtocolError) as caught:
                await client.connect()
            self.assertEqual((caught.exception.code, caught.exception.fatal), ("auth_failed", True))
            self.assertEqual(len(seen), 1)
        late = asyncio.Event()
        async with ScriptedServer() as server:

            def note(error: HermesProtocolError) -> None:
                seen.append(error)
                late.set()

            client = HermesMobileClient(server.url, "secret", on_error=note)
            await client.connect()
            await server.socket.close(CLOSE_POLICY_VIOLATION, "revoked")
            await asyncio.wait_for(late.wait(), 5)
        self.assertEqual((seen[-1].code, seen[-1].message, seen[-1].fatal), ("auth_failed", "revoked", True))

    async def test_a_server_that_says_nothing_runs_into_the_request_timeout(self) -> None:
        async with ScriptedServer() as server:
            server.first = None
            with self.assertRaises(asyncio.TimeoutError):
                await HermesMobileClient(server.url, "secret", request_timeout=0.05).connect()

    async def test_another_disconnect_is_silent_and_sending_then_fails_as_before_connect(self) -> None:
        seen: List[Any] = []
        async with ScriptedServer() as server:
            client = HermesMobileClient(server.url, "secret", on_error=seen.append)
            with self.assertRaisesRegex(RuntimeError, "Соединение не открыто: вызовите connect\\(\\)"):
                await client.send_text("hi")
            await client.connect()
            await server.socket.close(1001)
            with self.assertRaisesRegex(RuntimeError, "Соединение не открыто"):
                while True:
                    await client.ping()
                    await asyncio.sleep(0)
            self.assertEqual(seen, [])
            await client.connect()
            await client.ping(7)
            self.assertEqual((await server.next_frame())["t"], "ping")
            await client.aclose()
            await client.aclose()

    async def test_closing_from_a_callback_ends_the_connection(self) -> None:
        async with ScriptedServer() as server:
            client = HermesMobileClient(server.url, "secret")
            closed = asyncio.Event()

            async def close(_: object) -> None:
                await client.aclose()
                closed.set()

            client.on_avatar = close
            await client.connect()
            await server.send({"t": "avatar", "state": "idle"})
            await asyncio.wait_for(closed.wait(), 5)
            await asyncio.wait_for(server.socket.wait_closed(), 5)

    async def test_an_exception_in_a_callback_ends_the_read_loop(self) -> None:
        def fail(_: object) -> None:
            raise KeyError("mine")

        async with ScriptedServer() as server:
            client = HermesMobileClient(server.url, "secret", on_message=fail)
            await client.connect()
            with self.assertLogs("sdk.python.hermes_client", "ERROR"):
                await server.send({"t": "message", "id": "1", "text": "kept"})
                await asyncio.wait_for(server.socket.wait_closed(), 5)
                await asyncio.sleep(0)
            self.assertEqual(await client.wait_message(1), ["kept"])
