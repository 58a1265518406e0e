"""Files on their way: read in parts to be sent, put together as they come, saved under a safe name."""

from __future__ import annotations

import base64
import binascii
import io
import mimetypes
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Dict, Optional, Union

from ._frames import MediaMessage

Payload = Union[bytes, bytearray, str, Path]

MAX_UNFINISHED_FILES = 32
MAX_UNFINISHED_BYTES = 512 * 1024 * 1024
# File systems take 255 at most.
MAX_NAME_BYTES = 200

# What `mimetypes` does not know on every system.
_MIME_OF_SUFFIX = {
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".m4a": "audio/mp4",
    ".webp": "image/webp",
    ".md": "text/markdown",
}


@dataclass
class Source:
    """Opened content of a file to send; a file on disk is never read as a whole."""

    stream: BinaryIO
    size: int
    filename: str = ""


def open_payload(payload: Optional[Payload]) -> Source:
    """Opens bytes, a path, or base64 in a `str` that names no file. Raises `ValueError` where nothing is in it."""
    source = _open(payload)
    if source.size == 0:
        source.stream.close()
        raise ValueError("The data are empty")
    return source


def read_payload(payload: Payload) -> bytes:
    """All of it at once, for what goes in one frame."""
    source = open_payload(payload)
    with source.stream:
        return source.stream.read()


def mime_of(filename: str) -> str:
    """The type that a name's extension tells, else `application/octet-stream`."""
    suffix = PurePosixPath(filename).suffix.lower()
    return _MIME_OF_SUFFIX.get(suffix) or mimetypes.guess_type(filename)[0] or "application/octet-stream"


def save(message: MediaMessage, directory: Union[str, Path]) -> Path:
    """Writes a file's bytes into a folder, which is made. Only the last part of its name counts, so it stays inside."""
    folder = Path(directory).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    suffix = mimetypes.guess_extension(message.mime) or "" if message.mime else ""
    name = _safe_name(message.filename) or (_safe_name(message.id) or "file") + suffix
    path = folder / name
    path.write_bytes(message.data)
    return path


class Assembly:
    """Puts the parts of files together. Parts may come in any order and twice; what stays unfinished is bounded."""

    def __init__(self) -> None:
        self._unfinished: OrderedDict[str, _Unfinished] = OrderedDict()

    def add(self, part: MediaMessage) -> Optional[MediaMessage]:
        """Takes a part. Returns the file when this was the last one missing; raises `ValueError` for an impossible one."""
        if part.parts < 1 or not 0 <= part.part < part.parts:
            raise ValueError(f"Part {part.part} of {part.parts} is impossible")
        if part.parts == 1:
            return replace(part, size=part.size or len(part.data), final=True)
        file = self._unfinished.setdefault(part.id, _Unfinished(part))
        file.add(part)
        if len(file.parts) < file.first.parts:
            self._drop_oldest()
            return None
        del self._unfinished[part.id]
        return file.whole()

    def clear(self) -> None:
        """Forgets unfinished files: after a reconnect the server begins them anew."""
        self._unfinished.clear()

    def _drop_oldest(self) -> None:
        while len(self._unfinished) > 1 and (
            len(self._unfinished) > MAX_UNFINISHED_FILES
            or sum(file.held for file in self._unfinished.values()) > MAX_UNFINISHED_BYTES
        ):
            self._unfinished.popitem(last=False)


@dataclass
class _Unfinished:
    """The parts of one file that are here."""

    first: MediaMessage
    parts: Dict[int, bytes] = field(default_factory=dict)
    held: int = 0

    def add(self, part: MediaMessage) -> None:
        if part.parts != self.first.parts:
            raise ValueError(f"File {part.id} had {self.first.parts} parts and has {part.parts} now")
        if part.part in self.parts:
            return
        self.parts[part.part] = part.data
        self.held += len(part.data)
        # Any part may carry what describes the file.
        for key in ("mime", "filename", "caption", "url", "reply_to", "size"):
            if not getattr(self.first, key):
                setattr(self.first, key, getattr(part, key))

    def whole(self) -> MediaMessage:
        data = b"".join(self.parts[index] for index in range(self.first.parts))
        return replace(
            self.first, data=data, part=self.first.parts - 1, final=True, size=self.first.size or len(data)
        )


def _open(payload: Optional[Payload]) -> Source:
    if payload is None:
        return Source(io.BytesIO(), 0)
    if isinstance(payload, (bytes, bytearray)):
        return Source(io.BytesIO(payload), len(payload))
    path = _as_file(payload)
    if path is None:
        data = _from_base64(str(payload))
        return Source(io.BytesIO(data), len(data))
    return Source(path.open("rb"), path.stat().st_size, path.name)


def _as_file(payload: Union[str, Path]) -> Optional[Path]:
    """The path that is meant; None for a `str` that names no file. A `Path` is always one."""
    if isinstance(payload, Path):
        return payload.expanduser()
    try:
        path = Path(payload).expanduser()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # Too long for a name, NUL within, or no such user's home: no path.
        return None


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("The data are neither the path of a file nor base64") from error


def _safe_name(name: str) -> str:
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    cleaned = "".join(character for character in last if character.isprintable() and character not in ':*?"<>|')
    return _cut(cleaned.strip().strip(".")) if cleaned.strip(" .") else ""


def _cut(name: str) -> str:
    """What file systems take of a long name, with its ending."""
    encoded = name.encode()
    if len(encoded) <= MAX_NAME_BYTES:
        return name
    suffix = PurePosixPath(name).suffix.encode()
    room = MAX_NAME_BYTES - len(suffix)
    if room < MAX_NAME_BYTES // 2:
        return encoded[:MAX_NAME_BYTES].decode(errors="ignore")
    return encoded[:room].decode(errors="ignore") + suffix.decode()
