import { z } from 'zod'
import { MessengerError } from '../agent/messenger.ts'
import type { MessagePlace, Messenger } from '../agent/messenger.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const input = z.object({
  action: z.enum(['send', 'list']).default('send').describe('list: the places that can be written to'),
  target: z
    .string()
    .optional()
    .describe('platform (its home channel), platform:chat[:thread], platform:#channel-name, or origin (this chat)'),
  message: z.string().optional().describe('Markdown; MEDIA:/absolute/path in it attaches a file'),
})

type Args = z.infer<typeof input>

export const sendMessage = defineTool({
  name: 'send_message',
  toolset: 'messaging',
  description:
    'Write to another chat on a messaging platform. Your answer reaches the present chat by itself: never send that here. Use list first where you do not know the exact target.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ action, target, message }) => (action === 'list' ? 'list' : `${target ?? ''}: ${message ?? ''}`),
  async run(args, context) {
    const { messenger } = context.agent
    if (!messenger) return failure('This session cannot write to chats.')
    try {
      return args.action === 'list' ? await list(messenger) : await send(args, messenger, context)
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error
      return failure(context.agent.redactor.redact(error.message))
    }
  },
})

async function list(messenger: Messenger): Promise<ToolResult> {
  const places = await messenger.places()
  return jsonResult({ success: true, targets: places.map((place) => ({ target: targetOf(place), name: place.name })) })
}

async function send({ target, message }: Args, messenger: Messenger, context: ToolContext): Promise<ToolResult> {
  if (!target?.trim() || !message?.trim()) return failure('target and message are required.')
  const { chat, name } = context.turn.request.face
  const place = await messenger.find(target.trim(), chat)
  const refused = place.isKnown ? undefined : await askForStranger(place, context)
  if (refused) return refused
  const sent = await messenger.send({ place, text: message, mirrorAs: chat?.platform ?? name }, context.signal)
  return jsonResult({
    success: true,
    platform: place.platform,
    chat_id: place.chatId,
    ...(place.threadId !== undefined && { thread_id: place.threadId }),
    ...(sent.isMirrored && { mirrored: true }),
  })
}

/** Nobody there has ever spoken to the agent: a person agrees first. A result where they do not. */
async function askForStranger(place: MessagePlace, context: ToolContext): Promise<ToolResult | undefined> {
  const { askConsent } = await import('../security/consent/consent.ts')
  const subject = `write to ${targetOf(place)}, who has not spoken to the agent before`
  const consent = await askConsent({ kind: 'tool', subject, dangers: [stranger] }, context)
  return consent.allowed ? undefined : jsonResult({ success: false, error: consent.message }, 'denied')
}

const stranger = { key: 'message to an unknown chat', permanent: false } as const

function targetOf({ platform, chatId, threadId }: MessagePlace): string {
  return [platform, chatId, threadId].filter((part) => part !== undefined).join(':')
}

function failure(error: string): ToolResult {
  return jsonResult({ success: false, error }, 'error')
}
