"""Client of the Hermes Mobile Adapter protocol, version 1, for asyncio.

For bots, scripts, integrations and tests. One WebSocket, one JSON object a frame; see README.md. The client does not
reconnect by itself: after a disconnect the caller may `connect()` again.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import logging
import secrets
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List, Optional, Protocol, Tuple, TypeVar, Union, cast

import websockets
from websockets.exceptions import ConnectionClosed

from ._frames import (
    C_ACK,
    C_AUDIO,
    C_HELLO,
    C_MEDIA,
    C_PING,
    C_PROMPT,
    C_TEXT,
    C_TYPING,
    CLARIFY_OTHER,
    CLOSE_POLICY_VIOLATION,
    INBOUND_MEDIA_KINDS,
    MAX_FRAME_BYTES,
    MEDIA_CHUNK_BYTES,
    PROTOCOL_VERSION,
    S_AVATAR,
    S_ERROR,
    S_MEDIA,
    S_MESSAGE,
    S_PONG,
    S_PROMPT,
    S_PROMPT_DONE,
    S_READY,
    S_TYPING,
    AgentMessage,
    Device,
    Frame,
    HermesProtocolError,
    MediaMessage,
    Prompt,
    PromptDone,
    PromptOption,
    Ready,
)
from ._inbox import Inbox, Replies
from ._media import Assembly, Payload, mime_of, open_payload, read_payload, save

__all__ = [
    "C_ACK",
    "C_AUDIO",
    "C_HELLO",
    "C_MEDIA",
    "C_PING",
    "C_PROMPT",
    "C_TEXT",
    "C_TYPING",
    "CLARIFY_OTHER",
    "CLOSE_POLICY_VIOLATION",
    "INBOUND_MEDIA_KINDS",
    "MAX_FRAME_BYTES",
    "MEDIA_CHUNK_BYTES",
    "PROTOCOL_VERSION",
    "S_AVATAR",
    "S_ERROR",
    "S_MEDIA",
    "S_MESSAGE",
    "S_PONG",
    "S_PROMPT",
    "S_PROMPT_DONE",
    "S_READY",
    "S_TYPING",
    "AgentMessage",
    "Device",
    "HermesMobileClient",
    "HermesProtocolError",
    "MediaMessage",
    "Prompt",
    "PromptDone",
    "PromptOption",
    "Ready",
]

logger = logging.getLogger(__name__)

Value = TypeVar("Value")
Callback = Callable[[Value], Union[None, Awaitable[None]]]
Signal = Callable[[], Union[None, Awaitable[None]]]

_AUDIO_FORMATS = ("wav", "ogg")
# A chunk in base64 with what stands around it must fit in a frame.
_LARGEST_CHUNK = (MAX_FRAME_BYTES - 64 * 1024) // 4 * 3
_MAX_WAITING = 1000
_MAX_WAITING_MEDIA_BYTES = 128 * 1024 * 1024


class _Socket(Protocol):
    """What both implementations of asyncio in `websockets` (12, and 14 and later) offer."""

    async def send(self, message: str) -> None: ...

    async def recv(self) -> Union[str, bytes]: ...

    async def close(self) -> None: ...


class HermesMobileClient:
    """A device that talks to the agent.

    Callbacks may be plain functions or `async def`; they run in the read loop, so an exception in one ends the loop, and
    one that waits for a later frame waits for ever: start a task for that.
    """

    def __init__(
        self,
        url: str,
        token: str,
        device: Optional[Device] = None,
        *,
        user: Optional[Dict[str, str]] = None,
        on_message: Optional[Callback[AgentMessage]] = None,
        on_message_edit: Optional[Callback[AgentMessage]] = None,
        on_avatar: Optional[Callback[str]] = None,
        on_typing: Optional[Signal] = None,
        on_typing_stop: Optional[Signal] = None,
        on_prompt: Optional[Callback[Prompt]] = None,
        on_prompt_done: Optional[Callback[PromptDone]] = None,
        on_media: Optional[Callback[MediaMessage]] = None,
        on_error: Optional[Callback[HermesProtocolError]] = None,
        on_ready: Optional[Callback[Ready]] = None,
        open_timeout: float = 15.0,
        request_timeout: float = 15.0,
    ) -> None:
        if not token:
            raise ValueError("token is required: the MOBILE_TOKEN of the agent's owner")
        self.url = url
        self.token = token
        self.device = device or Device(id=f"py-{secrets.token_hex(4)}", name="Python-клиент")
        self.user: Dict[str, str] = dict(user or {})
        self.ready: Optional[Ready] = None
        self.on_message = on_message
        self.on_message_edit = on_message_edit
        self.on_avatar = on_avatar
        self.on_typing = on_typing
        self.on_typing_stop = on_typing_stop
        self.on_prompt = on_prompt
        self.on_prompt_done = on_prompt_done
        self.on_media = on_media
        self.on_error = on_error
        self.on_ready = on_ready
        self.open_timeout = open_timeout
        self.request_timeout = request_timeout
        self._socket: Optional[_Socket] = None
        self._reader: Optional[asyncio.Task[None]] = None
        self._assembly = Assembly()
        self._replies = Replies()
        self._prompts: Inbox[Prompt] = Inbox(_MAX_WAITING)
        self._media: Inbox[MediaMessage] = Inbox(_MAX_WAITING_MEDIA_BYTES, lambda file: len(file.data) + 1024)
        # What the agent is seen doing: `avatar` with its state, and `typing`.
        self._activity: Inbox[Tuple[str, str]] = Inbox(_MAX_WAITING)

    # Lifecycle

    async def connect(self) -> Ready:
        """Opens the socket, says hello and waits for `ready`.

        Raises `HermesProtocolError` where the server answers with an error, with something else, or refuses.
        """
        await self.aclose()
        self._assembly.clear()
        socket = cast(
            _Socket,
            await websockets.connect(self.url, open_timeout=self.open_timeout, max_size=MAX_FRAME_BYTES),
        )
        try:
            self.ready = await self._shake_hands(socket)
        except HermesProtocolError as error:
            await socket.close()
            if self.on_error:
                await _call(self.on_error, error)
            raise
        except BaseException:
            await socket.close()
            raise
        self._socket = socket
        self._reader = asyncio.create_task(self._read(socket))
        self._reader.add_done_callback(_log_failure)
        try:
            await _call(self.on_ready, self.ready)
        except BaseException:
            await self.aclose()
            raise
        return self.ready

    async def aclose(self) -> None:
        """Ends the read loop and closes the socket. Calling it again does nothing."""
        socket, self._socket = self._socket, None
        reader, self._reader = self._reader, None
        if reader and reader is not asyncio.current_task():
            reader.cancel()
            await asyncio.wait([reader])
        if socket:
            await socket.close()

    async def __aenter__(self) -> HermesMobileClient:
        await self.connect()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    # Text and voice

    async def send_text(self, text: str, message_id: Optional[str] = None) -> str:
        """Sends a message and returns its id. The same id again is a duplicate, which the agent does not run again."""
        if not text.strip():
            raise ValueError("text is empty")
        message_id = message_id or uuid.uuid4().hex
        await self._send({"t": C_TEXT, "id": message_id, "text": text})
        return message_id

    async def send_audio(
        self,
        audio: Payload,
        fmt: str = "wav",
        transcript: Optional[str] = None,
        message_id: Optional[str] = None,
    ) -> str:
        """Sends a voice message, from bytes or a path. Without a transcript the server makes one."""
        if fmt not in _AUDIO_FORMATS:
            raise ValueError(f"fmt is one of {', '.join(_AUDIO_FORMATS)}, not {fmt!r}")
        # Unlike a file's, its text is never base64: a path that is mistyped must not go out as sound.
        data = await asyncio.to_thread(read_payload, Path(audio) if isinstance(audio, str) else audio)
        message_id = message_id or uuid.uuid4().hex
        frame: Dict[str, Any] = {"t": C_AUDIO, "id": message_id, "format": fmt, "data": _base64(data)}
        if transcript is not None:
            frame["text"] = transcript
        await self._send(frame)
        return message_id

    async def send_typing(self) -> None:
        """Tells that the user is typing."""
        await self._send({"t": C_TYPING})

    async def ping(self, ts: Optional[int] = None) -> None:
        """Asks for a `pong`, which is not reported."""
        await self._send({"t": C_PING, "ts": 0 if ts is None else ts})

    async def acknowledge(self, message_id: str) -> None:
        """Tells that a message was shown: the server does not send it again after a reconnect."""
        await self._send({"t": C_ACK, "id": message_id})

    # Cards

    async def answer_prompt(
        self, prompt_id: str, option_id: Optional[str] = None, text: Optional[str] = None
    ) -> None:
        """Answers a card with an option, a text, or both. The agent takes an unknown option for the safe one."""
        if not prompt_id:
            raise ValueError("prompt_id is required")
        option = option_id.strip().lower() if option_id is not None else ""
        if not option and not text:
            raise ValueError("option_id or text is required")
        frame: Dict[str, Any] = {"t": C_PROMPT, "prompt_id": prompt_id}
        if option:
            frame["option_id"] = option
        if text:
            frame["text"] = text
        await self._send(frame)

    # Files

    async def send_media(
        self,
        kind: str,
        payload: Optional[Payload] = None,
        *,
        mime: Optional[str] = None,
        filename: Optional[str] = None,
        caption: Optional[str] = None,
        message_id: Optional[str] = None,
        chunk_bytes: int = MEDIA_CHUNK_BYTES,
    ) -> str:
        """Sends a file in as many frames as it takes and returns their common id.

        `payload` is bytes, a path, or base64 in a `str` that names no file. A file on disk is read part by part.
        """
        kind = kind.lower()
        if kind not in INBOUND_MEDIA_KINDS:
            raise ValueError(f"kind is one of {', '.join(INBOUND_MEDIA_KINDS)}, not {kind!r}")
        if not 0 < chunk_bytes <= _LARGEST_CHUNK:
            raise ValueError(f"chunk_bytes is between 1 and {_LARGEST_CHUNK}")
        source = await asyncio.to_thread(open_payload, payload)
        with source.stream:
            name = filename or source.filename
            message_id = message_id or uuid.uuid4().hex
            parts = -(-source.size // chunk_bytes)
            frame: Dict[str, Any] = {"t": C_MEDIA, "id": message_id, "kind": kind, "mime": mime or mime_of(name)}
            if name:
                frame["filename"] = name
            if caption:
                frame["caption"] = caption
            for part in range(parts):
                data = await asyncio.to_thread(source.stream.read, chunk_bytes)
                await self._send({**frame, "data": _base64(data), "part": part, "parts": parts})
        return message_id

    async def send_image(self, payload: Payload, caption: Optional[str] = None, **kwargs: Any) -> str:
        """`send_media` of an image."""
        return await self.send_media("image", payload, caption=caption, **kwargs)

    async def send_document(self, payload: Payload, caption: Optional[str] = None, **kwargs: Any) -> str:
        """`send_media` of a document."""
        return await self.send_media("document", payload, caption=caption, **kwargs)

    async def send_voice(self, payload: Payload, caption: Optional[str] = None, **kwargs: Any) -> str:
        """`send_media` of audio."""
        return await self.send_media("audio", payload, caption=caption, **kwargs)

    def save_media(self, message: MediaMessage, directory: Union[str, Path]) -> Path:
        """Writes a file into a folder and returns where; the folder is made, and nothing lands outside it."""
        return save(message, directory)

    # Waiting

    async def wait_message(self, timeout: float = 120.0) -> List[str]:
        """The parts of one whole reply. Raises `asyncio.TimeoutError`; what came until then is kept for the next call."""
        try:
            return await self._replies.get(timeout)
        except asyncio.TimeoutError:
            raise asyncio.TimeoutError("Ответ агента не пришёл") from None

    async def wait_prompt(self, timeout: float = 30.0) -> Prompt:
        """The next card. Raises `asyncio.TimeoutError`."""
        return await self._prompts.get(timeout)

    async def wait_media(self, timeout: float = 30.0) -> MediaMessage:
        """The next whole file. Raises `asyncio.TimeoutError`."""
        return await self._media.get(timeout)

    async def wait_avatar(self, timeout: float = 30.0) -> str:
        """The next state of the avatar. Raises `asyncio.TimeoutError`."""
        return await asyncio.wait_for(self._next_avatar(), timeout)

    async def _next_avatar(self) -> str:
        while True:
            kind, state = await self._activity.get()
            if kind == S_AVATAR:
                return state

    # The wire

    async def _shake_hands(self, socket: _Socket) -> Ready:
        hello = {
            "t": C_HELLO,
            "v": PROTOCOL_VERSION,
            "token": self.token,
            "device": asdict(self.device),
            "user": self.user,
        }
        try:
            await socket.send(_encode(hello))
            frame = _decode(await asyncio.wait_for(socket.recv(), self.request_timeout))
        except ConnectionClosed as closed:
            if _close_code(closed) == CLOSE_POLICY_VIOLATION:
                raise _denied(closed) from closed
            raise HermesProtocolError("internal", "The connection was closed before ready") from closed
        if frame.get("t") == S_ERROR:
            raise HermesProtocolError.from_frame(frame)
        if frame.get("t") != S_READY:
            raise HermesProtocolError("bad_frame", "The first frame of the server is not ready")
        return Ready.from_frame(frame)

    async def _send(self, frame: Frame) -> None:
        if self._socket is None:
            raise _not_connected()
        encoded = _encode(frame)
        if len(encoded) > MAX_FRAME_BYTES:
            raise HermesProtocolError("too_big", f"A frame holds at most {MAX_FRAME_BYTES} bytes")
        try:
            await self._socket.send(encoded)
        except ConnectionClosed as closed:
            raise _not_connected() from closed

    async def _read(self, socket: _Socket) -> None:
        try:
            while True:
                frame = _decode(await socket.recv())
                await self._dispatch(frame)
        except ConnectionClosed as closed:
            self._forget(socket)
            logger.info("The connection is closed: %s", _close_code(closed))
            if _close_code(closed) == CLOSE_POLICY_VIOLATION:
                await self._report(_denied(closed))
        finally:
            self._forget(socket)
            await socket.close()

    def _forget(self, socket: _Socket) -> None:
        if self._socket is socket:
            self._socket = None

    async def _dispatch(self, frame: Frame) -> None:
        handlers: Dict[str, Callable[[Frame], Awaitable[None]]] = {
            S_MESSAGE: self._take_message,
            S_TYPING: self._take_typing,
            S_AVATAR: self._take_avatar,
            S_PROMPT: self._take_prompt,
            S_PROMPT_DONE: self._take_prompt_done,
            S_MEDIA: self._take_media,
            S_ERROR: self._take_error,
        }
        kind = frame.get("t")
        handler = handlers.get(kind) if isinstance(kind, str) else None
        if handler:
            await handler(frame)

    async def _take_message(self, frame: Frame) -> None:
        message = AgentMessage.from_frame(frame)
        if message.edit:
            await self._replies.edit(message, ends_reply=frame.get("final") is True)
            await _call(self.on_message_edit, message)
        else:
            await self._replies.put(AgentMessage.from_frame(frame))
            await _call(self.on_message, message)

    async def _take_typing(self, frame: Frame) -> None:
        if frame.get("stop") is True:
            await _signal(self.on_typing_stop)
        else:
            await self._activity.put((S_TYPING, ""))
            await _signal(self.on_typing)

    async def _take_avatar(self, frame: Frame) -> None:
        state = frame.get("state")
        if isinstance(state, str):
            await self._activity.put((S_AVATAR, state))
            await _call(self.on_avatar, state)

    async def _take_prompt(self, frame: Frame) -> None:
        prompt = Prompt.from_frame(frame)
        await self._prompts.put(prompt)
        await _call(self.on_prompt, prompt)

    async def _take_prompt_done(self, frame: Frame) -> None:
        await _call(self.on_prompt_done, PromptDone.from_frame(frame))

    async def _take_media(self, frame: Frame) -> None:
        try:
            file = self._assembly.add(MediaMessage.from_frame(frame))
        except ValueError as error:
            logger.warning("A media frame is broken: %s", error)
            return
        if file:
            await self._media.put(file)
            await _call(self.on_media, file)

    async def _take_error(self, frame: Frame) -> None:
        await self._report(HermesProtocolError.from_frame(frame))

    async def _report(self, error: HermesProtocolError) -> None:
        if self.on_error:
            await _call(self.on_error, error)
        else:
            logger.warning("The server reports %s", error)


async def _call(callback: Optional[Callback[Value]], value: Value) -> None:
    result = callback(value) if callback else None
    if inspect.isawaitable(result):
        await result


async def _signal(callback: Optional[Signal]) -> None:
    result = callback() if callback else None
    if inspect.isawaitable(result):
        await result


def _encode(frame: Frame) -> str:
    return json.dumps(frame, ensure_ascii=True, separators=(",", ":"))


def _decode(raw: Union[str, bytes]) -> Frame:
    """A frame; an empty one, which is ignored, where it is no JSON object."""
    try:
        frame = json.loads(raw)
    except (ValueError, RecursionError):
        logger.warning("A frame is not JSON")
        return {}
    return frame if isinstance(frame, dict) else {}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _close_code(closed: ConnectionClosed) -> int:
    return closed.rcvd.code if closed.rcvd else 1006


def _denied(closed: ConnectionClosed) -> HermesProtocolError:
    reason = closed.rcvd.reason if closed.rcvd else ""
    return HermesProtocolError("auth_failed", reason or "Access is denied", fatal=True)


def _not_connected() -> RuntimeError:
    return RuntimeError("Соединение не открыто: вызовите connect()")


def _log_failure(reader: asyncio.Task[None]) -> None:
    failure = None if reader.cancelled() else reader.exception()
    if failure:
        logger.error("The read loop has ended: a callback failed", exc_info=failure)
