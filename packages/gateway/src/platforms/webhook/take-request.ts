import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isDeeperThan, mostDepth } from '@hermes/core/text/json-depth.ts'
import { readBody } from '../../http/read-body.ts'
import type { PlatformHost } from '../platform.ts'
import type { Deliveries } from './deliveries.ts'
import type { FindRoute } from './find-route.ts'
import { readEvent } from './event.ts'
import type { WebhookEvent } from './event.ts'
import { commentTarget, githubComment } from './github-comment.ts'
import { contradictsBody } from './github-kind.ts'
import { createIgnoredKinds } from './ignored-kinds.ts'
import { createRequestLimit } from './request-limit.ts'
import type { WebhookRoute } from './route.ts'
import type { WebhookSettings } from './settings.ts'
import { secretOf } from './settings.ts'
import { toUrl } from './post-answer.ts'
import { proofOf } from './signature.ts'
import type { Proof } from './signature.ts'
import { renderTemplate, usualPrompt } from './template.ts'

/** What a request is answered with. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

const platform = 'webhook'

export interface IntakeOptions {
  readonly settings: WebhookSettings
  readonly host: PlatformHost
  readonly deliveries: Deliveries
  readonly findRoute: FindRoute
}

/** Makes messages of requests. A request is accepted when its message is in durable storage. */
export function createIntake({ settings, host, deliveries, findRoute }: IntakeOptions) {
  const now = () => host.clock.now()
  const limit = createRequestLimit(settings.ratePerMinute, now)
  const ignored = createIgnoredKinds(now)
  const underWay = new Map<string, Promise<void>>()

  return async function take(name: string, request: IncomingMessage): Promise<Answer> {
    const route = await findRoute(name)
    if (!route) return failure(404, 'There is no such route.')
    const body = await readBody(request, settings.maxBodyBytes)
    if (body === undefined) return failure(413, `The body has more than ${settings.maxBodyBytes} bytes.`)
    const secret = secretOf(route, settings)
    const proof = proofOf({ headers: request.headers, body, secret, now: now() })
    if (!proof) return failure(401, 'The signature is missing, wrong or too old.')
    const event = readEvent(request.headers, body)
    if (!event) return failure(400, 'The body is neither JSON nor a form.')
    if (isDeeperThan(event.payload, mostDepth)) {
      return failure(400, `The body has more than ${mostDepth} lists and objects in each other.`)
    }
    if (request.headers['x-github-event'] !== undefined && contradictsBody(event.kind, event.payload)) {
      return failure(400, `The body is of another kind than ${event.kind}.`)
    }
    const signed = signedOf(name, proof)
    const mayRepeat = proof.mayRepeat === true
    const isUnwanted = !isWanted(event, route)
    if (isUnwanted && signed !== undefined && !mayRepeat) ignored.note(signed, event.kind)
    if (isUnwanted || (signed !== undefined && ignored.isOther(signed, event.kind))) {
      return { status: 200, body: { status: 'ignored', event: event.kind } }
    }
    const brought = { name, route, event, signed, mayRepeat }
    // One after the other, since the same event may come twice at once.
    const turn = (underWay.get(name) ?? Promise.resolve()).then(() => accept(brought))
    const done = turn.then(nothing, nothing)
    underWay.set(name, done)
    return turn.finally(() => underWay.get(name) === done && underWay.delete(name))
  }

  /** An event is known again by the id that its service gives it, and by what was signed: ids in headers are not. */
  async function accept(brought: BroughtEvent): Promise<Answer> {
    const { name, event, signed } = brought
    const before = signed === undefined ? undefined : deliveries.chatOfSigned(signed, now())
    const chatId = before ?? `webhook:${name}:${event.id === undefined ? randomUUID() : plainId(event.id)}`
    const id = chatId.slice(`webhook:${name}:`.length)
    if (deliveries.find(chatId)?.isTaken) return { status: 200, body: { status: 'duplicate', delivery_id: id } }
    // Neither what others send who do not know the secret, nor what is ignored, takes anything from what is wanted.
    const waitSeconds = limit(name)
    if (waitSeconds !== undefined) {
      return { ...failure(429, 'Too many requests.'), headers: { 'retry-after': String(waitSeconds) } }
    }
    await takeOver(chatId, brought)
    return { status: 202, body: { status: 'accepted', route: name, event: event.kind, delivery_id: id } }
  }

  async function takeOver(chatId: string, { name, route, event, signed, mayRepeat }: BroughtEvent): Promise<void> {
    const { kind, payload } = event
    const text = route.prompt === '' ? usualPrompt(name, kind, payload) : renderTemplate(route.prompt, payload)
    const user = { userId: `webhook:${name}`, userName: name }
    const target = targetOf(route, payload)
    const delivery = { at: now(), route: name, target, ...(signed !== undefined && !mayRepeat && { signed }) }
    await deliveries.keep(chatId, { ...delivery, isTaken: false })
    await host.receive({
      eventId: chatId,
      source: { platform, account: platform, chatId, chatType: 'dm', chatName: `webhook/${name}`, ...user },
      text,
      attachments: [],
      sentAt: now(),
      // A payload gives no commands and attaches no files of this machine.
      prepared: { isTyped: false },
      ...(route.skills.length > 0 && { skills: route.skills }),
    })
    await deliveries.keep(chatId, { ...delivery, isTaken: true })
  }
}

interface BroughtEvent {
  /** Of its route. */
  readonly name: string
  readonly route: WebhookRoute
  readonly event: WebhookEvent
  /** See `Delivery`. */
  readonly signed: string | undefined
  /** See `Proof`. */
  readonly mayRepeat: boolean
}

const nothing = () => undefined

function signedOf(route: string, { signature }: Proof): string | undefined {
  if (signature === undefined) return undefined
  return createHash('sha256').update(`${route}\n${signature}`).digest('base64url').slice(0, 22)
}

/** GitHub's first request asks only whether somebody is there. */
function isWanted({ kind }: WebhookEvent, { events }: WebhookRoute): boolean {
  return events.length > 0 ? events.includes(kind) : kind !== 'ping'
}

/** As it goes into names of chats and files; one that is long or strange is replaced by its digest. */
function plainId(id: string): string {
  return /^[\w.-]{1,100}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)
}

function targetOf({ deliver, deliver_extra: extra }: WebhookRoute, payload: unknown): string {
  const kind = deliver.trim().toLowerCase()
  if (kind === githubComment) return commentTarget(extra, payload)
  // As it stands: what an event says must not choose who gets the answer.
  if (kind === toUrl) return `${toUrl}:${extra.url ?? ''}`
  const [chat, thread] = [extra.chat_id, extra.thread_id ?? extra.message_thread_id].map((value) =>
    value === undefined ? undefined : renderTemplate(value, payload),
  )
  return [kind, ...(chat ? [chat] : []), ...(chat && thread ? [thread] : [])].join(':')
}

function failure(status: number, error: string): Answer {
  return { status, body: { error } }
}
