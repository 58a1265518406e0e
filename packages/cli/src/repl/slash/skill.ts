import type { Chat } from './slash-command.ts'

/**
 * Sends the message that `/<skill> <instruction>` stands for. Resolves to whether there is such a skill; the names of
 * the REPL's own commands come first.
 */
export async function runSkill(name: string, instruction: string, chat: Chat): Promise<boolean> {
  const { skillCommands } = await import('@hermes/core/skills/skill-commands.ts')
  const scope = { ...chat.agent, platform: chat.session.source }
  const commands = await skillCommands(scope)
  // Lists of skills show the folder's name, the command is made of the skill's own.
  const found = commands.find((one) => one.command === name) ?? commands.find((one) => one.skill === name)
  if (!found) return false
  const { skillMessage } = await import('@hermes/core/skills/skill-message.ts')
  const message = await skillMessage(scope, found.skill, instruction)
  for (const warning of message.warnings) chat.view.print(warning, 'warning')
  chat.enqueue(message.text)
  return true
}
