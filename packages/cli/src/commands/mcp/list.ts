import type { Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { type WrittenServers, withServers } from './with-servers.ts'

interface Row {
  readonly name: string
  readonly transport: 'stdio' | 'http'
  /** The program with its arguments, or the address. */
  readonly target: string
  readonly enabled: boolean
  readonly auth: string | undefined
}

export const list: Command = {
  name: 'list',
  aliases: ['ls'],
  summary: 'The servers that are set up; connects to none',
  options: { json: { type: 'boolean', description: 'For programs' } },
  async run({ options }, cli) {
    return withServers(cli, async ({ servers, agent }) => {
      const rows = rowsOf(servers, (text) => agent.redactor.redact(text))
      if (options['json'] === true) await writeJson(cli, rows)
      else
        await writeOut(
          cli,
          rows.length > 0 ? listing(rows) : 'No MCP server is set up. Add one: hermes mcp add NAME ...\n',
        )
      return 0
    })
  },
}

function rowsOf(servers: WrittenServers, redact: (text: string) => string): readonly Row[] {
  return Object.entries(servers).map(([name, value]) => {
    const { url, command, args, enabled, auth } = value
    const isHttp = typeof url === 'string' && url !== ''
    const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ')
    return {
      name,
      transport: isHttp ? 'http' : 'stdio',
      target: redact(isHttp ? url : words),
      enabled: enabled !== false && enabled !== 'false',
      auth: typeof auth === 'string' && auth !== '' ? auth : undefined,
    }
  })
}

function listing(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(({ name, enabled, target, auth }) => {
    const how = auth === undefined ? '' : ` (${auth})`
    return `${enabled ? '✓ on ' : '  off'}  ${name.padEnd(width)}  ${cleanLine(target)}${how}`
  })
  return `${lines.join('\n')}\n`
}
