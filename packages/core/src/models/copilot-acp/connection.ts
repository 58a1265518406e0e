import { parseFields, fields, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { AgentProcess } from './agent-process.ts'

/** What we say to a request of the program. */
export type Reply =
  | { readonly result: unknown; readonly refused?: string }
  | { readonly error: { readonly code: number; readonly message: string } }

/** What happens while an answer is waited for. `refused`: what the program was not allowed to do, for people. */
export type AcpEvent =
  | { readonly type: 'update'; readonly update: Fields }
  | { readonly type: 'refused'; readonly what: string }

/** The program said no to a request, by a code of JSON-RPC or of the protocol. */
export class AcpRefusal extends Error {
  override readonly name = 'AcpRefusal'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** JSON-RPC 2.0 with the program, a message a line. */
export interface AcpConnection {
  /**
   * Makes a request and answers the program's own until the result comes, which is returned. Throws `AcpRefusal`, and
   * `ModelError` when the program ends before. One at a time.
   */
  exchange(method: string, params: Fields): AsyncGenerator<AcpEvent, Fields>
  /** A request of which only the result counts. */
  request(method: string, params: Fields): Promise<Fields>
}

export function connectAcp(
  process: AgentProcess,
  reply: (method: string, params: Fields) => Promise<Reply>,
): AcpConnection {
  let lastId = 0
  const send = (message: Fields): Promise<void> => process.send(JSON.stringify({ jsonrpc: '2.0', ...message }))

  async function* exchange(method: string, params: Fields): AsyncGenerator<AcpEvent, Fields> {
    const id = ++lastId
    await send({ id, method, params })
    while (true) {
      const next = await process.lines.next()
      if (next.done) throw await process.ended()
      // Some programs print other things than messages, such as that there is a newer version.
      const message = parseFields(next.value) ?? {}
      const asked = text(message['method'])
      const given = fields(message['params']) ?? {}
      if (asked !== undefined && message['id'] !== undefined) {
        const { refused, ...answer } = { refused: undefined, ...(await reply(asked, given)) }
        await send({ id: message['id'], ...answer })
        if (refused !== undefined) yield { type: 'refused', what: refused }
      } else if (asked === 'session/update') {
        yield { type: 'update', update: fields(given['update']) ?? {} }
      } else if (message['id'] === id) {
        const error = fields(message['error'])
        if (error) throw new AcpRefusal(Number(error['code']), refusalText(error))
        return fields(message['result']) ?? {}
      }
    }
  }
  return {
    exchange,
    request: async (method, params) => {
      const running = exchange(method, params)
      let step = await running.next()
      while (!step.done) step = await running.next()
      return step.value
    },
  }
}

function refusalText(error: Fields): string {
  const data = error['data']
  const detail = text(fields(data)?.['details']) ?? text(fields(data)?.['message']) ?? text(data)
  return [text(error['message']), detail].filter(Boolean).join(': ').slice(0, 500) || 'it did not say why'
}
