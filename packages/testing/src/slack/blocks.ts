import { SlackRefusal, textOf } from './world.ts'
import type { Fields } from './world.ts'

/** Limits of https://docs.slack.dev/reference/block-kit */
const maxBlocks = 50
const maxText = 3_000
const maxAllText = 12_000
const maxElements = 25
const maxLabel = 75
const maxValue = 2_000

/** The blocks of a call, refused as the service refuses them. */
export function readBlocks(value: unknown): readonly Fields[] {
  const blocks = parsed(value)
  if (blocks.length > maxBlocks) throw invalid('no more than 50 items allowed')
  let size = 0
  for (const block of blocks) {
    if (block['type'] === 'section') size += checkText(block['text'], maxText)
    else if (block['type'] === 'actions') checkActions(block)
    else throw invalid(`unsupported type: ${String(block['type'])}`)
  }
  if (size > maxAllText) throw new SlackRefusal('msg_blocks_too_long')
  return blocks
}

/** Buttons of a message, in order. */
export function buttonsOf(blocks: readonly Fields[]): readonly Fields[] {
  return blocks.flatMap((block) => (block['type'] === 'actions' ? (block['elements'] as readonly Fields[]) : []))
}

function checkActions(block: Fields): void {
  const elements = (block['elements'] ?? []) as readonly Fields[]
  if (elements.length === 0 || elements.length > maxElements) throw invalid('1 to 25 elements')
  const ids = elements.map((element) => element['action_id'])
  if (new Set(ids).size < ids.length) throw invalid('`action_id` already exists')
  for (const element of elements) {
    checkText(element['text'], maxLabel)
    if (textOf(element['value']).length > maxValue) throw invalid('value is longer than 2000')
  }
}

function checkText(value: unknown, most: number): number {
  const text = textOf((value as Fields | undefined)?.['text'])
  if (text.length === 0 || text.length > most) throw invalid(`must be less than ${most + 1} characters`)
  return text.length
}

function parsed(value: unknown): readonly Fields[] {
  if (value === undefined || value === '') return []
  try {
    const blocks: unknown = typeof value === 'string' ? JSON.parse(value) : value
    if (Array.isArray(blocks)) return blocks as readonly Fields[]
  } catch {
    throw new SlackRefusal('invalid_blocks_format')
  }
  throw new SlackRefusal('invalid_blocks_format')
}

function invalid(why: string): SlackRefusal {
  return new SlackRefusal('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${why}`] } })
}
