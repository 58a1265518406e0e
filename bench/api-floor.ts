// The least that the API server's work costs: a request is handed on to the model, and two rows with a full-text index
// are stored. Prints its port. Arguments: the model's port and a folder.
import { Agent, createServer, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const [modelPort = '', folder = ''] = process.argv.slice(2)
const db = new DatabaseSync(join(folder, 'floor.db'))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE messages (id INTEGER PRIMARY KEY, role TEXT, content TEXT);
CREATE VIRTUAL TABLE found USING fts5(content, content=messages, content_rowid=id);
CREATE TRIGGER added AFTER INSERT ON messages BEGIN INSERT INTO found(rowid, content) VALUES (new.id, new.content); END`)
const insert = db.prepare('INSERT INTO messages (role, content) VALUES (?, ?)')
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.once('end', () => {
    // The shapes are those of the measurement's own requests.
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as {
      stream?: boolean
      messages: { content: string }[]
    }
    insert.run('user', body.messages.at(-1)?.content ?? '')
    const upstream = httpRequest(
      { agent, port: modelPort, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions' },
      (answer) => {
        let text = ''
        let open = ''
        if (body.stream) response.writeHead(200, { 'content-type': 'text/event-stream' })
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => {
          if (body.stream) response.write(piece)
          open += piece
          const frames = open.split('\n\n')
          open = frames.pop() ?? ''
          for (const frame of frames) text += contentOf(frame)
        })
        answer.once('end', () => {
          insert.run('assistant', text)
          if (body.stream) response.end()
          else {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: text } }] }))
          }
        })
      },
    )
    upstream.end(JSON.stringify({ ...body, stream: true }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})

function contentOf(frame: string): string {
  const data = frame.slice('data: '.length)
  if (data === '[DONE]') return ''
  const parsed = JSON.parse(data) as { choices: { delta: { content?: string } }[] }
  return parsed.choices[0]?.delta.content ?? ''
}
