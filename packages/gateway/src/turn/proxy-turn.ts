import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { NumberedEvent, TurnEvent, TurnFailure } from '@hermes/core/agent/events.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import { noUsage } from '@hermes/core/models/model.ts'
import type { Usage } from '@hermes/core/models/model.ts'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { createSseParser } from '@hermes/core/models/net/sse.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

/** Longest that the other Hermes may say nothing, ms, and what is told of an error of its, characters. */
const [silenceMs, maxError] = [1_800_000, 300]

/** What of a chunk of its stream is read; see docs/api-server.md. */
const chunk = lazily(() =>
  z.looseObject({
    choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }).optional() })).default([]),
    hermes: z
      .looseObject({
        type: z.string(),
        call_id: z.string().default(''),
        tool: z.string().default(''),
        label: z.string().default(''),
        duration: z.number().default(0),
        error: z.boolean().default(false),
      })
      .optional(),
    usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
    error: z.looseObject({ message: z.string() }).optional(),
  }),
)

/**
 * The same as `runTurn`, but the agent of another Hermes does the work, through its API server (`gateway.proxy_url`); what
 * is said stays in the session here as well.
 */
export async function* runProxyTurn(
  request: TurnRequest,
  agent: AgentContext,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const { id } = request.session
  const scope = agent.scopes.get(id)
  const number = (event: TurnEvent): NumberedEvent => ({ ...event, seq: ++scope.eventSeq })
  const startedAt = performance.now()
  const said = { text: '', usage: noUsage }
  scope.turnRunning = true
  let failure: TurnFailure | undefined
  yield number({ type: 'turn-start', sessionId: id, model: 'hermes-agent', provider: 'proxy' })
  try {
    const history = await stored(request, agent)
    for await (const event of answer(request, history, agent, signal)) {
      if (event.type === 'text-delta') said.text += event.text
      if (event.type === 'used') said.usage = event.usage
      else yield number(event)
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!signal.aborted) failure = { code: 'proxy', message: agent.redactor.redact(`The other Hermes: ${message}`) }
  } finally {
    scope.turnRunning = false
  }
  const { text, usage } = said
  const isCut = signal.aborted || failure !== undefined
  if (text !== '') {
    const content = agent.redactor.redact(text)
    const finishReason = isCut ? 'interrupted' : 'stop'
    await agent.sessions.append(id, { role: 'assistant', content, toolCalls: [], finishReason })
  }
  yield number({ type: 'answer-end', text, toolCalls: 0 })
  const status = signal.aborted ? 'cancelled' : failure ? 'failed' : 'completed'
  const durationMs = performance.now() - startedAt
  yield number({ type: 'turn-end', status, text, ...(failure && { failure }), usage, modelCalls: 1, durationMs })
}

/** Stores what the person says; resolves to what was said before. */
async function stored(
  { session: { id, source, userId }, message }: TurnRequest,
  { sessions }: AgentContext,
): Promise<readonly TranscriptMessage[]> {
  const isThere = await sessions.get(id)
  if (!isThere) await sessions.create({ id, source, ...(userId !== undefined && { userId }) })
  const before = isThere ? (await sessions.messages(id)).map((one) => one.message) : []
  await sessions.append(id, { role: 'user', content: message.text, ...(message.images && { images: message.images }) })
  return before
}

type ProxyEvent = TurnEvent | { readonly type: 'used'; readonly usage: Usage }

async function* answer(
  request: TurnRequest,
  history: readonly TranscriptMessage[],
  { config, environment }: AgentContext,
  signal: AbortSignal,
): AsyncGenerator<ProxyEvent> {
  const key = environment['GATEWAY_PROXY_KEY']?.trim()
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('it says nothing any more.')), silenceMs).unref()
  try {
    const response = await fetch(`${config.gateway.proxy_url.replace(/\/+$/, '')}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(key && { authorization: `Bearer ${key}`, 'x-hermes-session-id': request.session.id }),
      },
      body: JSON.stringify(bodyOf(request, history)),
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (!response.ok || !response.body) throw new Error(`${response.status} ${await errorText(response)}`)
    const parser = createSseParser()
    let isOver = false
    for await (const piece of response.body) {
      timer.refresh()
      for (const { data } of parser.feed(piece)) {
        isOver = data === '[DONE]'
        if (!isOver) yield* eventsOf(chunk().parse(JSON.parse(data)))
      }
    }
    if (!isOver) throw new Error('it ended its answer in the middle.')
  } finally {
    clearTimeout(timer)
  }
}

function* eventsOf({ choices, hermes, usage, error }: z.infer<ReturnType<typeof chunk>>): Generator<ProxyEvent> {
  if (error) throw new Error(error.message.slice(0, maxError))
  for (const { delta } of choices) if (delta?.content) yield { type: 'text-delta', text: delta.content }
  if (hermes?.type === 'tool.started') {
    const { call_id: callId, tool: name, label } = hermes
    yield { type: 'tool-start', callId, name, args: {}, preview: label === name ? '' : label }
  }
  if (hermes?.type === 'tool.completed') {
    const { call_id: callId, tool: name, duration, error: isError } = hermes
    const status = isError ? 'error' : 'ok'
    yield { type: 'tool-end', callId, name, status, durationMs: duration * 1000, content: '' }
  }
  if (usage) {
    const used = { ...noUsage, inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }
    yield { type: 'used', usage: used }
  }
}

/** The chat as its system message, then what was said. With a session of its own the other one goes by that. */
function bodyOf({ face, message }: TurnRequest, history: readonly TranscriptMessage[]) {
  const system = [face.promptHint, face.place].filter(Boolean).join('\n\n')
  const before = history.flatMap((one) =>
    (one.role === 'user' || one.role === 'assistant') && one.content !== ''
      ? [{ role: one.role, content: one.content }]
      : [],
  )
  const images = (message.images ?? []).map(({ mediaType, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${data}` },
  }))
  const content = images.length > 0 ? [{ type: 'text', text: message.text }, ...images] : message.text
  const messages = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...before,
    { role: 'user', content },
  ]
  return { model: 'hermes-agent', stream: true, messages }
}

async function errorText(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, 10_000)
  try {
    return chunk().parse(JSON.parse(text)).error?.message.slice(0, maxError) ?? ''
  } catch {
    // Something that is no Hermes answers.
    return text.slice(0, maxError)
  }
}
