import type { MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { HermesProtocolError } from './protocol-error.ts'
import type { AgentMessage, Prompt, PromptDone, Ready } from './types.ts'

/** A frame of which other servers leave out what has a plain meaning when it is absent. */
type FrameOf<T extends MobileServerFrame['t']> = Lenient<MobileFrameOf<MobileServerFrame, T>>
type Named = 't' | 'id' | 'kind' | 'v' | 'code' | 'message' | 'fatal'
type Lenient<Frame> = Partial<Omit<Frame, Named>> & Pick<Frame, Named & keyof Frame>

/** Reads the first frame. Throws `HermesProtocolError` where it is not `ready`. */
export function readyOf(frame: unknown): Ready {
  const first = frame as FrameOf<'ready'> | FrameOf<'error'> | null
  if (first?.t === 'error') throw new HermesProtocolError(first.code, first.message, first.fatal)
  if (first?.t !== 'ready') throw new HermesProtocolError('bad_frame', 'The first frame of the server is not ready.')
  const { v, session = '', device = {}, avatar_url: avatarUrl = '', capabilities = {} } = first
  return { v, session, device, avatarUrl, capabilities }
}

export function messageOf({
  id,
  text = '',
  index = 0,
  total = 1,
  edit = false,
  // An edit ends its reply only where it says so.
  final = !edit,
}: FrameOf<'message'>): AgentMessage {
  return { id, text, index, total, final, edit }
}

export function promptOf(frame: FrameOf<'prompt'>): Prompt {
  const { id, kind, text = '', options = [], session = '', timeout_seconds: timeoutSeconds = 0 } = frame
  return { id, kind, text, options, session, timeoutSeconds }
}

export function promptDoneOf({ id, option_id: optionId, expired = false }: FrameOf<'prompt_done'>): PromptDone {
  return { id, optionId, expired }
}
