import { z } from 'zod'
import { BrowserError } from '../../browser/browser-error.ts'
import { shownValue } from '../../browser/page/console-log.ts'
import type { Page } from '../../browser/page/page.ts'
import { defineTool } from '../tool.ts'
import { withPage } from './browser-call.ts'

const input = z.object({
  clear: z.boolean().default(false).describe('Forget the messages after this'),
  expression: z.string().optional().describe('JavaScript to evaluate in the page, e.g. document.title'),
})

const maxResultChars = 20_000
/** What is taken from the page, so that it can be let go. */
const resultGroup = 'hermes-result'

const evaluated = z.looseObject({
  result: z.looseObject({
    type: z.string(),
    subtype: z.string().optional(),
    value: z.unknown().optional(),
    description: z.string().optional(),
    unserializableValue: z.string().optional(),
    objectId: z.string().optional(),
  }),
  exceptionDetails: z
    .looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() })
    .optional(),
})

export const browserConsole = defineTool({
  name: 'browser_console',
  toolset: 'browser',
  description:
    "Read the page's console messages and script errors, or evaluate an expression in the page, e.g. to read what no snapshot shows.",
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ expression }) => expression ?? 'console',
  async run({ clear, expression }, context) {
    return withPage(context, async ({ page, signal, loadMs }) => {
      if (expression !== undefined) {
        const result = await evaluate(page, expression, signal)
        await page.settle(signal, loadMs)
        return result
      }
      const { messages, errors } = page.console
      const answer = {
        console_messages: [...messages],
        js_errors: [...errors],
        total_messages: messages.length,
        total_errors: errors.length,
      }
      if (clear) page.console.clear()
      return answer
    })
  },
})

async function evaluate(page: Page, expression: string, signal: AbortSignal) {
  let answer: z.infer<typeof evaluated> | undefined
  await page.act(
    valueOf(page, expression, signal).then((value) => {
      answer = value
    }),
  )
  if (!answer) return { result: null, result_type: 'undefined', note: 'The page asks something first.' }
  const { result, exceptionDetails } = answer
  if (exceptionDetails) {
    throw new BrowserError('script', exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
  const text = JSON.stringify(result.value) ?? ''
  const isLong = text.length > maxResultChars
  const value = isLong ? `${text.slice(0, maxResultChars).toWellFormed()}… (cut)` : (result.value ?? shownValue(result))
  return { result: value, result_type: result.subtype ?? result.type }
}

/** What an expression comes to; of a promise, what that does. */
async function valueOf(page: Page, expression: string, signal: AbortSignal) {
  const send = (method: string, params: Readonly<Record<string, unknown>>) =>
    page.session.send(method, params, evaluated, { signal })
  const options = { awaitPromise: true, userGesture: true, replMode: true, objectGroup: resultGroup }
  const answer = await send('Runtime.evaluate', { ...options, expression })
  const { objectId, subtype } = answer.result
  if (objectId === undefined || subtype === 'node' || answer.exceptionDetails) return answer
  try {
    if (subtype === 'promise') {
      return await send('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true })
    }
    const params = { objectId, functionDeclaration: 'function () { return this }', returnByValue: true }
    const { result, exceptionDetails } = await send('Runtime.callFunctionOn', params)
    return { ...answer, result: { ...answer.result, value: result.value }, exceptionDetails }
  } finally {
    const released = page.session.send('Runtime.releaseObjectGroup', { objectGroup: resultGroup }, z.unknown(), {
      signal,
    })
    // A page that is gone holds nothing.
    await released.catch(() => undefined)
  }
}
