import type { CallToolResult, ContentBlock, ResourceContents } from '@modelcontextprotocol/client'
import type { AgentContext } from '../agent/context.ts'
import { jsonResult, type ToolResult } from '../tools/tool.ts'
import { cleanText } from './clean-error.ts'
import { keepMedia } from './keep-media.ts'

type ResultContext = Pick<AgentContext, 'home' | 'redactor'>

/** A server's result as the model reads it: text and structure as they are, pictures and sound as files. */
export async function resultOf(result: CallToolResult, context: ResultContext): Promise<ToolResult> {
  const text = await contentText(result.content ?? [], context)
  const { redactor } = context
  if (result.isError) {
    return jsonResult({ error: cleanText(text, redactor) || 'The server says that it failed, and not why.' }, 'error')
  }
  const structured = result.structuredContent
  if (structured === undefined) return clean({ result: text }, context)
  return clean(
    saysTheSame(text, structured) ? { result: structured } : { result: text, structuredContent: structured },
    context,
  )
}

/** Blocks of content as one text. */
export async function contentText(blocks: readonly ContentBlock[], context: ResultContext): Promise<string> {
  const parts: string[] = []
  for (const block of blocks) parts.push(await blockText(block, context))
  return parts.join('\n')
}

/** A resource as text. */
export async function resourceText(resource: ResourceContents, { home }: ResultContext): Promise<string> {
  if ('text' in resource && typeof resource.text === 'string') return resource.text
  const data = 'blob' in resource && typeof resource.blob === 'string' ? resource.blob : ''
  return keepMedia(
    `resource ${resource.uri}`,
    { mimeType: resource.mimeType ?? 'application/octet-stream', data },
    home,
  )
}

/** A result without secrets. */
export function clean(value: Readonly<Record<string, unknown>>, { redactor }: ResultContext): ToolResult {
  const { content } = jsonResult(value)
  return { content: redactor.redact(content) }
}

async function blockText(block: ContentBlock, context: ResultContext): Promise<string> {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return keepMedia(block.type, block, context.home)
    case 'resource':
      return `[resource ${block.resource.uri}]\n${await resourceText(block.resource, context)}`
    case 'resource_link':
      return `[resource ${block.uri}: ${[block.title ?? block.name, block.description].filter(Boolean).join(', ')}]`
    default:
      return `[${JSON.stringify(block)}]`
  }
}

/** Servers repeat what is structured as text, for clients that only know text. */
function saysTheSame(text: string, structured: unknown): boolean {
  if (text.trim() === '') return true
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured)
  } catch {
    return false
  }
}
