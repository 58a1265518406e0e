import { findCommand } from '../../commands/registry.ts'

/**
 * What a slash command says as a message: `/hermes model x` is `/model x`, `/hermes` alone `/help`; what follows and is no
 * command is an ordinary message. Commands that the app has under other names are taken by these: `/hermes-stop` is `/stop`.
 */
export async function commandText(command: string, text: string): Promise<string> {
  const said = text.trim()
  const name = command.replace(/^\//, '').toLowerCase()
  if (name !== 'hermes') return `/${name.replace(/^hermes[-_]/, '')} ${said}`.trim()
  if (said === '') return '/help'
  const [first = ''] = said.split(/\s/)
  const isCommand = (await findCommand(first.toLowerCase().replaceAll('_', '-'))) !== undefined
  return isCommand ? `/${said}` : said
}
