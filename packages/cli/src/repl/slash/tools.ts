import type { ToolHandle, ToolStanding } from '@hermes/core/tools/tool-source.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const tools: SlashCommand = {
  name: 'tools',
  args: '[disable|enable TOOLSET]',
  summary: 'List the tools; switch toolsets off and on for this run',
  category: 'Tools',
  duringTurn: true,
  async complete(prefix, chat) {
    const [action = '', name] = prefix.split(/\s+/)
    if (name === undefined) {
      return ['disable', 'enable'].filter((one) => one.startsWith(action)).map((value) => ({ value: `${value} ` }))
    }
    return [...(await toolsets(chat, undefined)).keys()]
      .filter((one) => one.startsWith(name))
      .map((one) => ({ value: `${action} ${one}` }))
  },
  async run(args, chat) {
    const [action, ...names] = args.split(/[\s,]+/)
    if (args === '' || action === 'list') {
      const wanted = chat.settings.toolsets
      chat.view.print(listing(await toolsets(chat, wanted)) + missing(await chat.agent.tools.survey(wanted)))
    } else if ((action === 'disable' || action === 'enable') && names.length > 0) {
      await change(action, names, chat)
    } else {
      chat.view.print('Write: /tools, /tools disable TOOLSET or /tools enable TOOLSET', 'warning')
    }
  },
}

async function change(action: 'disable' | 'enable', names: readonly string[], chat: Chat): Promise<void> {
  const known = new Set([...(await toolsets(chat, undefined)).keys(), ...(await toolsets(chat, names)).keys()])
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    chat.view.print(`No such toolset: ${unknown.join(', ')}. There are: ${[...known].join(', ')}`, 'warning')
    return
  }
  const current = new Set((await toolsets(chat, chat.settings.toolsets)).keys())
  for (const name of names) {
    if (action === 'disable') current.delete(name)
    else current.add(name)
  }
  chat.settings.toolsets = [...current]
  chat.view.print(`Toolsets: ${[...current].join(', ') || 'none'}`)
}

/** Tools by their toolsets. */
async function toolsets({ agent }: Chat, wanted: readonly string[] | undefined): Promise<Map<string, ToolHandle[]>> {
  const loaded = await agent.tools.load(wanted)
  return Map.groupBy(loaded.values(), (tool) => tool.toolset)
}

/** Why tools that a session might have are not there. */
function missing(standings: readonly ToolStanding[]): string {
  const lines = standings.flatMap(({ name, missing: reason }) => (reason ? [`  ${name.padEnd(16)}  ${reason}`] : []))
  return lines.length > 0 ? `\nNot usable now:\n${lines.join('\n')}` : ''
}

function listing(groups: ReadonlyMap<string, readonly ToolHandle[]>): string {
  const all = [...groups].flatMap(([toolset, list]) => [
    toolset,
    ...list.map(({ name, schema, isDeferred }) => {
      return `  ${name.padEnd(16)}  ${firstSentence(schema.description)}${isDeferred ? ' (found by tool_search)' : ''}`
    }),
  ])
  return all.length > 0 ? all.join('\n') : 'No tools.'
}

function firstSentence(text: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text
  return sentence.replace(/\s+/g, ' ')
}
