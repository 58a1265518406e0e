// A model without think time, in a process of its own: says one short sentence on the chat wire. Prints its port.
import { createServer } from 'node:http'

const words = ['It', ' is', ' a', ' fine', ' day', '.']
const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench' }
const frame = (fields: unknown) => `data: ${JSON.stringify({ ...head, ...(fields as object) })}\n\n`
const delta = (content: string) => frame({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const usage = { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 }
const first = delta(words[0] ?? '')
const rest =
  words.slice(1).map(delta).join('') +
  frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  frame({ choices: [], usage }) +
  'data: [DONE]\n\n'

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    response.end(rest)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
