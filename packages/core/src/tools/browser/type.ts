import { z } from 'zod'
import { BrowserError } from '../../browser/browser-error.ts'
import { fill, isFileField } from '../../browser/page/fill.ts'
import { giveFile } from '../../browser/upload.ts'
import { askConsent } from '../../security/consent/consent.ts'
import { fileRules } from '../../security/file-safety.ts'
import { defineTool, jsonResult } from '../tool.ts'
import type { ToolContext } from '../tool.ts'
import { withPage } from './browser-call.ts'
import { ref } from './ref.ts'

const input = z.object({
  ref,
  text: z.string().describe('For a list the choice; for a file input the path; for a date 2026-03-31'),
})

export const browserType = defineTool({
  name: 'browser_type',
  toolset: 'browser',
  description: 'Write a text into a field of the page, in place of what is there. Does not send the form.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ ref: wanted }) => wanted,
  async run({ ref: wanted, text: written }, context) {
    const { text, refusal } = await revealed(written, context)
    if (refusal !== undefined) return jsonResult({ success: false, error: refusal }, 'denied')
    return withPage(context, async ({ browser, page, signal, loadMs }) => {
      const element = page.element(wanted)
      const answer = { element: `@${element.ref}` }
      if (await isFileField(element, signal)) {
        const file = await giveFile(
          element,
          { path: written, rules: fileRules(context), filesDir: browser.browser.filesDir },
          signal,
        )
        await page.settle(signal, loadMs)
        return { ...answer, typed: file.path, file_bytes: file.bytes }
      }
      const kind = await fill(page, { element, text }, signal)
      await page.settle(signal, loadMs)
      // What is typed where nobody shall read it is not repeated.
      return { ...answer, typed: kind === 'password' ? '••••' : written }
    })
  },
})

/** What the model has only seen hidden is put back, where the person agrees that a page gets it. */
async function revealed(
  written: string,
  context: ToolContext,
): Promise<{ readonly text: string; readonly refusal?: string }> {
  const { text, revealed: secrets, unknown } = context.agent.redactor.reveal(written)
  if (unknown.length > 0) {
    throw new BrowserError('not-usable', `Nothing is known of ${unknown.join(', ')}: it cannot be typed.`)
  }
  if (secrets.length === 0) return { text }
  const consent = await askConsent(
    {
      kind: 'tool',
      subject: `browser_type ${written}`,
      dangers: [{ key: 'secret given to a web page', permanent: false }],
    },
    context,
  )
  return consent.allowed ? { text } : { text, refusal: consent.message }
}
