import { pathToFileURL } from 'node:url'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { runProgram } from '@hermes/core/speech/run-program.ts'
import { childEnvironment } from '@hermes/core/terminals/child-environment.ts'
import type { Hook } from './read-hooks.ts'

/** Longest that a handler may take, ms. */
const hookMs = 30_000

const python = `
import asyncio, importlib.util, inspect, json, sys
told = json.load(sys.stdin)
sys.path.insert(0, told["folder"])
spec = importlib.util.spec_from_file_location("hook_handler", told["handler"])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
result = module.handle(told["event"], told["context"])
if inspect.isawaitable(result):
    async def wait():
        await result
    asyncio.run(wait())
`

const javascript = `
let text = ''
for await (const part of process.stdin.setEncoding('utf8')) text += part
const told = JSON.parse(text)
const module = await import(told.url)
await (module.handle ?? module.default)(told.event, told.context)
`

/** Runs a hook's handler in a process of its own. Throws what went wrong; when `signal` aborts, its reason. */
export async function runHook(
  hook: Hook,
  { event, context }: { readonly event: string; readonly context: Readonly<Record<string, unknown>> },
  { environment }: Pick<AgentContext, 'environment'>,
  signal: AbortSignal,
): Promise<void> {
  const { folder, handler, language } = hook
  const input = JSON.stringify({ folder, handler, url: pathToFileURL(handler).href, event, context })
  const how =
    language === 'python'
      ? { program: 'python3', args: ['-c', python] }
      : { program: process.execPath, args: ['--input-type=module', '-e', javascript] }
  const env = { ...childEnvironment({ environment, passthrough: [] }), PYTHONIOENCODING: 'utf-8' }
  await runProgram({ ...how, env, cwd: folder, input, timeoutMs: hookMs }, signal)
}
