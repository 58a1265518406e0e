import { randomUUID } from 'node:crypto'
import { CheckpointError, isBeforeRollback } from '@hermes/core/checkpoints/checkpoint-store.ts'
import type { Checkpoint, CheckpointStore, RestorePlan } from '@hermes/core/checkpoints/checkpoint-store.ts'
import { checkpointList, chooseCheckpoint, diffText, restoredText } from '@hermes/core/checkpoints/rollback-text.ts'
import { removeLastExchange } from '@hermes/core/sessions/last-exchange.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { betweenTurns, currentSession, nothingYet } from './current-session.ts'

export const rollback: ChatCommand = {
  name: 'rollback',
  args: '[N | diff N]',
  options: [
    { name: 'diff', about: 'Only show what has changed since', kind: 'flag', word: 'diff' },
    { name: 'checkpoint', about: 'Its number or id; they are listed without' },
  ],
  summary: 'List the checkpoints of the folder I work in; go back to one, or show what has changed since',
  async run(call) {
    return betweenTurns(call, async (signal) => {
      const session = await currentSession(call)
      if (!session) return nothingYet
      const { openCheckpoints } = await import('@hermes/core/checkpoints/open-checkpoints.ts')
      try {
        const store = await openCheckpoints(call.agent.scopes.get(session.id).cwd(), call.agent)
        return call.agent.redactor.redact(await perform({ store, call, sessionId: session.id, signal }))
      } catch (error) {
        if (error instanceof CheckpointError) return `${error.message.replace(/\.$/, '')}.`
        throw error
      }
    })
  },
}

/** Consent for good to what this command removes; its beginning tells faces that a slash command asks. */
const removalKey = 'slash:rollback'

interface Work {
  readonly store: CheckpointStore
  readonly call: CommandCall
  readonly sessionId: string
  readonly signal: AbortSignal
}

async function perform(work: Work): Promise<string> {
  const { store, call, signal } = work
  const { args, agent } = call
  const checkpoints = await store.list(signal)
  if (checkpoints.length === 0) {
    const why = agent.config.checkpoints.enabled
      ? 'One is taken before a turn first changes something.'
      : 'Turn them on where I run: hermes config set checkpoints.enabled true'
    return `No checkpoints of ${store.folder} yet. ${why}`
  }
  if (args === '') return checkpointList(checkpoints, { folder: store.folder, now: agent.clock.now() })
  const [, diff, wanted = ''] = /^(diff\s+)?(\S+)$/.exec(args) ?? []
  const chosen = chooseCheckpoint(wanted, checkpoints)
  if (!chosen) return `There is no checkpoint "${args}": /rollback lists the ${checkpoints.length} that there are.`
  if (!diff) return restore(chosen, work)
  const { summary, patch } = await store.diff(chosen.hash, signal)
  return diffText(summary, patch)
}

async function restore(checkpoint: Checkpoint, { store, call, sessionId, signal }: Work): Promise<string> {
  const { hash, shortHash } = checkpoint
  const plan = await store.planRestore({ hash }, signal)
  if (plan.changed.length + plan.created.length === 0) {
    return `Nothing to restore: ${store.folder} is as it was at ${shortHash}.`
  }
  const remove = await consentToRemoval(plan, { call, sessionId, signal })
  const restored = await store.restore({ hash, remove }, signal)
  const lines = [
    restoredText(restored, checkpoint),
    'Take it back: /rollback 1',
    ...restored.problems.slice(0, 10).map((problem) => `Not restored: ${problem}`),
  ]
  const isUnchanged = restored.restored.length + restored.removed.length === 0
  // Whoever takes a rollback back has taken its turn out already.
  if (isUnchanged || isBeforeRollback(checkpoint)) return lines.join('\n')
  const taken = await removeLastExchange(call.agent.sessions, sessionId)
  return [...lines, ...(taken === undefined ? [] : [`Out of the conversation, too: ${oneLine(taken)}`])].join('\n')
}

/** Asks before files go that were made since. Resolves to those that may. */
async function consentToRemoval(
  { created }: RestorePlan,
  { call, sessionId, signal }: Omit<Work, 'store'>,
): Promise<readonly string[]> {
  const { allowlist } = call.agent.scopes.get(sessionId)
  if (created.length === 0 || allowlist.has(removalKey)) return created
  const count = created.length === 1 ? 'a file' : `${created.length} files`
  const decide = call.chats.decideIn(call.message, call.sessionKey, signal)
  const answer = await decide(
    {
      kind: 'approval',
      id: randomUUID(),
      subject: created.map((path) => `remove ${path}`).join('\n'),
      reason: `the rollback removes ${count} made since`,
      keys: [removalKey],
      choices: ['once', 'always', 'deny'],
    },
    signal,
  )
  const choice = answer.kind === 'approval' ? answer.choice : 'deny'
  if (choice === 'always') await allowlist.add([removalKey])
  return choice === 'once' || choice === 'always' ? created : []
}
