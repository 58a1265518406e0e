// The service that reads pages aloud in Microsoft's browser, over a web socket. Nothing of it is documented; what is known
// was found by others: https://github.com/rany2/edge-tts. It wants a token made of the time, and takes one request of at
// most 4,096 bytes of text a connection; what it sends (MP3 frames) can be put one behind the other.
import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../../services/service-error.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { splitByBytes } from '../split-by-bytes.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { maxSpeechBytes, speechTimeoutMs } from '../speech-provider.ts'
import { openSpeechSocket } from './edge-socket.ts'

const defaultUrl = 'wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud/edge/v1'
/** The browser's own, the same for everybody. */
const clientToken = '6A5AA1D4EAFF4E9FB37E23D68491D6F4'
const browserVersion = '143.0.3650.75'
const maxTextBytes = 4_000

export const edge: SpeechProvider = {
  name: 'edge',
  formats: ['mp3'],
  missing: async () => undefined,
  async speak({ text, path }, { settings, environment }, signal) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(speechTimeoutMs)])
    const pieces: Buffer[] = []
    let bytes = 0
    try {
      for (const part of splitByBytes(spoken(text), maxTextBytes)) {
        const socket = { url: addressOf(environment['EDGE_TTS_URL'] || defaultUrl), headers: headers(), environment }
        const ssml = ssmlOf(part, settings.edge.voice, settings.edge.speed || settings.speed)
        for await (const piece of openSpeechSocket({ ...socket, ssml }, limited)) {
          bytes += piece.length
          if (bytes > maxSpeechBytes) throw new ServiceError('too-large', 'Edge sent more audio than is taken.')
          pieces.push(piece)
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!limited.aborted) throw error
      throw new ServiceError('timeout', `Edge was not done within ${speechTimeoutMs / 1000} s.`, { cause: error })
    }
    if (bytes === 0) throw new ServiceError('malformed', 'Edge sent no audio. Check tts.edge.voice.')
    await writeFileAtomic(path, Buffer.concat(pieces))
  },
}

function addressOf(base: string): string {
  const url = new URL(base)
  url.searchParams.set('TrustedClientToken', clientToken)
  url.searchParams.set('Sec-MS-GEC', timeToken(Date.now()))
  url.searchParams.set('Sec-MS-GEC-Version', `1-${browserVersion}`)
  url.searchParams.set('ConnectionId', randomBytes(16).toString('hex'))
  return url.href
}

/** Of the five minutes that a time lies in, as Windows counts them, and of the client's token. */
export function timeToken(now: number): string {
  const seconds = Math.floor(now / 1000) + 11_644_473_600
  const ticks = BigInt(seconds - (seconds % 300)) * 10_000_000n
  return createHash('sha256').update(`${ticks}${clientToken}`, 'ascii').digest('hex').toUpperCase()
}

function headers(): Readonly<Record<string, string>> {
  const [major] = browserVersion.split('.')
  return {
    origin: 'chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold',
    'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 Edg/${major}.0.0.0`,
    'cache-control': 'no-cache',
    pragma: 'no-cache',
    cookie: `muid=${randomBytes(16).toString('hex').toUpperCase()};`,
  }
}

/** Without the characters that no XML may hold. */
function spoken(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, ' ')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>'"]/g, (character) => entities[character] ?? character)
}

function ssmlOf(text: string, voice: string, speed: number): string {
  const percent = Math.round((speed - 1) * 100)
  const rate = `${percent < 0 ? '' : '+'}${percent}%`
  return `<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='en-US'><voice name='${escaped(voice)}'><prosody pitch='+0Hz' rate='${rate}' volume='+0%'>${escaped(text)}</prosody></voice></speak>`
}
