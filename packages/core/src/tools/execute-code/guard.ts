/**
 * What holds a script that nobody has agreed to: the runtime itself refuses it everything but its own folder, and says so
 * in words that a model understands. `script-dangers.ts` finds most of that beforehand; this is for what it overlooks,
 * and `wall.ts` for what gets past both.
 */

/** Options of `node`: no files but the script's folder, no other programs, no code from text. */
export function nodeGuard(folder: string): readonly string[] {
  return ['--permission', `--allow-fs-read=${folder}`, '--disallow-code-generation-from-strings', '--no-warnings']
}

/**
 * A Python program that runs `script.py` beside it, behind the wall, with everything refused that Python reports before
 * doing it.
 */
export const pythonGuard = `import os, sys

_folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _folder)

import wall

wall.connect()

import hermes_tools  # before the door is shut

_readable = tuple({os.path.realpath(path) + os.sep for path in [_folder, sys.prefix, sys.base_prefix, *sys.path] if path})
_refused = (
    "os.", "shutil.", "subprocess.", "ctypes.", "pty.", "fcntl.", "signal.", "syslog.", "webbrowser.", "urllib.",
    "ftplib.", "http.", "imaplib.", "nntplib.", "poplib.", "smtplib.", "telnetlib.", "sqlite3.", "tempfile.",
    "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "code.__new__",
    "object.__setattr__", "sys.setprofile", "sys.settrace",
)
_harmless = ("os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.add_dll_directory")


def _watch(event, args):
    if event == "open":
        path, mode, flags = args
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        if not isinstance(path, (str, bytes)) or writes or not os.path.realpath(os.fsdecode(path)).startswith(_readable):
            raise PermissionError("files can only be used through read_file and write_file here")
    elif event == "socket.connect":
        raise PermissionError("the network can only be used through tools here")
    elif event.startswith(_refused) and event not in _harmless:
        raise PermissionError(event + " is not allowed in a script that the user has not agreed to")


_script = os.path.join(_folder, "script.py")
with open(_script, encoding="utf-8") as _file:
    _code = compile(_file.read(), _script, "exec")
_globals = {"__name__": "__main__", "__file__": _script, "__builtins__": __builtins__}
try:
    wall.build(_folder, sys.executable)
except Exception as _error:
    sys.exit(wall.unavailable + ": " + str(_error))
sys.addaudithook(_watch)
exec(_code, _globals)
`
