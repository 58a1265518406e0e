import type { PromptNotice } from '../blocks/block.ts'
import { estimateTextTokens } from '../token-estimate.ts'
import { AttachmentError } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { attachedText, typedText } from './attached-text.ts'
import { attachFile } from './file.ts'
import { attachFolder } from './folder.ts'
import { attachCommits, attachDiff, attachStaged } from './git.ts'
import { parseReferences, withoutReferences } from './parse.ts'
import type { Reference, ReferenceKind } from './reference.ts'
import { attachUrl } from './url.ts'

export interface ExpandSources extends AttachmentSources {
  /** The context window of the model that reads the message, tokens. */
  readonly contextLength: () => Promise<number>
}

export interface ExpandedMessage {
  readonly text: string
  /** What was attached, what was not and why. */
  readonly notices: readonly PromptNotice[]
}

/** Most references of one message. */
const maxReferences = 30

/** Parts of the context window: more is told, and more than that is refused. */
const softPart = 0.25
const hardPart = 0.5

type Attach = (reference: Reference, sources: AttachmentSources) => Promise<Attachment>

const attachers: Readonly<Record<ReferenceKind, Attach>> = {
  file: attachFile,
  folder: attachFolder,
  diff: attachDiff,
  staged: attachStaged,
  git: attachCommits,
  url: attachUrl,
}

/**
 * A message with what its @-references name attached to it. Only the first `typedLength` characters are looked at, and
 * nothing that was attached before. When all of it would fill more than half of the context window, the message stays
 * as it is. A message that is stopped meanwhile stays as it is too.
 */
export async function expandReferences(
  text: string,
  typedLength: number,
  sources: ExpandSources,
): Promise<ExpandedMessage> {
  const typed = typedText(text.slice(0, typedLength))
  const references = parseReferences(typed)
  if (references.length === 0) return { text, notices: [] }
  try {
    const results = await Promise.all(unique(references).map((reference, at) => attach(reference, at, sources)))
    const attached = results.filter((result) => result.type === 'attached')
    const warnings = results.flatMap((result) => (result.type === 'failed' ? [result.notice] : []))
    const tokens = attached.reduce((sum, one) => sum + one.tokens, 0)
    const size = await sizeWarning(tokens, sources)
    if (size?.isRefused) return { text, notices: [size.notice] }
    if (size) warnings.push(size.notice)
    const expanded = attachedText({
      typed: withoutReferences(typed, references),
      warnings: warnings.map(({ message }) => message),
      attached: attached.map((one) => one.text),
    })
    const told = attached.map(({ reference, tokens: count }): PromptNotice => {
      return { level: 'info', code: 'reference', message: `Attached ${reference.raw} (about ${count} tokens).` }
    })
    return { text: expanded + text.slice(typed.length), notices: [...told, ...warnings] }
  } catch (error) {
    if (sources.signal.aborted) return { text, notices: [] }
    throw error
  }
}

type Result =
  | { readonly type: 'attached'; readonly reference: Reference; readonly text: string; readonly tokens: number }
  | { readonly type: 'failed'; readonly notice: PromptNotice }

async function attach(reference: Reference, at: number, sources: AttachmentSources): Promise<Result> {
  const { raw, kind } = reference
  try {
    if (at >= maxReferences) throw new AttachmentError('too-large', `a message has at most ${maxReferences} of them`)
    const { icon, text } = await attachers[kind](reference, sources)
    const tokens = estimateTextTokens(text)
    return { type: 'attached', reference, tokens, text: `${icon} ${raw} (${tokens} tokens)\n${text}` }
  } catch (error) {
    if (!(error instanceof AttachmentError)) throw error
    const message = `${raw} is not attached: ${error.message.replace(/\.$/, '')}.`
    return { type: 'failed', notice: { level: 'warning', code: `reference-${error.code}`, message } }
  }
}

async function sizeWarning(
  tokens: number,
  { contextLength }: ExpandSources,
): Promise<{ readonly isRefused: boolean; readonly notice: PromptNotice } | undefined> {
  const window = await contextLength()
  if (tokens <= window * softPart) return undefined
  const isRefused = tokens > window * hardPart
  const fact = `about ${tokens} tokens are attached, of a context window of ${window}`
  const message = isRefused
    ? `Nothing is attached: ${fact.replace('are', 'would be')}, more than half. Name lines (@file:PATH:1-200) or smaller files.`
    : `Much is attached: ${fact}.`
  return { isRefused, notice: { level: 'warning', code: 'reference-size', message } }
}

function unique(references: readonly Reference[]): readonly Reference[] {
  return [...new Map(references.map((reference) => [reference.raw, reference])).values()]
}
