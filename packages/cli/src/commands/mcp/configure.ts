import type { ProbedTool } from '@hermes/core/mcp/probe.ts'
import { chooseServerTools } from '@hermes/core/mcp/save-server.ts'
import { type Cli, type Command, type CommandInput, UsageError } from '../../command.ts'
import { canPick } from '../../picker/can-pick.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { cutToWidth } from '../sessions/columns.ts'
import { writeOut } from '../sessions/write-out.ts'
import { probeText } from './probe-text.ts'
import { serverNamed, withServers } from './with-servers.ts'

export const configure: Command = {
  name: 'configure',
  aliases: ['config'],
  summary: 'Choose which tools of a server the agent gets',
  positionals: '<name>',
  options: {
    only: { type: 'string', value: 'TOOLS', description: 'These and no others, with commas between' },
    without: { type: 'string', value: 'TOOLS', description: 'All but these' },
    all: { type: 'boolean', description: 'All' },
  },
  examples: ['hermes mcp configure files', 'hermes mcp configure files --only read_text_file,list_directory'],
  async run({ positionals: [name], options }, cli) {
    return withServers(cli, async ({ agent, servers, probe }) => {
      const value = serverNamed(name, servers)
      const server = name ?? ''
      const probed = await probe(server, value)
      const { tools } = probed
      const save = (chosen: readonly string[]) => {
        const wanted = chosen.length === tools.length ? undefined : chosen
        return chooseServerTools(server, wanted, {
          home: agent.home,
          environment: agent.environment,
          signal: cli.signal,
        })
      }
      const chosen = chosenBy(options, tools)
      if (chosen) await save(chosen)
      else if (canPick(cli)) await pickTools(server, tools, save, cli)
      else {
        await writeOut(cli, probeText(probed, cli))
        cli.stderr.write('Choose with --only TOOLS, --without TOOLS or --all.\n')
        return 0
      }
      await writeOut(cli, chosen ? `✓ ${server}: ${chosen.length} of ${tools.length} tools.\n` : '')
      return 0
    })
  },
}

/** The tools that the options leave; undefined where they say nothing. Throws `UsageError`. */
function chosenBy(options: CommandInput['options'], tools: readonly ProbedTool[]): readonly string[] | undefined {
  const names = tools.map(({ name }) => name)
  const wordsOf = (value: unknown) => {
    if (typeof value !== 'string') return undefined
    const words = value.split(',').flatMap((word) => word.trim() || [])
    const unknown = words.filter((word) => !names.includes(word))
    if (unknown.length === 0) return words
    throw new UsageError(`It has no tool ${unknown.join(', ')}; it has: ${names.map(cleanLine).join(', ')}.`)
  }
  const [only, without] = [wordsOf(options['only']), wordsOf(options['without'])]
  if ([only, without, options['all']].filter((one) => one !== undefined).length > 1) {
    throw new UsageError('Say one of --only, --without and --all.')
  }
  if (options['all'] === true) return names
  return only ?? (without && names.filter((name) => !without.includes(name)))
}

/** Lets a person switch the tools one after the other. */
async function pickTools(
  server: string,
  tools: readonly ProbedTool[],
  save: (chosen: readonly string[]) => Promise<boolean>,
  cli: Cli,
): Promise<void> {
  const { pick } = await import('../../picker/pick.ts')
  let rows = tools
  for (;;) {
    const row = await pick(rows, view(server), cli)
    if (!row) break
    rows = rows.map((one) => (one.name === row.name ? { ...one, isOn: !one.isOn } : one))
    await save(rows.filter(({ isOn }) => isOn).map(({ name }) => name))
  }
  const on = rows.filter(({ isOn }) => isOn).length
  await writeOut(cli, `${server}: ${on} of ${rows.length} tools.\n`)
}

function view(server: string) {
  return {
    title: `Tools of ${server}`,
    nothing: 'no tool of that name',
    choose: 'switch it on or off',
    textOf: ({ name, description }: ProbedTool) => cleanLine(`${name} ${description}`),
    table: (rows: readonly ProbedTool[], width: number) => [
      cutToWidth('      tool', width),
      ...rows.map(({ name, description, isOn }) =>
        cutToWidth(`[${isOn ? '✓' : ' '}]   ${cleanLine(name).padEnd(24)}  ${cleanLine(description)}`, width),
      ),
    ],
  }
}
