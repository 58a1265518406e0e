/** What a script ends with, on its errors, where the wall could not be built; nothing of it has run then. */
export const noWall = 'No wall could be built around the script'

/**
 * The Python module `wall`: what the kernel (Linux) keeps from a script that nobody has agreed to, in whatever language
 * it is. A language's own guard can be talked out of its rules by code that runs inside it; the kernel cannot. Files:
 * Landlock, which leaves only the runtime's own to be read. The rest, a seccomp filter: no sockets, no other processes
 * to be begun, signalled or looked into, no changes to modes, owners and attributes of files. Numbers are those of the
 * kernel's interface: https://docs.kernel.org/userspace-api/landlock.html, seccomp_filter.html, and its syscall tables.
 */
export const wallModule = `import ctypes, glob, os, socket, struct, sys

unavailable = ${JSON.stringify(noWall)}

_x86_64 = (
    0xC000003E, 56, (62, 200, 234),
    (29, 30, 31, 41, 42, 43, 49, 50, 57, 58, 64, 68, 76, 90, 91, 92, 93, 94, 101, 129, 132, 133, 141, 155, 161, 165,
     166, 188, 189, 190, 197, 198, 199, 235, 240, 241, 248, 249, 250, 260, 261, 268, 272, 280, 288, 297, 298, 304,
     308, 310, 311, 312, 321, 323),
)
_aarch64 = (
    0xC00000B7, 220, (129, 130, 131),
    (5, 6, 7, 14, 15, 16, 39, 40, 41, 45, 51, 52, 53, 54, 55, 88, 97, 117, 138, 140, 180, 181, 186, 190, 194, 195, 196,
     198, 200, 201, 202, 203, 217, 218, 219, 240, 241, 242, 265, 268, 270, 271, 272, 280, 282),
)
# pidfd_send_signal, io_uring, the calls of mounting, pidfd_open, pidfd_getfd, process_madvise, mount_setattr, fchmodat2
_everywhere = (424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 452)
_clone3 = 435
_newest = 462
_thread = 0x10000
_allow, _eperm, _enosys, _kill = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


def connect():
    """The connection to the agent, made while that is allowed."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.connect(os.environ.pop("HERMES_RPC_SOCKET"))
    made.sendall((os.environ.pop("HERMES_RPC_TOKEN") + "\\n").encode())
    made.set_inheritable(True)
    os.environ["HERMES_RPC_FD"] = str(made.detach())


def build(folder, program):
    """Shuts this process in, for good, with all that it goes on as."""
    kernel = ctypes.CDLL(None, use_errno=True)
    kinds = {"x86_64": _x86_64, "aarch64": _aarch64}
    if sys.platform != "linux" or os.uname().machine not in kinds or sys.maxsize < 2**32:
        raise OSError(unavailable)
    _must(kernel.prctl(38, 1, 0, 0, 0))
    _shut_files(kernel, folder, program)
    _shut_calls(kernel, *kinds[os.uname().machine])


def _must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), unavailable)
    return result


def _shut_files(kernel, folder, program):
    def call(number, *args):
        wide = [arg if isinstance(arg, bytes) else ctypes.c_long(arg) for arg in args]
        return _must(kernel.syscall(ctypes.c_long(number), *wide))

    version = call(444, 0, 0, 1)
    handled = (1 << (13 if version < 2 else 14 if version < 3 else 15 if version < 5 else 16)) - 1
    rules = call(444, struct.pack("Q", handled), 8, 0)
    execute, write, read, list_ = 1, 2, 4, 8
    readable = [folder, os.path.dirname(os.__file__), "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache"]
    readable += ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", sys.base_prefix + "/lib", "/dev/urandom"]
    readable += [sys.base_exec_prefix + "/lib", sys.prefix + "/pyvenv.cfg"]
    loaders = glob.glob("/lib*/ld-*") + glob.glob("/lib/*/ld-*")
    places = [(path, read | list_) for path in readable] + [(path, read | execute) for path in [program, *loaders]]
    for path, access in [*places, ("/dev/null", read | write)]:
        try:
            place = os.open(os.path.realpath(path), os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if not os.path.isdir(path):
            access &= ~list_
        call(445, rules, 1, struct.pack("=Qi", access, place), 0)
        os.close(place)
    call(446, rules, 0)
    os.close(rules)


def _shut_calls(kernel, machine, clone, signals, refused):
    """Jumps are counted in instructions; a call that nothing is said of is allowed."""
    steps = []

    def step(code, value, yes=0, no=0):
        steps.append(struct.pack("HBBI", code, yes, no, value & 0xFFFFFFFF))

    load, equal, above, every, answer = 0x20, 0x15, 0x25, 0x45, 0x06
    step(load, 4)
    step(equal, machine, 1)
    step(answer, _kill)
    step(load, 0)
    for number, verdict in [(_clone3, _enosys), *((one, _eperm) for one in (*refused, *_everywhere))]:
        step(equal, number, 0, 1)
        step(answer, verdict)
    # Calls that are newer than this list, and those of the other ways to count them.
    step(above, _newest, 0, 1)
    step(answer, _enosys)
    # Threads, but no processes.
    step(equal, clone, 0, 4)
    step(load, 16)
    step(every, _thread, 0, 1)
    step(answer, _allow)
    step(answer, _eperm)
    # Signals to itself.
    for number in signals:
        step(equal, number, 0, 4)
        step(load, 16)
        step(equal, os.getpid(), 0, 1)
        step(answer, _allow)
        step(answer, _eperm)
    step(answer, _allow)
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    _must(kernel.prctl(22, ctypes.c_long(2), program, 0, 0))


if __name__ == "__main__":
    try:
        connect()
        build(os.path.dirname(os.path.abspath(__file__)), sys.argv[1])
    except Exception as error:
        sys.exit(unavailable + ": " + str(error))
    os.environ["OPENSSL_CONF"] = os.devnull  # which Node.js would end without
    os.execv(sys.argv[1], sys.argv[1:])
`
