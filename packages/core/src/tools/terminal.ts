import { z } from 'zod'
import type { Terminal } from '../terminals/terminal.ts'
import { exitCodeMeaning } from './exit-code-meaning.ts'
import { withSudoPassword } from './sudo-password.ts'
import { createOutputProgress, presentOutput } from './tool-output.ts'
import { defineTool, jsonResult, type ToolContext, type ToolResult, type ToolStatus } from './tool.ts'

/** Most characters of a command's output that the model gets; of more it gets head and tail. */
const maxOutputChars = 50_000

const input = z.object({
  command: z.string().min(1).describe('Run by bash'),
  background: z.boolean().default(false).describe('Return at once; follow it with process'),
  timeout: z.int().min(1).optional().describe('Seconds, foreground only'),
  workdir: z.string().optional().describe('For this command only; default: where the last one ended'),
  pty: z.boolean().default(false).describe('Pseudo-terminal for an interactive program, background only'),
  notify_on_complete: z.boolean().default(false).describe('Tell me when it ends, background only'),
  watch_patterns: z
    .array(z.string())
    .optional()
    .describe('Tell me of output lines that hold one of these, background only'),
})

type Args = z.infer<typeof input>

export const terminal = defineTool({
  name: 'terminal',
  toolset: 'terminal',
  description:
    'Run a shell command. Directory and exported variables last from call to call. Standard input is empty. Use the file tools to read, search and edit files. Run servers and anything long with background.',
  input,
  concurrency: 'exclusive',
  preview: ({ command }) => command,
  async run(args, context) {
    context.session.fileReads.otherToolRan()
    const refused = refusal(args, context)
    if (refused !== undefined) return failure(refused, 'error')
    try {
      return await runApproved(args, context)
    } catch (error) {
      context.signal.throwIfAborted()
      const message = error instanceof Error ? error.message : String(error)
      return failure(context.agent.redactor.redact(message), 'error')
    }
  },
})

/** Why a call is not even tried. */
function refusal({ command, background, timeout, workdir }: Args, { agent }: ToolContext): string | undefined {
  if (command.includes('\0')) return 'The command has a NUL character in it, which no shell takes.'
  // What could be taken for a part of a command has no place in a path.
  // oxlint-disable-next-line no-control-regex
  if (workdir !== undefined && /[\x00-\x1f\x7f;&|`$<>"'\\*?!#]/.test(workdir)) {
    return 'workdir must be a plain path, without quotes, variables or other shell syntax.'
  }
  const most = agent.config.terminal.max_foreground_timeout
  if (!background && timeout !== undefined && timeout > most) {
    return `timeout is ${timeout} seconds, and a foreground command gets at most ${most}. Use background with notify_on_complete for longer ones.`
  }
  return undefined
}

async function runApproved(asked: Args, context: ToolContext): Promise<ToolResult> {
  // What the model has only seen hidden is put back, since it means the secret.
  const { text: command, revealed, unknown } = context.agent.redactor.reveal(asked.command)
  if (unknown.length > 0) return failure(`${unknown.join(', ')} is not known any more: read it again.`, 'error')
  const args = { ...asked, command }
  // Opened while the command is judged, which the first call of a session takes a while for.
  const opening = context.session.terminal()
  // A failure is told where the terminal is awaited.
  opening.catch(() => undefined)
  // Judging commands takes a parser and its rules, which most turns do not need.
  const { approveCommand } = await import('../security/commands/approve-command.ts')
  const consent = await approveCommand({ ...args, revealed }, context)
  if (!consent.allowed) return failure(consent.message, 'denied')
  const approval = consent.note === undefined ? {} : { approval: consent.note }
  return args.background ? inBackground(args, approval, context) : inForeground(args, approval, context, await opening)
}

async function inForeground(args: Args, approval: object, context: ToolContext, shell: Terminal): Promise<ToolResult> {
  const { command, timeout, workdir } = args
  const { agent, signal } = context
  const seconds = timeout ?? agent.config.terminal.timeout
  const { command: prepared, stdin } = await withSudoPassword(command, context)
  const progress = createOutputProgress(agent.redactor, context.progress)
  try {
    const onOutput = (text: string) => progress.push(text)
    const timeoutMs = seconds * 1000
    const result = await shell.run(prepared, { workdir, timeoutMs, stdin, maxOutputChars, onOutput, signal })
    const output = presentOutput(result.output, agent.redactor)
    const meaning = await exitCodeMeaning(command, result.exitCode)
    const notes = result.timedOut
      ? [output, `[The command did not end within ${seconds} seconds and was killed.]`]
      : [output]
    return jsonResult(
      {
        output: notes.filter((note) => note !== '').join('\n'),
        exit_code: result.exitCode,
        error: null,
        ...approval,
        ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
      },
      result.exitCode === 0 || meaning !== undefined ? 'ok' : 'error',
    )
  } finally {
    progress.stop()
  }
}

async function inBackground(args: Args, approval: object, { session }: ToolContext): Promise<ToolResult> {
  const { command, workdir, notify_on_complete: notifyOnComplete, watch_patterns: watchPatterns = [] } = args
  // `--with-token` reads to the end of its input, which a pseudo-terminal does not have.
  const refusesPty = args.pty && /\bgh\s+auth\s+login\b.*--with-token/.test(command)
  const pty = args.pty && !refusesPty
  const started = await session.processes.start({ command, workdir, pty, notifyOnComplete, watchPatterns })
  const { id, pid } = started.info
  const note = refusesPty
    ? 'No pseudo-terminal: the command reads a token from its standard input.'
    : 'No pseudo-terminal is to be had on this machine; the command runs with plain pipes.'
  return jsonResult({
    output: 'Background process started',
    session_id: id,
    pid,
    exit_code: 0,
    error: null,
    ...approval,
    ...(args.pty && !started.info.pty ? { pty_note: note } : {}),
    ...(notifyOnComplete ? { notify_on_complete: true } : {}),
    ...(watchPatterns.length > 0 ? { watch_patterns: watchPatterns } : {}),
  })
}

function failure(error: string, status: Extract<ToolStatus, 'error' | 'denied'>): ToolResult {
  const word = status === 'denied' ? 'blocked' : 'error'
  return jsonResult({ output: '', exit_code: -1, error, status: word }, status)
}
