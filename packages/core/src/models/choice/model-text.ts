import type { ResolvedModel } from '../model.ts'
import { pricePerMillion } from '../cost-text.ts'
import { formatCount } from '../../text/token-count.ts'
import type { ListedModel } from './listed-models.ts'

/** `Model: openrouter/anthropic/… · context 1M tokens · images, reasoning · $5 in, $25 out for a million tokens`. */
export function modelLine({ provider, model, contextLength, baseUrl }: ResolvedModel, known?: ListedModel): string {
  const parts = [
    `Model: ${provider.name}/${model}`,
    `context ${formatCount(contextLength)} tokens`,
    known && abilities(known),
    known?.prices && `${priceCell(known)} for a million tokens`,
    baseUrl,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** What it can do beyond text and tools. */
export function abilities({ tools, images, reasoning }: ListedModel): string {
  const can = [images && 'images', reasoning && 'reasoning', tools === false && 'no tools']
  return can.filter(Boolean).join(', ')
}

/** `$5 in, $25 out`; nothing where it is not known. */
export function priceCell({ prices }: ListedModel): string {
  if (!prices) return ''
  if (prices.input === 0 && prices.output === 0) return 'free'
  return `${pricePerMillion(prices.input)} in, ${pricePerMillion(prices.output)} out`
}

export const modelHeadings = ['Model', 'Context', 'Answer', 'Price a million', 'Can'] as const

/** One row of a list. */
export function modelCells(model: ListedModel): string[] {
  const { provider, id, contextLength, maxOutputTokens } = model
  const count = (tokens: number | undefined) => (tokens === undefined ? '' : formatCount(tokens))
  return [`${provider}/${id}`, count(contextLength), count(maxOutputTokens), priceCell(model), abilities(model)]
}
