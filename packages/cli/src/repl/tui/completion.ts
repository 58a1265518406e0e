import type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from '@earendil-works/pi-tui/dist/autocomplete.js'
import { cleanLine } from '../clean-text.ts'
import { namesOf } from '../slash/resolve-slash.ts'
import type { Chat, SlashCommand } from '../slash/slash-command.ts'
import { createReferenceCompletion, endsWithReference } from './reference-completion.ts'

/** Completes @-references, and slash commands and their arguments on the first line of the input. */
export function inputCompletion(commands: readonly SlashCommand[], chat: () => Chat | undefined): AutocompleteProvider {
  const completeReference = createReferenceCompletion(chat)
  return {
    async getSuggestions(lines, line, column, { signal }) {
      const before = (lines[line] ?? '').slice(0, column)
      if (endsWithReference(before)) return completeReference(before, signal)
      if (line !== 0 || !before.startsWith('/')) return null
      const space = before.search(/\s/)
      if (space < 0) return commandChoices(before, commands)
      return argumentChoices(before.slice(1, space), before.slice(space + 1), commands, chat(), signal)
    },
    applyCompletion(lines, line, column, item, prefix) {
      const text = lines[line] ?? ''
      const before = `${text.slice(0, column - prefix.length)}${item.value}`
      const changed = lines.with(line, `${before}${text.slice(column)}`)
      return { lines: changed, cursorLine: line, cursorCol: before.length }
    },
    shouldTriggerFileCompletion: (lines, line, column) =>
      (line === 0 && (lines[0] ?? '').startsWith('/')) || endsWithReference((lines[line] ?? '').slice(0, column)),
  }
}

/** An exact alias comes first: Enter takes the first. */
function commandChoices(before: string, commands: readonly SlashCommand[]): AutocompleteSuggestions | null {
  const typed = before.slice(1).toLowerCase()
  const rank = (one: SlashCommand) => (one.name === typed ? 0 : one.aliases?.includes(typed) ? 1 : 2)
  const items = commands
    .filter((one) => namesOf(one).some((name) => name.startsWith(typed)))
    .sort((a, b) => rank(a) - rank(b))
    .map((one) => ({
      value: `/${one.name}${one.args ? ' ' : ''}`,
      label: `/${one.name}`,
      description: one.args ? `${one.summary}  ${one.args}` : one.summary,
    }))
  return items.length > 0 ? { items, prefix: before } : null
}

async function argumentChoices(
  name: string,
  prefix: string,
  commands: readonly SlashCommand[],
  chat: Chat | undefined,
  signal: AbortSignal,
): Promise<AutocompleteSuggestions | null> {
  const command = commands.find((one) => namesOf(one).includes(name.toLowerCase()))
  if (!chat || !command?.complete) return null
  const choices = await command.complete(prefix, chat)
  if (signal.aborted || choices.length === 0) return null
  // Titles and previews hold what people and models wrote.
  const items: AutocompleteItem[] = choices.map(({ value, description }) => ({
    value: `${cleanLine(value)}${value.endsWith(' ') ? ' ' : ''}`,
    label: cleanLine(value),
    description: description === undefined ? undefined : cleanLine(description),
  }))
  return { items, prefix }
}
