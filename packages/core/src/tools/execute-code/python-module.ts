import type { ScriptParameter, ScriptTool } from './script-tools.ts'

/** The module `hermes_tools` of Python scripts: requests go over the agent's socket, one line each way. */
export function pythonModule(tools: readonly ScriptTool[]): string {
  return `import json, os, shlex, socket, time

${transport}

def _call(tool, args):
    return json.loads(_send({"tool": tool, "args": {k: v for k, v in args.items() if v is not None}}), strict=False)

def json_parse(text):
    """Like json.loads, for text that may hold control characters."""
    return json.loads(text, strict=False)

def shell_quote(text):
    return shlex.quote(str(text))

def retry(fn, max_attempts=3, delay=2):
    """Calls fn until it does not raise; the pause doubles each time."""
    for attempt in range(max_attempts):
        try:
            return fn()
        except Exception:
            if attempt == max_attempts - 1:
                raise
            time.sleep(delay * 2 ** attempt)

${tools.map(stub).join('\n\n')}
`
}

function stub({ name, parameters }: ScriptTool): string {
  const signature = parameters.map((parameter) => parameter.name + defaultOf(parameter)).join(', ')
  const args = parameters.map((parameter) => `"${parameter.name}": ${parameter.name}`).join(', ')
  return `def ${name}(${signature}):\n    return _call("${name}", {${args}})`
}

function defaultOf(parameter: ScriptParameter): string {
  if (parameter.default === undefined) return ''
  if (parameter.default === null) return '=None'
  if (typeof parameter.default === 'boolean') return parameter.default ? '=True' : '=False'
  return `=${JSON.stringify(parameter.default)}`
}

const transport = `_connection = None

def _send(request):
    global _connection
    if _connection is None:
        open_already = os.environ.get("HERMES_RPC_FD")
        made = socket.socket(socket.AF_UNIX, fileno=open_already and int(open_already))
        made.settimeout(330)
        if open_already is None:
            made.connect(os.environ["HERMES_RPC_SOCKET"])
        _connection = made.makefile("rw", encoding="utf-8", newline="\\n")
        if open_already is None:
            _connection.write(os.environ["HERMES_RPC_TOKEN"] + "\\n")
    _connection.write(json.dumps(request) + "\\n")
    _connection.flush()
    line = _connection.readline()
    if not line:
        raise RuntimeError("Hermes does not answer any more")
    return line`
