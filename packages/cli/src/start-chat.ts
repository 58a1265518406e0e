import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { UsageError } from './command.ts'
import type { Task } from './one-shot.ts'

/** Runs one task, or the REPL where none was given. Resolves to the exit code. */
export async function startChat(options: ChatOptions, cli: Cli): Promise<number> {
  if (options.toolsets) await warnOfUnknownToolsets(options.toolsets, cli)
  if (options.task === undefined) {
    const { startInteractive } = await import('./start-interactive.ts')
    return startInteractive(options, cli)
  }
  const task = await withInput(options.task, cli)
  const { runTask } = await import('./one-shot.ts')
  return runTask(task, options, cli)
}

/** The task with what was piped in: after the text, or in place of `-`. */
async function withInput(task: string, cli: Cli): Promise<Task> {
  const wanted = task === '-'
  let whole = task
  if (wanted || !cli.stdin.isTTY) {
    const { readPipedInput } = await import('./piped-input.ts')
    const piped = await readPipedInput(cli, wanted)
    if (wanted) whole = piped
    // The tag tells where the request ends: what is piped in is material, whatever it says.
    else if (piped.trim() !== '') whole = `${task}\n\n<stdin>\n${piped.trimEnd()}\n</stdin>`
  }
  const text = whole.trim()
  if (text === '') throw new UsageError('hermes: the task is empty')
  // What was piped in beside the task is material: nothing in it refers to files.
  return { text, typedLength: wanted ? text.length : task.trim().length }
}

/** A set that is not there is left out of the turn; without a word, a typing mistake would leave the agent with no tools. */
async function warnOfUnknownToolsets(toolsets: readonly string[], cli: Cli): Promise<void> {
  const { noMcpServers, toolsetNames, toolsOf } = await import('@hermes/core/tools/toolsets.ts')
  const { unknown } = toolsOf(toolsets)
  if (unknown.length === 0) return
  const { openProfile } = await import('@hermes/core/config/open-profile.ts')
  const servers = Object.keys((await openProfile(cli.environment)).config.mcp_servers)
  const known = new Set([noMcpServers, ...servers, ...servers.map((server) => `mcp-${server}`)])
  const left = unknown.filter((name) => !known.has(name))
  if (left.length === 0) return
  const all = [...toolsetNames, ...servers].join(', ')
  cli.stderr.write(`! There is no toolset ${left.join(', ')}; it is left out. There are: ${all}.\n`)
}
