"""Bounded queues between the read loop and those who wait."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Callable, Deque, Generic, List, Optional, TypeVar

from ._frames import AgentMessage

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """A queue that never makes the read loop wait: where nobody reads, the oldest items give way."""

    def __init__(self, limit: int, size_of: Callable[[Item], int] = lambda _: 1) -> None:
        self._items: Deque[Item] = deque()
        self._size = 0
        self._limit = limit
        self._size_of = size_of
        self._arrived = asyncio.Condition()

    async def put(self, item: Item) -> None:
        async with self._arrived:
            self._items.append(item)
            self._size += self._size_of(item)
            while self._size > self._limit and len(self._items) > 1:
                self._pop()
            self._arrived.notify()

    async def get(self, timeout: Optional[float] = None) -> Item:
        """The oldest item. Raises `asyncio.TimeoutError` where none comes in `timeout` seconds."""
        return await asyncio.wait_for(self._take(), timeout)

    async def _take(self) -> Item:
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self._items) > 0)
            return self._pop()

    def _pop(self) -> Item:
        item = self._items.popleft()
        self._size -= self._size_of(item)
        return item


class Replies:
    """The chunks of replies, given out as whole replies.

    What has come of an unfinished reply stays when waiting for it times out. An edit is no chunk; it only changes one
    that is still waiting for the end of its reply, which is how a streamed reply grows and, with `final`, ends.
    """

    MAX_CHUNKS = 10_000

    def __init__(self) -> None:
        self._chunks: Deque[AgentMessage] = deque()
        self._arrived = asyncio.Condition()

    async def put(self, chunk: AgentMessage) -> None:
        async with self._arrived:
            self._chunks.append(chunk)
            if len(self._chunks) > self.MAX_CHUNKS:
                self._chunks.popleft()
            self._arrived.notify_all()

    async def edit(self, edit: AgentMessage, ends_reply: bool) -> None:
        async with self._arrived:
            for chunk in reversed(self._chunks):
                if chunk.final:
                    return
                if chunk.id == edit.id and chunk.index == edit.index:
                    chunk.text = edit.text
                    chunk.final = ends_reply
                    self._arrived.notify_all()
                    return

    async def get(self, timeout: float) -> List[str]:
        """The parts of the oldest reply. Raises `asyncio.TimeoutError` where it is not whole in `timeout` seconds."""
        return await asyncio.wait_for(self._take(), timeout)

    async def _take(self) -> List[str]:
        async with self._arrived:
            await self._arrived.wait_for(lambda: any(chunk.final for chunk in self._chunks))
            parts: List[str] = []
            while True:
                chunk = self._chunks.popleft()
                parts.append(chunk.text)
                if chunk.final:
                    return parts
