import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'

/** What tells the services of several homes apart: nothing for the usual one, a profile's name, or a part of a hash. */
export function serviceSuffix({ dir }: Pick<Home, 'dir'>, userHome: string = homedir()): string {
  if (dir === join(userHome, '.hermes')) return ''
  if (basename(dirname(dir)) === 'profiles') return basename(dir)
  return createHash('sha256').update(dir).digest('hex').slice(0, 8)
}

/** For people: the profile that a home is. */
export function profileName({ dir }: Pick<Home, 'dir'>): string {
  return basename(dirname(dir)) === 'profiles' ? basename(dir) : 'default'
}
