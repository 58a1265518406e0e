import type { IncomingMessage } from 'node:http'
import type { Fields, TelegramFile } from './world.ts'

const maxBodyBytes = 60 * 1024 * 1024

/** The parameters of a call, in any of the ways that the Bot API takes them: URL, JSON, form, form with files. */
export async function readCall(
  request: IncomingMessage,
): Promise<{ readonly params: Fields; readonly files: ReadonlyMap<string, TelegramFile> }> {
  const url = new URL(request.url ?? '/', 'http://telegram')
  const files = new Map<string, TelegramFile>()
  const params: Record<string, unknown> = {}
  for (const [name, value] of url.searchParams) params[name] = jsonOr(value)
  const type = request.headers['content-type'] ?? ''
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw new Error('The body is too large.')
    chunks.push(chunk as Buffer)
  }
  const body = Buffer.concat(chunks)
  if (type.includes('json')) Object.assign(params, body.length > 0 ? JSON.parse(body.toString('utf8')) : {})
  else if (type.startsWith('multipart/') || type.includes('urlencoded')) {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form) {
      if (typeof value === 'string') params[name] = jsonOr(value)
      else files.set(name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
    }
    // A file is named by its own field, or by another one with attach://.
    for (const name of files.keys()) params[name] ??= `attach://${name}`
  }
  return { params, files }
}

function jsonOr(value: string): unknown {
  if (!/^([[{]|true$|false$|-?\d+$)/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
