import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { dataUrl, HermesMobileClient, HermesProtocolError, TimeoutError } from '@hermes/sdk'
import type { MediaMessage } from '@hermes/sdk'
import * as z from 'zod'

const stepSchema = z.strictObject({
  call: z.string(),
  token: z.string().optional(),
  /** With a client that knows nothing of what came before. */
  fresh: z.boolean().default(false),
  id: z.string().default(''),
  text: z.string().optional(),
  ts: z.number().optional(),
  bytes: z.union([z.number(), z.string()]).default(0),
  format: z.string().optional(),
  transcript: z.string().optional(),
  option: z.string().optional(),
  kind: z.string().optional(),
  mime: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  chunk: z.number().optional(),
  timeout: z.number().default(20),
})
type Step = z.output<typeof stepSchema>

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Longest that something is waited for, ms. */
const waitMs = 20_000

export interface PlayOptions {
  readonly url: string
  readonly device: string
  /** Where files are saved. */
  readonly folder: string
}

/** Plays the list of steps with the TypeScript client, as `play.py` does with the one for Python. */
export async function play({ url, device, folder }: PlayOptions): Promise<readonly unknown[]> {
  const text = await readFile(join(import.meta.dirname, 'steps.json'), 'utf8')
  const steps = z.array(stepSchema).parse(JSON.parse(text))
  const doStep = player({ url, device, folder })
  const outcomes: unknown[] = []
  for (const step of steps) {
    const { call } = step
    try {
      outcomes.push({ call, result: (await doStep(step)) ?? null })
    } catch (error) {
      outcomes.push({ call, ...outcomeOf(error) })
    }
  }
  return outcomes
}

function player({ url, device, folder }: PlayOptions): (step: Step) => Promise<unknown> {
  // The Python client acknowledges nothing by itself.
  const options = { user: { name: 'Ann' }, acknowledge: false, reconnect: false } as const
  const errors: string[] = []
  let [message, prompt, saved] = ['', '', '']
  let file: MediaMessage | undefined
  let onError = () => {}
  const freshClient = () => {
    const made = new HermesMobileClient(url, 'the-token', { id: device, name: 'Bot' }, options)
    made.on('error', ({ code }) => {
      errors.push(code)
      onError()
    })
    made.on('message', ({ id }) => (message = id))
    return made
  }
  let client = freshClient()
  const payload = ({ bytes }: Step) => {
    if (typeof bytes === 'number') return Buffer.from('OggS!!').subarray(0, bytes)
    return bytes === 'png' ? png : saved
  }
  const mediaOptions = ({ mime, filename, caption, chunk, id }: Step) => ({
    messageId: id,
    ...(mime !== undefined && { mime }),
    ...(filename !== undefined && { filename }),
    ...(caption !== undefined && { caption }),
    ...(chunk !== undefined && { chunkBytes: chunk }),
  })
  const theFile = () => {
    if (!file) throw new Error('no file has come')
    return file
  }
  const calls: Readonly<Record<string, (step: Step) => unknown>> = {
    async connect({ token, fresh }) {
      if (fresh) client = freshClient()
      if (token !== undefined) await new HermesMobileClient(url, token, { id: device }, options).connect()
      const ready = await client.connect()
      const session = ready.session.replace(device, 'DEVICE')
      return [ready.v, session, ready.device['name'], Object.keys(ready.capabilities).toSorted()]
    },
    close: () => client.close(),
    send_typing: () => client.sendTyping(),
    ping: ({ ts }) => client.ping(ts),
    send_text: ({ text = '', id }) => client.sendText(text, id),
    send_audio: (step) =>
      // The list has a format, too, that there is none.
      client.sendAudio(payload(step), step.format as 'ogg', {
        messageId: step.id,
        ...(step.transcript !== undefined && { transcript: step.transcript }),
      }),
    acknowledge: () => client.acknowledge(message),
    answer_prompt: ({ id, option, text }) =>
      client.answerPrompt(id === 'last' ? prompt : id, {
        ...(option !== undefined && { optionId: option }),
        ...(text !== undefined && { text }),
      }),
    wait_avatar: () => client.waitAvatar(waitMs),
    async wait_error() {
      if (errors.length === 0) await new Promise<void>((resolve) => (onError = resolve))
      return errors.shift()
    },
    wait_message: ({ timeout }) => client.waitMessage(timeout * 1_000),
    async wait_prompt() {
      const { id, kind, text, options: choices, timeoutSeconds } = await client.waitPrompt(waitMs)
      prompt = id
      return [kind, text, choices.map((choice) => choice.id), timeoutSeconds > 0]
    },
    async wait_media() {
      file = await client.waitMedia(waitMs)
      return [file.kind, file.mime, file.filename, file.caption, file.size, digest(file.data)]
    },
    async save_media() {
      saved = await client.saveMedia(theFile(), folder)
      return [basename(saved), digest(await readFile(saved))]
    },
    data_url: () => digest(dataUrl(theFile())),
    // The list has a kind, too, that cannot be sent.
    send_media: (step) => client.sendMedia(step.kind as 'video', payload(step), mediaOptions(step)),
    send_image: (step) => client.sendImage(payload(step), mediaOptions(step)),
    send_document: (step) => client.sendDocument(payload(step), mediaOptions(step)),
    send_voice: (step) => client.sendVoice(payload(step), mediaOptions(step)),
  }
  return async (step) => {
    const call = calls[step.call]
    if (!call) throw new Error(`no such step: ${step.call}`)
    return call(step)
  }
}

function digest(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 12)
}

function outcomeOf(error: unknown): object {
  if (error instanceof HermesProtocolError) return { refused: error.code, fatal: error.fatal }
  if (error instanceof TypeError) return { error: 'invalid' }
  if (error instanceof TimeoutError) return { error: 'timeout' }
  if (error instanceof Error && error.message.includes('call connect()')) return { error: 'not connected' }
  throw error
}
