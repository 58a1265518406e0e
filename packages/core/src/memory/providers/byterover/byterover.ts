import { z } from 'zod'
import type { TranscriptMessage } from '../../../models/transcript.ts'
import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { findBrv } from './find-brv.ts'
import { createBrv, notInstalled } from './run-brv.ts'
import type { RunBrv } from './run-brv.ts'

/** A query is fast; what is kept is sorted in by a model. */
const timeouts = { query: 10_000, curate: 120_000, curateLater: 20_000, status: 15_000 }

const maxQueryChars = 5_000
const maxTurnChars = 2_000
const maxResultChars = 8_000

/** Shorter messages ask for nothing, and shorter answers say nothing. */
const leastQueryChars = 10
const leastAnswerChars = 20

/** Last messages that are kept before a summary takes their place, and characters of each. */
const keptMessages = 10
const keptChars = 500

/** ByteRover: a tree of knowledge on this machine, by the program `brv`. */
export const byterover: MemoryProviderKind = {
  name: 'byterover',
  summary: 'ByteRover: a tree of knowledge on this machine, kept by its own program',
  fields: [
    {
      key: 'api_key',
      description: 'ByteRover API key; only for keeping the tree in the cloud as well',
      isSecret: true,
      url: 'https://app.byterover.dev',
      variable: 'BRV_API_KEY',
    },
  ],
  async available({ environment }) {
    return (await findBrv(environment)) === undefined ? notInstalled : true
  },
  async open(start) {
    return openProvider(start)
  },
  async check(start, signal) {
    return createBrv(start)({ args: ['status'], timeoutMs: timeouts.status }, signal)
  },
}

function openProvider(start: MemoryProviderStart): MemoryProvider {
  const brv = createBrv(start)
  const isKept = start.role === 'primary'
  return {
    name: 'byterover',
    tools: tools(brv),
    promptBlock: () =>
      [
        '# ByteRover memory',
        'A tree of knowledge over all sessions. What bears on a message is recalled by itself; ask it more with brv_query, keep facts with brv_curate.',
      ].join('\n'),
    async recall(message, signal) {
      signal.throwIfAborted()
      if (message.trim().length < leastQueryChars) return ''
      const answer = await query(brv, message, signal)
      return answer.length < leastAnswerChars
        ? ''
        : `## ByteRover context\n${answer.slice(0, maxResultChars).toWellFormed()}`
    },
    async keepTurn({ user, assistant }, signal) {
      if (!isKept || user.trim().length < leastQueryChars) return
      await curateLater(brv, `User: ${short(user, maxTurnChars)}\nAssistant: ${short(assistant, maxTurnChars)}`, signal)
    },
    async keepNote({ target, content }, signal) {
      if (isKept) await curateLater(brv, `[${target === 'user' ? 'User profile' : 'Agent memory'}] ${content}`, signal)
    },
    async beforeCompression(messages, signal) {
      const lines = isKept ? messages.slice(-keptMessages).flatMap(lineOf) : []
      if (lines.length > 0) await curateLater(brv, `[Before a summary]\n${lines.join('\n')}`, signal)
      return ''
    },
  }
}

function tools(brv: RunBrv): MemoryProvider['tools'] {
  return [
    defineProviderTool({
      name: 'brv_query',
      description: "Ask ByteRover's tree of knowledge: facts, decisions and patterns of earlier sessions.",
      concurrency: 'parallel',
      input: z.object({ query: z.string().trim().min(1).describe('What to look for') }),
      async run(args, signal) {
        const answer = await query(brv, args.query, signal)
        if (answer.length < leastAnswerChars) return { result: 'No relevant memories found.' }
        const isLong = answer.length > maxResultChars
        return { result: isLong ? `${short(answer, maxResultChars)}\n\n[... truncated]` : answer }
      },
    }),
    defineProviderTool({
      name: 'brv_curate',
      description: "Keep something in ByteRover's tree of knowledge, which sorts it in by itself.",
      concurrency: 'exclusive',
      input: z.object({ content: z.string().trim().min(1).describe('What to remember') }),
      async run({ content }, signal) {
        await curate(brv, content, signal)
        return { result: 'Memory curated successfully.' }
      },
    }),
    defineProviderTool({
      name: 'brv_status',
      description: 'How ByteRover stands: version, tree, cloud.',
      concurrency: 'parallel',
      input: z.object({}),
      run: async (_args, signal) => ({ status: await brv({ args: ['status'], timeoutMs: timeouts.status }, signal) }),
    }),
  ]
}

// Behind `--` nothing is taken for an option, however it begins.
function query(brv: RunBrv, text: string, signal: AbortSignal): Promise<string> {
  return brv(
    { args: ['query', '--', asArgument(short(text.trim(), maxQueryChars))], timeoutMs: timeouts.query },
    signal,
  )
}

function curate(brv: RunBrv, text: string, signal: AbortSignal): Promise<string> {
  return brv({ args: ['curate', '--', asArgument(text)], timeoutMs: timeouts.curate }, signal)
}

/** Leaves the sorting in to its background service. */
async function curateLater(brv: RunBrv, text: string, signal: AbortSignal): Promise<void> {
  await brv({ args: ['curate', '--detach', '--', asArgument(text)], timeoutMs: timeouts.curateLater }, signal)
}

/** No system takes an argument with a NUL in it, and Linux none of more than 128 KiB. */
function asArgument(text: string): string {
  return short(text.replaceAll('\0', ''), 30_000)
}

function short(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed()
}

function lineOf(message: TranscriptMessage): readonly string[] {
  if (message.role !== 'user' && message.role !== 'assistant') return []
  const text = message.content.trim()
  return text === '' ? [] : [`${message.role}: ${short(text, keptChars)}`]
}
