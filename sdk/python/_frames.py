"""Frames of the Hermes Mobile Adapter protocol, version 1, as Python data.

A server frame is read leniently: a missing or wrongly typed field takes its default, an unknown one is ignored, so that
a newer server does not break an older client.
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 16 * 1024 * 1024
"""Ceiling of one WebSocket frame, both ways."""
MEDIA_CHUNK_BYTES = 3 * 1024 * 1024
"""Bytes of a file in one `media` frame, before base64."""
CLOSE_POLICY_VIOLATION = 1008
"""Close code of denied access: trying again is pointless."""
INBOUND_MEDIA_KINDS = ("image", "video", "document", "audio")
"""What can be sent to the agent."""
CLARIFY_OTHER = "other"
"""Option of a `clarify` card that goes with a text of one's own."""

C_HELLO = "hello"
C_TEXT = "text"
C_AUDIO = "audio"
C_TYPING = "typing"
C_PING = "ping"
C_ACK = "ack"
C_PROMPT = "prompt"
C_MEDIA = "media"

S_READY = "ready"
S_MESSAGE = "message"
S_TYPING = "typing"
S_AVATAR = "avatar"
S_PROMPT = "prompt"
S_PROMPT_DONE = "prompt_done"
S_MEDIA = "media"
S_ERROR = "error"
S_PONG = "pong"

Frame = Mapping[str, Any]


class HermesProtocolError(RuntimeError):
    """The server refused something, or spoke what is not the protocol."""

    def __init__(self, code: str, message: str = "", fatal: bool = False) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        """Stable: `auth_failed`, `bad_frame`, `unsupported_frame`, `too_big`, …"""
        self.message = message
        """For people."""
        self.fatal = fatal
        """Trying again is pointless."""

    @classmethod
    def from_frame(cls, frame: Frame) -> HermesProtocolError:
        return cls(_text(frame, "code", "internal"), _text(frame, "message"), _flag(frame, "fatal", False))


@dataclass
class Device:
    """What the gateway knows this client by: pairing, the list of allowed devices and scheduled jobs go by `id`."""

    id: str
    name: str = ""
    platform: str = "python"
    app_version: str = "1.0.0"


@dataclass
class Ready:
    """The server has let the client in."""

    v: int
    session: str
    device: Dict[str, Any] = field(default_factory=dict)
    avatar_url: str = ""
    capabilities: Dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_frame(cls, frame: Frame) -> Ready:
        return cls(
            v=_number(frame, "v", 0),
            session=_text(frame, "session"),
            device=_mapping(frame, "device"),
            avatar_url=_text(frame, "avatar_url"),
            capabilities=_mapping(frame, "capabilities"),
        )


@dataclass
class AgentMessage:
    """One chunk of an agent's reply, or the new text of one that is shown already (`edit`)."""

    id: str
    text: str
    index: int = 0
    total: int = 1
    final: bool = True
    edit: bool = False

    @classmethod
    def from_frame(cls, frame: Frame) -> AgentMessage:
        return cls(
            id=_text(frame, "id"),
            text=_text(frame, "text"),
            index=_number(frame, "index", 0),
            total=_number(frame, "total", 1),
            final=_flag(frame, "final", True),
            edit=_flag(frame, "edit", False),
        )


@dataclass
class PromptOption:
    """One button of a card."""

    id: str
    label: str = ""
    style: str = ""


@dataclass
class Prompt:
    """A card that waits for an answer: `exec_approval`, `slash_confirm` or `clarify`."""

    id: str
    kind: str
    text: str = ""
    options: List[PromptOption] = field(default_factory=list)
    session: str = ""
    timeout_seconds: int = 0

    def option_ids(self) -> List[str]:
        """The ids that `answer_prompt` takes for this card."""
        return [option.id for option in self.options]

    @classmethod
    def from_frame(cls, frame: Frame) -> Prompt:
        options = frame.get("options")
        return cls(
            id=_text(frame, "id"),
            kind=_text(frame, "kind"),
            text=_text(frame, "text"),
            options=[
                PromptOption(_text(option, "id"), _text(option, "label"), _text(option, "style"))
                for option in (options if isinstance(options, list) else [])
                if isinstance(option, dict)
            ],
            session=_text(frame, "session"),
            timeout_seconds=_number(frame, "timeout_seconds", 0),
        )


@dataclass
class PromptDone:
    """A card is closed: answered (here or on another device of the session) or expired."""

    id: str
    option_id: Optional[str] = None
    expired: bool = False

    @classmethod
    def from_frame(cls, frame: Frame) -> PromptDone:
        option = frame.get("option_id")
        return cls(
            id=_text(frame, "id"),
            option_id=option if isinstance(option, str) else None,
            expired=_flag(frame, "expired", False),
        )


@dataclass
class MediaMessage:
    """A file from the agent. What callbacks and `wait_media` give is assembled: `data` holds all of it."""

    id: str
    kind: str
    data: bytes = b""
    mime: str = ""
    filename: str = ""
    caption: str = ""
    part: int = 0
    parts: int = 1
    final: bool = True
    size: int = 0
    url: str = ""
    reply_to: str = ""

    def data_url(self) -> str:
        """The file as a `data:` URL, for a WebView that shows it without a file on disk."""
        encoded = base64.b64encode(self.data).decode("ascii")
        return f"data:{self.mime or 'application/octet-stream'};base64,{encoded}"

    @classmethod
    def from_frame(cls, frame: Frame) -> MediaMessage:
        """One part. Raises `ValueError` where its data are not base64."""
        return cls(
            id=_text(frame, "id"),
            kind=_text(frame, "kind"),
            data=base64.b64decode(_text(frame, "data"), validate=True),
            mime=_text(frame, "mime"),
            filename=_text(frame, "filename"),
            caption=_text(frame, "caption"),
            part=_number(frame, "part", 0),
            parts=_number(frame, "parts", 1),
            final=_flag(frame, "final", True),
            size=_number(frame, "size", 0),
            url=_text(frame, "url"),
            reply_to=_text(frame, "reply_to"),
        )


def _text(frame: Frame, key: str, default: str = "") -> str:
    value = frame.get(key)
    return value if isinstance(value, str) else default


def _number(frame: Frame, key: str, default: int) -> int:
    value = frame.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return default
    return int(value)


def _flag(frame: Frame, key: str, default: bool) -> bool:
    value = frame.get(key)
    return value if isinstance(value, bool) else default


def _mapping(frame: Frame, key: str) -> Dict[str, Any]:
    value = frame.get(key)
    return dict(value) if isinstance(value, dict) else {}
