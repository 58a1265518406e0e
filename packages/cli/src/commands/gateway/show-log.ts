import { mkdir } from 'node:fs/promises'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { Cli } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'

/** Shows on stderr what is written to a log from now on, until it is disposed of. */
export async function showLog({ home }: Pick<Profile, 'home'>, name: string, cli: Cli): Promise<AsyncDisposable> {
  const { followLines } = await import('@hermes/core/log/follow-log.ts')
  const { endOf } = await import('@hermes/core/log/read-log.ts')
  const path = home.path('logs', name)
  await mkdir(home.path('logs'), { recursive: true, mode: 0o700 })
  const from = await endOf(path)
  const ending = new AbortController()
  const follow = async () => {
    for await (const line of followLines(path, from, ending.signal)) cli.stderr.write(`${cleanText(line)}\n`)
  }
  const following = follow().catch((error: unknown) => {
    if (!ending.signal.aborted) cli.stderr.write(`! ${path} cannot be shown: ${String(error)}\n`)
  })
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await following
    },
  }
}
