"""A WebSocket server that says what a test tells it to and keeps what it hears."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List, Optional

import websockets

READY: Dict[str, Any] = {
    "t": "ready",
    "v": 1,
    "session": "s-1",
    "device": {"id": "d-1"},
    "avatar_url": "http://127.0.0.1/avatar",
    "capabilities": {"text": True, "max_text_chars": 4000},
}


class ScriptedServer:
    """Answers every hello with `first`; a test goes on with `send`, `close` and `next_frame`."""

    def __init__(self, first: Optional[Dict[str, Any]] = None, close_code: Optional[int] = None) -> None:
        self.first = READY if first is None and close_code is None else first
        self.close_code = close_code
        self.hellos: List[Dict[str, Any]] = []
        self.frames: asyncio.Queue[Dict[str, Any]] = asyncio.Queue()
        self.socket: Any = None
        self._server: Any = None

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    async def __aenter__(self) -> ScriptedServer:
        self._server = await websockets.serve(self._serve, "127.0.0.1", 0, max_size=16 * 1024 * 1024)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, socket: Any) -> None:
        self.socket = socket
        self.hellos.append(json.loads(await socket.recv()))
        if self.first is not None:
            await self.send(self.first)
        if self.close_code is not None:
            await socket.close(self.close_code, "not today")
            return
        try:
            while True:
                self.frames.put_nowait(json.loads(await socket.recv()))
        except websockets.exceptions.ConnectionClosed:
            return

    async def send(self, *frames: Any) -> None:
        for frame in frames:
            await self.socket.send(frame if isinstance(frame, str) else json.dumps(frame))

    async def next_frame(self) -> Dict[str, Any]:
        return await asyncio.wait_for(self.frames.get(), 5)
