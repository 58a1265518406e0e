import { CredentialError } from '@hermes/core/credentials/credential-error.ts'
import { removeCredential, resetCredentials } from '@hermes/core/credentials/manage.ts'
import type { Cli } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { addCredential } from './add.ts'
import { askLine } from './ask-line.ts'
import { writeLists } from './list.ts'
import { type Credentials, openCredentials, providerOf, providersWithCredentials } from './open-credentials.ts'

/** The credentials at a terminal: a list, and what can be done with it, until the person leaves. */
export async function manageCredentials(cli: Cli): Promise<number> {
  for (;;) {
    // Opened anew each time: what was done may have changed `.env`.
    const credentials = await openCredentials(cli)
    const names = await providersWithCredentials(credentials)
    const lists = await Promise.all(names.map((name) => credentials.pool.list(name)))
    if (names.length === 0) cli.stdout.write('There are no credentials yet.\n')
    else writeLists(lists, credentials, cli)
    const answer = await askLine(cli, '\n[a]dd, [r]emove, re[s]et, [q]uit: ', cli.signal)
    const action = actions[answer?.trim().toLowerCase() ?? 'q']
    if (action === 'quit') return 0
    if (!action) cli.stderr.write('Please answer a, r, s or q.\n')
    else await attempt(() => action({ cli, credentials, names }), cli)
    cli.stdout.write('\n')
  }
}

interface Scene {
  readonly cli: Cli
  readonly credentials: Credentials
  readonly names: readonly string[]
}

async function add({ cli, credentials }: Scene): Promise<void> {
  const provider = await askProvider(cli, 'Provider: ')
  await addCredential({ provider, options: {} }, credentials, cli)
}

async function remove({ cli, credentials, names }: Scene): Promise<void> {
  const provider = names.length === 1 ? String(names[0]) : await askProvider(cli, 'Provider: ')
  const target = await ask(cli, `Which of ${provider} (number, id or label): `)
  const { label, notes } = await removeCredential(credentials.pool, provider, target, credentials.manage)
  cli.stdout.write([`Removed ${label} of ${provider}.`, ...notes].map((line) => `${line}\n`).join(''))
}

async function reset({ cli, credentials, names }: Scene): Promise<void> {
  const provider = names.length === 1 ? String(names[0]) : await askProvider(cli, 'Provider: ')
  const { count } = await resetCredentials(credentials.pool, provider)
  cli.stdout.write(`${count} changed.\n`)
}

type Action = ((scene: Scene) => Promise<void>) | 'quit'

const actions: Readonly<Record<string, Action>> = {
  a: add,
  add,
  r: remove,
  remove,
  s: reset,
  reset,
  q: 'quit',
  quit: 'quit',
  '': 'quit',
}

async function ask(cli: Cli, question: string): Promise<string> {
  const answer = (await askLine(cli, question, cli.signal))?.trim()
  if (!answer) throw new UsageError('Nothing was chosen.')
  return answer
}

async function askProvider(cli: Cli, question: string): Promise<string> {
  return providerOf(await ask(cli, question), 'hermes auth')
}

/** What was wrong is told, and the list comes again. */
async function attempt(work: () => Promise<void>, cli: Cli): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof CredentialError)) throw error
    cli.signal.throwIfAborted()
    cli.stderr.write(`${error.message}\n`)
  }
}
