import { z } from 'zod'
import type { ProcessInfo, TrackedProcess } from '../terminals/processes.ts'
import { presentOutput } from './tool-output.ts'
import { defineTool, jsonResult, type ToolContext, type ToolResult } from './tool.ts'

const input = z.object({
  action: z.enum(['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close']),
  session_id: z.string().optional().describe('From terminal; for all actions but list'),
  data: z.string().optional().describe('Text for write (as it is) or submit (with Enter)'),
  timeout: z.int().min(1).optional().describe('Most seconds to wait'),
  offset: z.int().min(0).optional().describe('First line of log; default: the last lines'),
  limit: z.int().min(1).default(200).describe('Most lines of log'),
})

type Args = z.infer<typeof input>

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  description:
    'Follow background processes started by terminal: list them; poll state and new output; log for all output; wait for the end; kill; write or submit input; close it.',
  input,
  concurrency: 'exclusive',
  preview: ({ action, session_id: id }) => [action, id].filter((part) => part !== undefined).join(' '),
  async run(args, context) {
    context.session.fileReads.otherToolRan()
    const { processes } = context.session
    if (args.action === 'list') return list(await processes.list(), context)
    const { session_id: id } = args
    if (id === undefined || id === '') {
      return jsonResult({ status: 'error', error: `session_id is required for ${args.action}` }, 'error')
    }
    const process = await processes.find(id)
    if (!process) {
      return jsonResult(
        { status: 'not_found', error: `There is no background process ${id}; list shows them.` },
        'error',
      )
    }
    return actions[args.action](process, args, context)
  },
})

type Action = (process: TrackedProcess, args: Args, context: ToolContext) => ToolResult | Promise<ToolResult>

const actions: Readonly<Record<Exclude<Args['action'], 'list'>, Action>> = {
  poll(process, _, context) {
    process.markSeen()
    const { info } = process
    return jsonResult({
      session_id: info.id,
      command: context.agent.redactor.redact(info.command),
      status: info.status,
      pid: info.pid,
      uptime_seconds: uptime(info, context),
      output_preview: lastOutput(process, 1000, context),
      ...ending(info),
    })
  },

  log(process, { offset, limit }, context) {
    process.markSeen()
    const { id, status } = process.info
    const lines = presentOutput(process.output(), context.agent.redactor).split('\n')
    const total = lines.length === 1 && lines[0] === '' ? 0 : lines.length
    const first = offset !== undefined && offset > 0 ? offset : Math.max(0, total - limit)
    const shown = lines.slice(first, first + limit)
    return jsonResult({
      session_id: id,
      status,
      output: shown.join('\n'),
      total_lines: total,
      showing: `${total === 0 ? 0 : shown.length} lines`,
      ...ending(process.info),
    })
  },

  async wait(process, { timeout }, context) {
    const most = context.agent.config.terminal.timeout
    const seconds = Math.min(timeout ?? most, most)
    const note =
      timeout !== undefined && timeout > most
        ? { timeout_note: `waited ${most} seconds, the most there is, not ${timeout}` }
        : {}
    const hasEnded = await process.wait(seconds * 1000, context.signal)
    if (!hasEnded) {
      const timeoutNote = { timeout_note: `waited ${seconds} seconds; the process goes on`, ...note }
      return jsonResult({ status: 'timeout', output: lastOutput(process, 1000, context), ...timeoutNote })
    }
    process.markSeen()
    return jsonResult({
      status: 'exited',
      output: lastOutput(process, 2000, context),
      ...ending(process.info),
      ...note,
    })
  },

  async kill(process) {
    const { id } = process.info
    const isKilled = await process.kill()
    return jsonResult({ status: isKilled ? 'killed' : 'already_exited', session_id: id, ...ending(process.info) })
  },

  write: (process, { data = '' }) => sent(process, data),
  submit: (process, { data = '' }) => sent(process, `${data}\n`),

  close(process) {
    if (process.info.status === 'exited') return alreadyExited(process)
    process.closeInput()
    return jsonResult({ status: 'ok', message: 'its standard input is closed' })
  },
}

function list(processes: readonly TrackedProcess[], context: ToolContext): ToolResult {
  return jsonResult({
    processes: processes.map((process) => {
      const { info } = process
      return {
        session_id: info.id,
        command: context.agent.redactor.redact(info.command).slice(0, 200),
        cwd: info.cwd,
        pid: info.pid,
        started_at: localTime(info.startedAt, context),
        uptime_seconds: uptime(info, context),
        status: info.status,
        output_preview: lastOutput(process, 200, context),
        ...ending(info),
      }
    }),
  })
}

function sent(process: TrackedProcess, data: string): ToolResult {
  if (process.info.status === 'exited') return alreadyExited(process)
  process.write(data)
  return jsonResult({ status: 'ok', bytes_written: Buffer.byteLength(data) })
}

function alreadyExited({ info }: TrackedProcess): ToolResult {
  return jsonResult({ status: 'already_exited', error: 'The process has ended.', ...ending(info) }, 'error')
}

function ending({ exitCode, detached }: ProcessInfo): Record<string, unknown> {
  return {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(detached
      ? { detached: true, note: 'started by an earlier run: its output is not known, it can be killed' }
      : {}),
  }
}

function lastOutput(process: TrackedProcess, chars: number, { agent }: ToolContext): string {
  // Redacted before it is cut, so that no half of a secret is left.
  return presentOutput(process.output().slice(-20_000), agent.redactor).slice(-chars).toWellFormed()
}

function uptime({ startedAt, endedAt }: ProcessInfo, { agent }: ToolContext): number {
  return Math.max(0, Math.round(((endedAt ?? agent.clock.now()) - startedAt) / 1000))
}

/** e.g. `2026-05-09T07:30:33`, in the profile's time zone. */
function localTime(ms: number, { agent }: ToolContext): string {
  // The Swedish form of date and time is ISO 8601 but for the T.
  return new Date(ms).toLocaleString('sv-SE', { timeZone: agent.clock.timeZone }).replace(' ', 'T')
}
