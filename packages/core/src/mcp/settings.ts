import { z } from 'zod'
import { decimal, flag, mapOf, section, text, textList, whole } from '../config/values.ts'
import { hasReferences } from '../config/expand.ts'
import { McpError } from './mcp-error.ts'

// `mcp_servers.<name>` of `config.yaml`; keys that are not named here pass through.

const bare = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string())

const oauth = section({
  client_id: text(),
  client_secret: text(),
  scope: text(),
  redirect_port: whole(0, { min: 0, max: 65_535 }),
  client_name: text('Hermes Agent'),
  client_metadata_url: text(),
  timeout: decimal(300, { min: 0.05 }),
})

const sampling = section({
  enabled: flag(true),
  model: text(),
  max_tokens_cap: whole(4096, { min: 1 }),
  timeout: decimal(30, { min: 0.05 }),
  max_rpm: whole(10, { min: 1 }),
  allowed_models: textList(),
  max_tool_rounds: whole(5, { min: 0 }),
  log_level: text('info'),
})

const schema = section({
  command: text(),
  args: z.preprocess((value) => value ?? undefined, z.array(bare).default([])),
  env: mapOf(bare),
  cwd: text(),
  url: text(),
  headers: mapOf(bare),
  auth: text(),
  oauth,
  transport: text(),
  enabled: flag(true),
  trust: flag(false),
  timeout: decimal(120, { min: 0.05 }),
  connect_timeout: decimal(60, { min: 0.05 }),
  tools: section({
    include: textList(),
    exclude: textList(),
    resources: flag(true),
    prompts: flag(true),
  }),
  sampling,
})

/** How one server is reached and what of it is used; times in seconds. */
export type ServerSettings = z.output<typeof schema>

/** Reads what `config.yaml` says of a server. Throws `McpError` with code `not-configured`, saying what to change. */
export function readServerSettings(name: string, value: unknown): ServerSettings {
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'all of it'}: ${message}`)
    throw new McpError('not-configured', `mcp_servers.${name} in config.yaml is wrong (${problems.join('; ')}).`)
  }
  const settings = parsed.data
  if (settings.url === '' && settings.command === '') {
    throw new McpError('not-configured', `mcp_servers.${name} in config.yaml has neither a command nor a url.`)
  }
  const scheme = URL.parse(settings.url)?.protocol
  if (settings.url !== '' && scheme !== 'https:' && scheme !== 'http:' && !hasReferences(settings.url)) {
    throw new McpError('not-configured', `mcp_servers.${name}.url in config.yaml is no http:// or https:// address.`)
  }
  const { command, args, env, url, headers } = settings
  refuseUnset(name, url === '' ? { command, args, env } : { url, headers })
  return settings
}

/** What is still a `${NAME}` names a variable that is not set: the server would get the name for a value. */
function refuseUnset(name: string, used: unknown): void {
  const unset = JSON.stringify(used).match(/(?<=\$\{)[A-Za-z_]\w*(?=\})/)?.[0]
  if (unset === undefined) return
  throw new McpError(
    'not-configured',
    `The MCP server ${name} needs ${unset}, which is not set: hermes config set ${unset} VALUE`,
  )
}
