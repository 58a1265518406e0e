import { saveVariable } from '@hermes/core/config/environment.ts'
import { keyVariable, saveServer } from '@hermes/core/mcp/save-server.ts'
import { type Cli, type Command, type CommandInput, UsageError } from '../../command.ts'
import { readSecret } from '../auth/read-secret.ts'
import { writeOut } from '../sessions/write-out.ts'
import { presets } from './presets.ts'
import { probeText } from './probe-text.ts'
import { type ServersContext, withServers } from './with-servers.ts'

export const add: Command = {
  name: 'add',
  summary: 'Connect to a server, look what it has, and keep it',
  positionals: '<name> [-- args...]',
  options: {
    url: { type: 'string', value: 'URL', description: 'Address of a server that is reached over HTTP' },
    command: { type: 'string', value: 'PROGRAM', description: 'Program of a server that runs on this machine' },
    args: { type: 'string', value: 'ARG', multiple: true, description: 'Its arguments; also as words after --' },
    env: { type: 'string', value: 'NAME=VALUE', multiple: true, description: 'A variable that the program gets' },
    auth: {
      type: 'string',
      value: 'KIND',
      choices: ['oauth', 'header'],
      description: 'oauth: sign in with a browser; header: a key, which is asked for or piped in',
    },
    preset: {
      type: 'string',
      value: 'NAME',
      choices: Object.keys(presets),
      description: `How a known server is started: ${Object.keys(presets).join(', ')}`,
    },
    'no-browser': { type: 'boolean', description: 'Sign in by pasting what a browser elsewhere shows' },
  },
  examples: [
    'hermes mcp add files --command npx -- -y @modelcontextprotocol/server-filesystem ~/notes',
    'hermes mcp add issues --url https://mcp.example.com/mcp --auth oauth',
    'hermes mcp add search --url https://mcp.example.com/mcp --auth header < key.txt',
    "hermes mcp add db --command db-server --env 'TOKEN=${DB_TOKEN}'",
  ],
  async run(input, cli) {
    const [name] = input.positionals
    if (name === undefined || !/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
      throw new UsageError('Give the server a name of letters, digits, - and _: hermes mcp add NAME --url URL')
    }
    const value = valueOf(input)
    const noBrowser = input.options['no-browser'] === true
    return withServers(cli, (context) => addServer({ name, value, auth: input.options['auth'] }, context, cli), {
      noBrowser,
    })
  },
}

interface Wanted {
  readonly name: string
  readonly value: Readonly<Record<string, unknown>>
  readonly auth: unknown
}

async function addServer(
  { name, value, auth }: Wanted,
  { agent, servers, probe }: ServersContext,
  cli: Cli,
): Promise<number> {
  if (Object.hasOwn(servers, name)) {
    throw new UsageError(`There is an MCP server "${name}" already; take it out first: hermes mcp remove ${name}`)
  }
  const variable = keyVariable(name)
  const key = auth === 'header' ? await readSecret(cli, `Key for ${name} (not shown): `) : undefined
  const withAuth = {
    ...value,
    ...(auth === 'oauth' && { auth: 'oauth' }),
    ...(key !== undefined && { headers: { Authorization: `Bearer \${${variable}}` } }),
  }
  cli.stderr.write(`Connecting to ${name} ...\n`)
  const probed = await probe(name, withAuth, key === undefined ? {} : { [variable]: key })
  const options = { home: agent.home, environment: agent.environment, signal: cli.signal }
  if (key !== undefined) await saveVariable(options, variable, key)
  await saveServer(name, withAuth, options)
  const count = probed.tools.length
  const kept = key === undefined ? '' : ` Its key is in .env as ${variable}.`
  await writeOut(
    cli,
    `${probeText(probed, cli)}✓ ${name} is added, with ${count} ${count === 1 ? 'tool' : 'tools'}.${kept} New sessions have it; a running one after /reload-mcp.\nTo choose among its tools: hermes mcp configure ${name}\n`,
  )
  return 0
}

/** What the options say of the server. Throws `UsageError`. */
function valueOf({ options, positionals }: CommandInput): Readonly<Record<string, unknown>> {
  const { url, command, preset } = options
  const known = typeof preset === 'string' ? presets[preset] : undefined
  const ways = [url, command, known].filter((way) => way !== undefined)
  if (ways.length !== 1) throw new UsageError('Say one of --url URL, --command PROGRAM and --preset NAME.')
  const args = [...listOf(options['args']), ...positionals.slice(1)]
  const env = Object.fromEntries(listOf(options['env']).map(variableOf))
  if (typeof url === 'string') {
    if (args.length > 0 || Object.keys(env).length > 0) throw new UsageError('--args and --env go with --command.')
    return { url }
  }
  if (options['auth'] !== undefined) throw new UsageError('--auth goes with --url; a program gets its key by --env.')
  const start = known ? [...known.args, ...args] : args
  return {
    command: known?.command ?? command,
    ...(start.length > 0 && { args: start }),
    ...(Object.keys(env).length > 0 && { env }),
  }
}

function listOf(value: CommandInput['options'][string]): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function variableOf(word: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
  if (name === undefined || value === undefined) throw new UsageError(`--env ${word}: write NAME=VALUE`)
  return [name, value]
}
