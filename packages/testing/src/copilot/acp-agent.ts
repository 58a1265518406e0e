import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as acp from '@agentclientprotocol/sdk'

/** What the agent does with a prompt, step by step. */
export type AcpStep =
  | { readonly type: 'say' | 'think'; readonly text: string }
  | { readonly type: 'read'; readonly path: string; readonly line?: number; readonly limit?: number }
  | { readonly type: 'write'; readonly path: string; readonly content: string }
  | { readonly type: 'permission'; readonly title: string; readonly withoutRefusal?: boolean }
  /** Calls a method of the client by its name. */
  | { readonly type: 'call'; readonly method: string }
  /** Prints something that is no message. */
  | { readonly type: 'noise'; readonly text: string }
  | { readonly type: 'hang' }
  /** Starts a program that holds the output open; `stubborn`: and ignores TERM. */
  | { readonly type: 'spawn'; readonly stubborn: boolean }
  | { readonly type: 'exit'; readonly code: number; readonly complaint: string }

/** How one run of it goes. */
export interface AcpScript {
  readonly steps?: readonly AcpStep[]
  readonly stopReason?: 'end_turn' | 'max_tokens' | 'refusal' | 'cancelled'
  readonly takesImages?: boolean
  /** Models that a session can be switched to; the first is current. */
  readonly models?: readonly string[]
  /** New sessions are refused: nobody has signed in. */
  readonly signedOut?: boolean
}

/** What happened in a run, a line of JSON each: `pid`, `variables` (names), `initialize`, `session`, `prompt`, `model`, and the client's answers by their step's type. */
export interface AcpRecord {
  readonly type: string
  readonly value: unknown
}

// An agent of the official SDK, in place of `copilot --acp --stdio`: `node acp-agent.ts SCRIPT RECORD`.
if (import.meta.main) run()

function run(): void {
  const [, , scriptFile = '', recordFile = ''] = process.argv
  const script = JSON.parse(readFileSync(scriptFile, 'utf8')) as AcpScript
  const { steps = [], stopReason = 'end_turn', takesImages = false, models = [], signedOut = false } = script
  const record = (type: string, value: unknown): void => {
    appendFileSync(recordFile, `${JSON.stringify({ type, value })}\n`)
  }
  const options = (current: string): acp.SessionConfigOption[] => [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: current,
      options: models.map((value) => ({ value, name: value.toUpperCase() })),
    },
  ]
  const sessionId = 'session-1'
  record('pid', process.pid)
  record('variables', Object.keys(process.env))
  const agent = acp
    .agent({ name: 'stand-in' })
    .onRequest(acp.methods.agent.initialize, ({ params }) => {
      record('initialize', params)
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentCapabilities: { promptCapabilities: { image: takesImages } },
      }
    })
    .onRequest(acp.methods.agent.session.new, ({ params }) => {
      record('session', params)
      if (signedOut) throw acp.RequestError.authRequired()
      return { sessionId, ...(models[0] !== undefined && { configOptions: options(models[0]) }) }
    })
    .onRequest(acp.methods.agent.session.setConfigOption, ({ params }) => {
      record('model', params.value)
      return { configOptions: options(String(params.value)) }
    })
    .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
      record('prompt', params.prompt)
      for (const step of steps) await take(step, client, record)
      return { stopReason }
    })
  agent.connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )

  async function take(step: AcpStep, client: acp.AgentContext, note: typeof record): Promise<void> {
    switch (step.type) {
      case 'say':
      case 'think': {
        const kind = step.type === 'say' ? 'agent_message_chunk' : 'agent_thought_chunk'
        const update = { sessionUpdate: kind, content: { type: 'text', text: step.text } } as const
        return client.notify(acp.methods.client.session.update, { sessionId, update })
      }
      case 'read': {
        const { type: _type, ...asked } = step
        const reading = client.request(acp.methods.client.fs.readTextFile, { sessionId, ...asked })
        return note('read', await reading.catch(toFailure))
      }
      case 'write': {
        const { path, content } = step
        const writing = client.request(acp.methods.client.fs.writeTextFile, { sessionId, path, content })
        return note('write', await writing.catch(toFailure))
      }
      case 'permission': {
        const allow: acp.PermissionOption = { optionId: 'yes', name: 'Allow', kind: 'allow_once' }
        const reject: acp.PermissionOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' }
        const options = step.withoutRefusal ? [allow] : [allow, reject]
        const toolCall = { toolCallId: 'tool-1', title: step.title, kind: 'execute' as const }
        const asking = client.request(acp.methods.client.session.requestPermission, { sessionId, toolCall, options })
        return note('permission', await asking.catch(toFailure))
      }
      case 'call':
        return note('call', await client.request(step.method, {}).catch(toFailure))
      case 'noise':
        process.stdout.write(`${step.text}\n`)
        return undefined
      case 'hang':
        note('hang', true)
        return sleep(3_600_000)
      case 'spawn': {
        if (step.stubborn) process.on('SIGTERM', () => note('term', true))
        const child = spawn('sleep', ['3600'], { stdio: ['ignore', 'inherit', 'ignore'] })
        return note('child', child.pid)
      }
      case 'exit':
        process.stderr.write(step.complaint)
        process.exit(step.code)
    }
  }
}

function toFailure(error: unknown): unknown {
  return error instanceof acp.RequestError ? { code: error.code, message: error.message } : { error: String(error) }
}
