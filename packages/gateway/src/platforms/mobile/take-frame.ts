import { unlink } from 'node:fs/promises'
import { MAX_CLIENT_TEXT_CHARS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileClientFrame, MobileFrameOf } from '@hermes/protocol/mobile/types.ts'
import { adoptInbound, saveInbound, InboundFileError } from '../../media/save-inbound.ts'
import type { InboundAttachment, InboundMessage, MessageSource } from '../../messages/inbound-message.ts'
import type { FaceHost } from '../turn-face.ts'
import type { AskCards } from './ask-cards.ts'
import type { CollectGarbage } from './collect-garbage.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeviceLink } from './device-link.ts'
import type { Devices } from './devices.ts'
import type { FrameBudget } from './frame-budget.ts'
import type { OpenReplies } from './open-replies.ts'
import { readFrame } from './read-frame.ts'
import { UploadError } from './uploads.ts'
import type { Uploads, WholeUpload } from './uploads.ts'

/** How long a device counts as listening after its person typed, ms. */
const typingMs = 6_000

type FrameOf<T extends MobileClientFrame['t']> = MobileFrameOf<MobileClientFrame, T>

/** What the frames of all devices are done with. */
export interface FrameServices {
  readonly host: FaceHost
  readonly devices: Devices
  readonly log: DeliveryLog
  readonly cards: AskCards
  readonly replies: OpenReplies
  readonly uploads: Uploads
  readonly collectGarbage: CollectGarbage
}

/** A device that was let in. */
export interface Caller {
  readonly link: DeviceLink
  readonly source: MessageSource
  readonly budget: FrameBudget
}

/** Does what a frame asks for. Never throws: what goes wrong is answered. */
export async function takeFrame(bytes: Buffer, caller: Caller, services: FrameServices): Promise<void> {
  const { link } = caller
  const reading = readFrame(bytes)
  if (!reading.ok) return link.fail(reading.code, reading.message)
  try {
    await take(reading.frame, reading.data, caller, services)
  } catch (error) {
    if (error instanceof UploadError) return link.fail(error.code, error.message)
    if (error instanceof InboundFileError) return link.fail('bad_frame', error.message)
    services.host.log.error({ frame: reading.frame.t, error: String(error) }, 'a frame of a device is not taken over')
    link.fail('internal', 'It was not taken over; send it again')
  }
}

async function take(frame: MobileClientFrame, data: Buffer, caller: Caller, services: FrameServices): Promise<void> {
  const { link, budget } = caller
  const { log, cards } = services
  // The parts of a file are paced by being written down.
  const isPaced = frame.t !== 'media' || frame.part === 0
  const beginsTurn = frame.t === 'text' || frame.t === 'audio' || frame.t === 'media'
  if (isPaced && !budget.take(beginsTurn ? 'message' : 'other')) return link.fail('rate_limited', 'Too many frames')
  if (wordsOf(frame).length > MAX_CLIENT_TEXT_CHARS) {
    return link.fail('too_big', `A text has at most ${MAX_CLIENT_TEXT_CHARS} characters; send it as a file`)
  }
  switch (frame.t) {
    case 'hello':
      return link.fail('bad_frame', 'hello was said already')
    case 'ping':
      return link.answer({ t: 'pong', ts: frame.ts })
    case 'typing':
      return listen(link.deviceId, services)
    case 'ack':
      return removeAll(await log.acknowledge(link.deviceId, frame.id, link.confirmed))
    case 'prompt': {
      const came = cards.answer(link.deviceId, frame)
      if (came === 'closed') link.fail('prompt_closed', 'The card is not open any more')
      if (came === 'empty') link.fail('bad_frame', 'The card needs one of its options, or a text')
      return
    }
    case 'text':
      return void (await submit({ id: frame.id, text: frame.text, attachments: [] }, caller, services))
    case 'audio':
      return takeAudio(frame, data, caller, services)
    case 'media': {
      const whole = await services.uploads.take(link.deviceId, frame, data)
      if (whole) await takeFile(whole, caller, services)
    }
  }
}

/** What a person has written in a frame. */
function wordsOf(frame: MobileClientFrame): string {
  if (frame.t === 'media') return frame.caption ?? ''
  return frame.t === 'text' || frame.t === 'audio' || frame.t === 'prompt' ? (frame.text ?? '') : ''
}

/** The avatar listens while the person types, where it has nothing else to do. */
function listen(deviceId: string, { devices }: FrameServices): void {
  if (devices.avatar(deviceId) !== 'idle') return
  devices.setAvatar(deviceId, 'listening')
  setTimeout(() => {
    if (devices.avatar(deviceId) === 'listening') devices.setAvatar(deviceId, 'idle')
  }, typingMs).unref()
}

async function takeAudio(
  { id, format, text }: FrameOf<'audio'>,
  data: Buffer,
  caller: Caller,
  services: FrameServices,
): Promise<void> {
  const transcript = text?.trim()
  const bytes = Buffer.from(data.toString('latin1'), 'base64')
  const saved = await saveInbound({ kind: 'voice', bytes, mimeType: `audio/${format}` }, services.host)
  await submitFile({ ...saved, ...(transcript && { transcript }) }, { id, text: '' }, caller, services)
}

/** Kinds of sound that phones record; other sound is music and the like, which is not answered by voice. */
const recorded = /^audio\/(?:ogg|opus|wav|x-wav|wave|webm)\b/

async function takeFile(upload: WholeUpload, caller: Caller, services: FrameServices): Promise<void> {
  const { path, frame } = upload
  const { id, kind, mime, filename, caption = '' } = frame
  const isVoice = kind === 'audio' && recorded.test(mime)
  try {
    const file = { kind: isVoice ? 'voice' : kind, mimeType: mime, ...(filename && { name: filename }) } as const
    const saved = await adoptInbound(path, file, services.host).catch((error: unknown) => {
      // Images of forms that nothing here can show, such as HEIC, are files.
      if (!(error instanceof InboundFileError && error.code === 'no-image')) throw error
      return adoptInbound(path, { ...file, kind: 'document' }, services.host)
    })
    await submitFile(saved, { id, text: caption }, caller, services)
  } catch (error) {
    await removeAll([path])
    throw error
  }
}

interface Words {
  readonly id: string
  readonly text: string
}

/** Hands over a message with a file, which goes where the message is known already. */
async function submitFile(
  attachment: InboundAttachment,
  { id, text }: Words,
  caller: Caller,
  services: FrameServices,
): Promise<void> {
  let isTaken = false
  try {
    isTaken = await submit({ id, text, attachments: [attachment] }, caller, services)
  } finally {
    if (!isTaken) await removeAll([attachment.path])
  }
}

/** Hands a message over; whether it is taken. */
async function submit(
  { id, text, attachments }: Words & Pick<InboundMessage, 'attachments'>,
  { link, source }: Caller,
  { host, replies }: FrameServices,
): Promise<boolean> {
  const isNew = replies.begin(link.deviceId, id)
  let reception
  try {
    const message = { eventId: id, messageId: id, source, text, attachments, sentAt: host.clock.now() }
    reception = await host.submit(message)
  } finally {
    // A duplicate of one that is under way leaves that as it is.
    if (reception !== 'queued' && isNew) replies.drop(link.deviceId, id)
  }
  if (reception === 'refused') link.fail('device_not_paired', 'This device is not allowed any more')
  return reception !== 'duplicate' && reception !== 'refused'
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    })
  }
}
