import type { Cli, CommandInput } from '../../command.ts'
import { canPick } from '../../picker/can-pick.ts'
import { cutToWidth } from '../sessions/columns.ts'
import { writeOut } from '../sessions/write-out.ts'
import { listing } from './list.ts'
import { platformOf } from './platform-option.ts'
import { platformTools } from './standings.ts'
import { change } from './switch.ts'

/** A row of the list that a person switches. */
interface Row {
  readonly name: string
  readonly on: boolean
  readonly about: string
}

/** Lets a person switch toolsets and servers one after the other; where nobody can pick, shows how they stand. */
export async function choose(input: CommandInput, cli: Cli): Promise<number> {
  const platform = platformOf(input)
  if (input.options['summary'] === true || !canPick(cli)) {
    await writeOut(cli, listing(await platformTools(platform, cli)))
    if (!canPick(cli)) cli.stderr.write('Switch them with: hermes tools enable|disable NAME\n')
    return 0
  }
  const { pick } = await import('../../picker/pick.ts')
  for (let switched = 0; ; switched++) {
    const rows = await rowsOf(platform, cli)
    const row = await pick(rows, view(platform), cli)
    if (!row) {
      await writeOut(cli, switched > 0 ? listing(await platformTools(platform, cli)) : 'Nothing was changed.\n')
      return 0
    }
    await change({ names: [row.name], on: !row.on, platform }, cli)
  }
}

async function rowsOf(platform: string, cli: Cli): Promise<readonly Row[]> {
  const { toolsets, servers } = await platformTools(platform, cli)
  return [
    ...toolsets.map(({ name, on, tools }) => ({ name, on, about: tools.map((tool) => tool.name).join(', ') })),
    ...servers.map(({ name, on }) => ({ name, on, about: 'MCP server' })),
  ]
}

function view(platform: string) {
  return {
    title: `Toolsets of ${platform}`,
    nothing: 'no toolset of that name',
    choose: 'switch it on or off',
    textOf: ({ name, about }: Row) => `${name} ${about}`,
    table: (rows: readonly Row[], width: number) => [
      cutToWidth('      toolset           tools', width),
      ...rows.map(({ name, on, about }) => cutToWidth(`[${on ? '✓' : ' '}]   ${name.padEnd(16)}  ${about}`, width)),
    ],
  }
}
