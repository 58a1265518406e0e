// The client that the official conformance suite starts, with the address of its server as the last argument: connects
// as Hermes does, calls every tool and says no more.
import { createContext } from '@hermes/core/agent/create-context.ts'
import type { Decide } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'
import { Connection } from '@hermes/core/mcp/connection.ts'
import { serverHandles } from '@hermes/core/mcp/server-handles.ts'
import { readServerSettings } from '@hermes/core/mcp/settings.ts'
import type { ToolContext } from '@hermes/core/tools/tool.ts'
import { temporaryHome } from '../temporary-home.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, string>

const settings = readServerSettings('suite', {
  url,
  auth: scenario.startsWith('auth/') ? 'oauth' : '',
  oauth: {
    ...(given['client_id'] && { client_id: given['client_id'], client_secret: given['client_secret'] }),
    ...(scenario === 'auth/basic-cimd' && {
      client_metadata_url: 'https://conformance-test.local/client-metadata.json',
    }),
  },
  timeout: 15,
  trust: true,
})

/** A person who agrees to everything at once: the page sends the browser straight back. */
const face = {
  show: () => {},
  openBrowser: (page: string) => void fetch(page).catch((error: unknown) => process.stderr.write(`${String(error)}\n`)),
}

/** Takes every default. */
const decide: Decide = async (request) =>
  request.kind === 'clarify'
    ? { kind: 'clarify', answer: request.choices[0] ?? '', outcome: 'answered' }
    : unanswered(request, 'unavailable')

await using home = await temporaryHome()
await using context = await createContext({ environment: home.environment, cwd: home.dir })
await using connection = new Connection({ server: 'suite', settings, agent: context, cwd: home.dir, face })
const { signal } = new AbortController()
const { tools } = await connection.facts(signal)
const toolContext = {
  agent: context,
  session: context.scopes.get('suite'),
  callId: 'call_1',
  decide,
  progress: () => {},
  signal,
} as unknown as ToolContext
for (const handle of serverHandles([connection], () => {})) {
  const { properties = {} } =
    tools.find(({ name }) => handle.name.endsWith(name.replaceAll(/\W/g, '_')))?.inputSchema ?? {}
  const args = Object.fromEntries(Object.keys(properties).map((name, index) => [name, index + 2]))
  const tool = await handle.open()
  const { content } = await tool.run(args, toolContext)
  process.stdout.write(`${handle.name}: ${content}\n`)
}
