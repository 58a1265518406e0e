import { nobody } from '@hermes/core/agent/decision.ts'
import type { Conversation } from '../conversation.ts'
import { openConversation } from '../conversation.ts'
import { decisionTimeoutMs } from '../decision-timeout.ts'
import { ownErrors } from '../own-errors.ts'
import type { ReplOptions } from '../repl-options.ts'
import { LineInput } from './line-input.ts'
import { LineQuestions } from './line-questions.ts'
import { plainView } from './plain-view.ts'

const exitCodes = { completed: 0, failed: 1, incomplete: 3, cancelled: 130 } as const

/**
 * Leads a conversation line by line, for scripts and for terminals that can do no more. From a script every line is a
 * message or a command, one after the other, and nobody is asked. Resolves to the exit code: for a script, that of its
 * last turn.
 */
export async function runPlainFace(options: ReplOptions): Promise<number> {
  const { cli, firstMessage } = options
  const input = new LineInput(cli)
  const close = () => input.close()
  const giveErrorsBack = ownErrors(cli.stdout, close)
  cli.signal.addEventListener('abort', close)
  input.prompt('> ')
  try {
    const agent = await options.openAgent()
    const questions = new LineQuestions({
      timeoutMs: (kind) => decisionTimeoutMs(kind, agent),
      write: (text) => cli.stderr.write(text),
      setHidden: (hidden) => input.setHidden(hidden),
    })
    const view = plainView(cli, input.isAttended ? questions.decide : nobody)
    const conversation = await openConversation(options, agent, view)
    input.onInterrupt(() => conversation.interrupt() || input.close())
    void conversation.left.then(close)
    try {
      if (firstMessage) conversation.send(firstMessage)
      if (!input.isAttended) await conversation.idle()
      await takeLines(input, conversation, questions)
    } finally {
      // The end of the input leaves the cursor behind the prompt.
      if (input.isAttended && !conversation.isLeft) cli.stderr.write('\n')
      const resumable = await conversation.close()
      if (resumable && input.isAttended) cli.stderr.write(`Go on with this session: hermes --resume ${resumable}\n`)
    }
    if (cli.signal.aborted) return 130
    return input.isAttended ? 0 : exitCodes[conversation.lastStatus ?? 'completed']
  } finally {
    cli.signal.removeEventListener('abort', close)
    input.close()
    giveErrorsBack()
  }
}

/** Lines until there are no more. A backslash at the end of a line joins the next one to it. */
async function takeLines(input: LineInput, conversation: Conversation, questions: LineQuestions): Promise<void> {
  let begun = ''
  let prompting: Promise<void> | undefined
  const promptWhenIdle = () => {
    prompting ??= conversation.idle().then(() => {
      prompting = undefined
      input.prompt('> ')
    })
  }
  for (let next = await input.lines.next(); !next.done && !conversation.isLeft; next = await input.lines.next()) {
    const line = next.value
    if (questions.answer(line)) continue
    if (line.endsWith('\\')) {
      begun += `${line.slice(0, -1)}\n`
      input.prompt('. ')
      continue
    }
    const text = `${begun}${line}`.trim()
    begun = ''
    if (text !== '') conversation.submit(text)
    if (input.isAttended) promptWhenIdle()
    else await conversation.idle()
  }
}
