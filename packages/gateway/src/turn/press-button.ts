import type { ChatServices } from '../commands/command.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import type { ButtonPress } from '../platforms/platform.ts'
import { pressedDecision } from './decision-text.ts'

/** What is told of a button that nothing knows any more. */
const gone = 'This button is no longer in use.'

export interface ButtonServices {
  readonly chats: Pick<ChatServices, 'menus' | 'decisions' | 'platform'>
  readonly connectionOf: (platform: string) => LiveConnection | undefined
  readonly mayEnter: (source: MessageSource) => Promise<boolean>
  readonly keyOf: (source: MessageSource) => string
}

/** Does what a pressed button is for, and says it to the person: a choice of a menu, or the answer to a question. */
export async function pressButton(
  { chat, userId, userName, listedAs, data }: ButtonPress,
  { chats: { menus, decisions, platform }, connectionOf, mayEnter, keyOf }: ButtonServices,
): Promise<string> {
  if (!platform(chat.platform)) return gone
  const account = connectionOf(chat.platform)?.connection.account ?? ''
  const names = { ...(userName !== undefined && { userName }), ...(listedAs !== undefined && { listedAs }) }
  const source = { ...chat, account, userId, ...names }
  if (!(await mayEnter(source))) return 'You may not decide this.'
  const key = keyOf(source)
  const told = menus.press(data, key)
  if (told !== undefined) return told
  const pressed = pressedDecision(data)
  if (!pressed) return gone
  const open = decisions.open(key, chat).find(({ id }) => id === pressed.id)
  const value = open?.request.kind === 'clarify' ? (open.request.choices[Number(pressed.value)] ?? '') : pressed.value
  return open && decisions.answer(open.sessionKey, open.id, value) ? 'Decided.' : 'This is decided already.'
}
