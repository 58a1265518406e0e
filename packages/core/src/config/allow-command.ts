import { editConfig } from './edit.ts'
import type { EditConfigOptions } from './edit.ts'

const path = ['command_allowlist'] as const

/** Adds a kind of dangerous command to `command_allowlist` in `config.yaml`. Throws `ConfigError`. */
export async function allowCommand(options: EditConfigOptions, key: string): Promise<void> {
  await editConfig(options, (tree) => {
    const listed = tree['command_allowlist']
    const known = Array.isArray(listed) ? (listed as readonly unknown[]) : []
    return known.includes(key) ? [] : [{ path, value: [...known, key] }]
  })
}
