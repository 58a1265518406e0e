import { randomUUID } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { Checkpoint, CheckpointStore, RestorePlan } from '@hermes/core/checkpoints/checkpoint-store.ts'
import { checkpointList, chooseCheckpoint, diffText, restoredText } from '@hermes/core/checkpoints/rollback-text.ts'
import { removeLastExchange } from '@hermes/core/sessions/last-exchange.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const rollback: SlashCommand = {
  name: 'rollback',
  args: '[N [FILE] | diff N]',
  summary: 'List the checkpoints of this folder; go back to one, or show what has changed since',
  category: 'Session',
  duringTurn: false,
  async complete(prefix, chat) {
    if (/\s/.test(prefix.replace(/^diff\s+/, ''))) return []
    const before = prefix.startsWith('diff ') ? 'diff ' : ''
    const numbers = (await checkpointsHere(chat)).map((one, index) => ({
      value: `${before}${index + 1}`,
      description: one.reason,
    }))
    const diff = numbers.length > 0 ? [{ value: 'diff ', description: 'what has changed since' }] : []
    return [...diff, ...numbers].filter(({ value }) => value !== prefix && value.startsWith(prefix))
  },
  async run(args, chat) {
    const { CheckpointError } = await import('@hermes/core/checkpoints/checkpoint-store.ts')
    const { openCheckpoints } = await import('@hermes/core/checkpoints/open-checkpoints.ts')
    await chat.whileBusy(async (signal) => {
      try {
        const store = await openCheckpoints(chat.agent.scopes.get(chat.session.id).cwd(), chat.agent)
        await perform(args, { store, chat, signal })
      } catch (error) {
        if (signal.aborted)
          chat.view.print('Interrupted; what was restored so far stays. /rollback shows where things stand.', 'warning')
        else if (error instanceof CheckpointError) chat.view.print(sentence(error.message), 'warning')
        else throw error
      }
    })
  },
}

/** None where they cannot be read: the command itself says why. */
async function checkpointsHere({ agent, session, signal }: Chat): Promise<readonly Checkpoint[]> {
  const { CheckpointError } = await import('@hermes/core/checkpoints/checkpoint-store.ts')
  const { openCheckpoints } = await import('@hermes/core/checkpoints/open-checkpoints.ts')
  try {
    const store = await openCheckpoints(agent.scopes.get(session.id).cwd(), agent)
    return await store.list(signal)
  } catch (error) {
    if (error instanceof CheckpointError) return []
    throw error
  }
}

interface Work {
  readonly store: CheckpointStore
  readonly chat: Chat
  readonly signal: AbortSignal
}

async function perform(args: string, work: Work): Promise<void> {
  const { store, chat, signal } = work
  const checkpoints = await store.list(signal)
  const [, diff, wanted = '', file = ''] = /^(diff\s+)?(\S*)\s*(.*)$/s.exec(args) ?? []
  if (checkpoints.length === 0) {
    const { enabled } = chat.agent.config.checkpoints
    const why = enabled ? 'One is taken before a turn first changes something.' : howToTurnOn
    chat.view.print(`No checkpoints of ${store.folder} yet. ${why}`, 'dim')
  } else if (args === '') {
    chat.view.print(checkpointList(checkpoints, { folder: store.folder, now: chat.agent.clock.now() }))
  } else {
    const chosen = chooseCheckpoint(wanted, checkpoints)
    if (!chosen) {
      const count = checkpoints.length === 1 ? 'is 1' : `are ${checkpoints.length}`
      chat.view.print(`There is no checkpoint "${wanted}": there ${count} (/rollback lists them).`, 'warning')
    } else if (diff) {
      const { summary, patch } = await store.diff(chosen.hash, signal)
      chat.view.print(chat.agent.redactor.redact(diffText(summary, patch)))
    } else await restore(chosen, file, work)
  }
}

const howToTurnOn = 'Turn them on with hermes --checkpoints, or for good: hermes config set checkpoints.enabled true'

async function restore(checkpoint: Checkpoint, file: string, { store, chat, signal }: Work) {
  const { agent, view } = chat
  const { hash, shortHash } = checkpoint
  const path = (file === '' ? '' : await insideFolder(file, store.folder, chat)) || undefined
  const request = { hash, path }
  const plan = await store.planRestore(request, signal)
  if (plan.changed.length + plan.created.length === 0) {
    view.print(`Nothing to restore: ${file === '' ? store.folder : file} is as it was at ${shortHash}.`, 'dim')
    return
  }
  const remove = await consentToRemoval(plan, chat, signal)
  const restored = await store.restore({ ...request, remove }, signal)
  view.print(`${restoredText(restored, checkpoint)}\nTake it back: /rollback 1`, 'ok')
  for (const problem of restored.problems.slice(0, 10)) view.print(`Not restored: ${problem}`, 'warning')
  if (path !== undefined || restored.restored.length + restored.removed.length === 0) return
  const { isBeforeRollback } = await import('@hermes/core/checkpoints/checkpoint-store.ts')
  // Whoever takes a rollback back has taken its turn out already.
  if (isBeforeRollback(checkpoint)) return
  const taken = await removeLastExchange(chat.agent.sessions, chat.session.id)
  if (taken !== undefined) view.print(`Out of the conversation, too: ${oneLine(agent.redactor.redact(taken))}`, 'dim')
}

/** A file as people name it: from where they are, or from the project's topmost folder. */
async function insideFolder(file: string, folder: string, { agent, session }: Chat): Promise<string> {
  const { realEntry } = await import('@hermes/core/security/file-safety-resolve.ts')
  const path = relative(folder, await realEntry(resolve(agent.scopes.get(session.id).cwd(), file)))
  return path.startsWith('..') ? file : path
}

/** Asks before files go that were made since. Resolves to those that may. */
async function consentToRemoval({ created }: RestorePlan, { view }: Chat, signal: AbortSignal) {
  if (created.length === 0) return []
  const count = created.length === 1 ? 'a file' : `${created.length} files`
  const answer = await view.decide(
    {
      kind: 'approval',
      id: randomUUID(),
      subject: created.map((path) => `remove ${path}`).join('\n'),
      reason: `the rollback removes ${count} made since`,
      keys: [],
      choices: ['once', 'deny'],
    },
    signal,
  )
  return answer.kind === 'approval' && answer.choice === 'once' ? created : []
}

function sentence(message: string): string {
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return text.endsWith('.') ? text : `${text}.`
}
