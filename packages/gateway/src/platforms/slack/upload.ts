import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import type { ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SlackClient } from './client.ts'
import { toMrkdwn } from './mrkdwn.ts'
import type { SlackTeams } from './teams.ts'

/** Largest file that Slack takes, bytes. */
const maxFileBytes = 1024 * 1024 * 1024

const maxCaption = 4_000
const uploadMs = 600_000

const place = z.looseObject({ upload_url: z.url(), file_id: z.string() })

type FilePart = Extract<OutboundPart, { type: 'file' }>

/**
 * Sends a file in the three steps that Slack wants: https://docs.slack.dev/messaging/working-with-files. It is read while
 * it is sent. Throws `PlatformError`.
 */
export async function sendFile(
  to: ChatRef,
  { path, caption }: FilePart,
  { client, teams }: { readonly client: SlackClient; readonly teams: SlackTeams },
  signal: AbortSignal,
): Promise<SentRef> {
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  )
  if (size === undefined) throw new PlatformError('refused', `There is no file ${path} to send.`)
  if (size === 0) throw new PlatformError('refused', `The file ${path} is empty, which Slack does not take.`)
  if (size > maxFileBytes) throw new PlatformError('too-long', 'The file is larger than the 1 GB that Slack takes.')
  const { token } = await teams.ofChannel(to.chatId, signal)
  const asked = { filename: basename(path), length: size }
  const answer = await client.call(token, 'files.getUploadURLExternal', asked, { signal })
  const { upload_url: url, file_id: id } = place.parse(answer)
  if (!client.isOwnHost(url))
    throw new PlatformError('refused', 'Slack wants the file at an address that is not its own.')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(uploadMs)])
  const body = createReadStream(path)
  const headers = { 'content-length': size, 'content-type': 'application/octet-stream' }
  // The address itself says whose file it is: no token goes with it.
  const response = await client.fetch(url, { method: 'POST', headers, body, signal: limit })
  response.discard()
  if (!response.isOk) {
    throw new PlatformError(
      response.status >= 500 ? 'unreachable' : 'refused',
      `Slack does not take the file (status ${response.status}).`,
    )
  }
  const share = {
    files: [{ id, title: basename(path) }],
    channel_id: to.chatId,
    ...(caption !== undefined &&
      caption.trim() !== '' && { initial_comment: toMrkdwn(caption.slice(0, maxCaption).toWellFormed()) }),
  }
  await client.call(
    token,
    'files.completeUploadExternal',
    to.threadId === undefined ? share : { ...share, thread_ts: to.threadId },
    { signal },
  )
  return { chat: to, messageId: id }
}
