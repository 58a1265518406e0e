import type { IncomingMessage } from 'node:http'
import type { DiscordFile, Fields } from './world.ts'

const maxBodyBytes = 60 * 1024 * 1024

/** The body of a call: JSON, or a form with files and JSON beside them. https://discord.com/developers/docs/reference#uploading-files */
export async function readCall(
  request: IncomingMessage,
): Promise<{ readonly body: Fields; readonly files: readonly DiscordFile[] }> {
  const type = request.headers['content-type'] ?? ''
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw new Error('The body is too large.')
    chunks.push(chunk as Buffer)
  }
  const bytes = Buffer.concat(chunks)
  if (bytes.length === 0) return { body: {}, files: [] }
  if (!type.startsWith('multipart/')) return { body: JSON.parse(bytes.toString('utf8')) as Fields, files: [] }
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const files: DiscordFile[] = []
  let body: Fields = {}
  for (const [name, value] of form) {
    if (typeof value !== 'string') files.push({ name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
    else if (name === 'payload_json') body = JSON.parse(value) as Fields
  }
  return { body, files }
}
