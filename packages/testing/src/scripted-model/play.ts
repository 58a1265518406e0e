import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault, ScriptedAnswer } from './answer.ts'
import { cut } from './pieces.ts'
import type { AnswerContext, Frame, Wire } from './wire.ts'

/** What an answer is played to. `signal` aborts when the client is gone or the server closes. */
export interface Stage {
  readonly response: ServerResponse
  readonly wire: Wire
  readonly context: AnswerContext
  readonly signal: AbortSignal
}

/** Sends an answer with its pace and its fault. Returns when the answer is over; a stall lasts until the signal. */
export async function play(answer: ScriptedAnswer, stage: Stage): Promise<void> {
  const { response, wire, context, signal } = stage
  const { fault } = answer
  if (answer.delayMs) await wait(answer.delayMs, undefined, { signal })
  if (fault?.type === 'http') return sendHttpError(fault, stage)
  if (fault?.type === 'drop' && fault.afterChunks === undefined) return void response.destroy()
  if (fault?.type === 'stall' && fault.afterChunks === undefined) return aborted(signal)
  if (!wire.wantsStream(context.body)) return sendJson(response, 200, wire.whole(answer, context), answer.headers)
  response.writeHead(200, { 'content-type': wire.streamType, 'cache-control': 'no-cache', ...answer.headers })
  response.flushHeaders()
  if (fault?.type === 'ping-only') return ping(fault.everyMs, stage)
  await stream(answer, stage)
}

/** Sends one JSON body. */
export async function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(text)
}

async function stream(answer: ScriptedAnswer, stage: Stage): Promise<void> {
  const { response, wire, context, signal } = stage
  const { fault } = answer
  const frames = [...wire.frames(answer, context), ...wire.endFrames(answer, context)]
  const faultAt = fault && 'afterChunks' in fault ? (fault.afterChunks ?? 0) : undefined
  for (const [position, frame] of frames.entries()) {
    if (position > 0 && answer.chunkDelayMs) await wait(answer.chunkDelayMs, undefined, { signal })
    if (position === faultAt) {
      if (fault?.type === 'drop') return void response.destroy()
      if (fault?.type === 'stall') return aborted(signal)
      if (fault?.type === 'malformed-frame') await send(wire.malformedFrame, answer, stage)
      if (fault?.type === 'error-object') {
        await send(wire.errorFrame(fault.error), answer, stage)
        break
      }
    }
    await send(frame, answer, stage)
  }
  response.end()
}

/** Writes one frame, whole or in small pieces that the network does not join again. */
async function send(frame: Frame, { pieceBytes, fault }: ScriptedAnswer, { response, signal }: Stage): Promise<void> {
  const pieces = pieceBytes ? cut(bytesOf(frame), pieceBytes) : [frame]
  for (const piece of pieces) {
    signal.throwIfAborted()
    // Before a fault, what was said to be sent has really been sent.
    if (pieceBytes || fault) await new Promise((written) => response.write(piece, written))
    else if (!response.write(piece)) await once(response, 'drain', { signal })
  }
}

function bytesOf(frame: Frame): Buffer {
  return typeof frame === 'string' ? Buffer.from(frame) : Buffer.from(frame)
}

async function sendHttpError(fault: Extract<Fault, { type: 'http' }>, { response, wire }: Stage): Promise<void> {
  const message = fault.message ?? `Scripted failure ${fault.status}`
  const body = fault.body ?? wire.errorBody({ message, type: fault.errorType, code: fault.errorCode })
  await sendJson(response, fault.status, body, fault.headers)
}

async function ping(everyMs: number, { response, wire, signal }: Stage): Promise<void> {
  while (true) {
    response.write(wire.pingFrame)
    await wait(everyMs, undefined, { signal })
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
}
