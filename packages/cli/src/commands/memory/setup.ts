import { ensureHome } from '@hermes/core/config/home.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { MemoryProviderKind } from '@hermes/core/memory/memory-provider.ts'
import { saveProviderAnswers, setMemoryProvider } from '@hermes/core/memory/save-provider.ts'
import { type Cli, type Command, CommandError, UsageError } from '../../command.ts'
import { canPick } from '../../picker/can-pick.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { changing } from '../changing.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeOut } from '../sessions/write-out.ts'
import { askAnswers, givenAnswers, missingHint } from './answers.ts'
import { allKinds, kindOf, startOf, withProfile } from './with-memory.ts'

export const setup: Command = {
  name: 'setup',
  summary: 'Choose a memory provider and say what it needs',
  positionals: '[provider]',
  options: {
    set: { type: 'string', value: 'KEY=VALUE', multiple: true, description: 'A setting of the provider, in scripts' },
  },
  examples: ['hermes memory setup', 'hermes memory setup holographic', 'hermes memory setup mem0 --set api_key=KEY'],
  run: changing(async ({ positionals, options }, cli) => {
    const [name] = positionals
    const words = Array.isArray(options['set']) ? options['set'].filter((word) => typeof word === 'string') : []
    const kind = name === undefined ? await pickKind(cli) : await kindOf(name)
    if (!kind) return 0
    return withProfile(cli, async (profile) => {
      ensureHome(profile.home, profile.environment)
      const isAsked = words.length === 0 && kind.fields.length > 0 && canPick(cli)
      const answers = isAsked ? await askAnswers(kind, profile, cli) : givenAnswers(words, kind)
      const save = { home: profile.home, environment: profile.environment, signal: cli.signal }
      await saveProviderAnswers(kind, answers, save)
      // As it is from now on.
      const saved = await openProfile(cli.environment)
      const available = await kind.available(startOf(kind, saved, cli))
      if (available !== true) {
        const hint = isAsked ? '' : missingHint(kind, saved)
        throw new CommandError(
          cleanText(`${kind.name} cannot be used yet: ${available}${hint}\nmemory.provider was not changed.`),
        )
      }
      await setMemoryProvider(kind.name, save)
      await writeOut(cli, `✓ ${kind.name} is the memory provider of new sessions. "hermes memory status" checks it.\n`)
      return 0
    })
  }),
}

async function pickKind(cli: Cli): Promise<MemoryProviderKind | undefined> {
  const kinds = await allKinds()
  if (!canPick(cli)) {
    const names = kinds.map((kind) => kind.name).join(', ')
    throw new UsageError(`hermes memory setup: name a provider (${names}); only a terminal can be asked`)
  }
  const { pick } = await import('../../picker/pick.ts')
  return pick(
    kinds,
    {
      title: 'Memory providers',
      nothing: 'No provider matches.',
      choose: 'set it up',
      textOf: ({ name, summary }: MemoryProviderKind) => `${name} ${summary}`,
      table: (shown: readonly MemoryProviderKind[], width: number) =>
        columnLines(
          [{ heading: 'Provider' }, { heading: 'What it is', isFlexible: true }],
          shown.map(({ name, summary }) => [name, summary]),
          width,
        ),
    },
    cli,
  )
}
