import { keyVariable, removeServer } from '@hermes/core/mcp/save-server.ts'
import type { Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { serverNamed, withServers } from './with-servers.ts'

export const remove: Command = {
  name: 'remove',
  aliases: ['rm'],
  summary: 'Take a server out, and forget its sign-in',
  positionals: '<name>',
  async run({ positionals: [name] }, cli) {
    return withServers(cli, async ({ agent, servers }) => {
      serverNamed(name, servers)
      const server = name ?? ''
      await removeServer(server, { home: agent.home, environment: agent.environment, signal: cli.signal })
      const variable = keyVariable(server)
      const left = agent.environment[variable] === undefined ? '' : ` Its key is still in .env as ${variable}.`
      await writeOut(cli, `✓ ${server} is removed.${left}\n`)
      return 0
    })
  },
}
