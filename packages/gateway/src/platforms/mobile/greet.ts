import { AVATAR_STATES, MOBILE_PROTOCOL_VERSION } from '@hermes/protocol/mobile/constants.ts'
import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import type { MobileClientFrame, MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { z } from 'zod'
import { isSameSecret } from '../../http/same-secret.ts'
import type { MessageSource } from '../../messages/inbound-message.ts'
import type { FaceHost } from '../turn-face.ts'
import { maxMediaBytes, maxTextChars } from './say.ts'

type Hello = MobileFrameOf<MobileClientFrame, 'hello'>

/** Our account, which is the same for all devices. */
export const account = 'mobile'

/** Devices whose codes are remembered, and how long a code holds, ms. */
const maxCodes = 100
const codeMs = 3_600_000

export type Greeting =
  | { readonly ok: true; readonly hello: Hello; readonly source: MessageSource }
  /** `isGuess`: whoever it is did not know the token. */
  | { readonly ok: false; readonly code: MobileErrorCode; readonly message: string; readonly isGuess: boolean }

/** Decides whom to let in, by the first frame of a connection. */
export interface Greeter {
  greet(bytes: Buffer): Promise<Greeting>
}

export function createGreeter(token: string, host: FaceHost): Greeter {
  const codes = new Map<string, { readonly code: string; readonly at: number }>()

  /** The code of a device; the same one while it holds, since a device asks again at each try. */
  async function pairingMessage(deviceId: string, name: string): Promise<string> {
    if (host.chats.live.current.config.unauthorized_dm_behavior !== 'pair') return 'This device is not allowed.'
    const known = codes.get(deviceId)
    const isValid = known && host.clock.now() - known.at < codeMs
    const got = await host.access.requestCode(deviceId, name)
    if (got.type === 'code') {
      codes.delete(deviceId)
      codes.set(deviceId, { code: got.code, at: host.clock.now() })
      const [oldest] = codes.keys()
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest)
      return paired(got.code)
    }
    if (isValid) return paired(known.code)
    return got.type === 'full'
      ? 'Too many devices wait to be paired. Try again later.'
      : 'This device waits to be paired. `hermes pairing list` shows its code where the agent runs.'
  }

  return {
    async greet(bytes) {
      const { parseMobileClientFrame } = await import('@hermes/protocol/mobile/parse-frame.ts')
      const parsed = parseMobileClientFrame(bytes)
      if (!parsed.ok && isOtherVersion(bytes)) return otherVersion()
      if (!parsed.ok || parsed.frame.t !== 'hello') {
        return refused('auth_failed', 'The first frame is a hello with the token.', true)
      }
      const hello = parsed.frame
      if (!isSameSecret(hello.token, token)) return refused('auth_failed', 'The token is wrong.', true)
      if (hello.v !== MOBILE_PROTOCOL_VERSION) {
        return otherVersion()
      }
      const source = sourceOf(hello)
      if (await host.access.isAuthorised(source)) return { ok: true, hello, source }
      const { id, name } = hello.device
      return refused('device_not_paired', await pairingMessage(id, name))
    },
  }
}

function otherVersion(): Greeting {
  return refused('version_mismatch', `This server speaks version ${MOBILE_PROTOCOL_VERSION}.`)
}

/** A hello of another version may have other fields, so that it cannot be read. */
function isOtherVersion(bytes: Buffer): boolean {
  const found = z.looseObject({ t: z.literal('hello'), v: z.number() }).safeParse(parseJson(bytes))
  return found.success && found.data.v !== MOBILE_PROTOCOL_VERSION
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function paired(code: string): string {
  return `This device is not paired. Run where the agent is installed: hermes pairing approve mobile ${code}`
}

function refused(code: MobileErrorCode, message: string, isGuess = false): Greeting {
  return { ok: false, code, message, isGuess }
}

function sourceOf({ device, user }: Hello): MessageSource {
  const name = user.name || device.name
  return {
    platform: 'mobile',
    account,
    chatId: device.id,
    chatType: 'dm',
    userId: device.id,
    ...(device.name !== '' && { chatName: device.name }),
    ...(name !== '' && { userName: name }),
  }
}

/** What a device is told that was let in. */
export function readyFrame(
  { device }: Hello,
  session: string,
  avatarUrl: string,
): MobileFrameOf<MobileServerFrame, 'ready'> {
  return {
    t: 'ready',
    v: MOBILE_PROTOCOL_VERSION,
    session,
    device,
    avatar_url: avatarUrl,
    capabilities: {
      text: true,
      voice: true,
      typing: true,
      avatar_states: [...AVATAR_STATES],
      media_in: true,
      media_out: true,
      prompts: true,
      edit: true,
      max_media_bytes: maxMediaBytes,
      max_text_chars: maxTextChars,
    },
  }
}
