import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'

export const local: Command = {
  name: 'local',
  summary: 'Run a model file on this machine: fetch it, install what runs it, and use it',
  positionals: '[file|address]',
  options: {
    sha256: { type: 'string', value: 'DIGITS', description: 'Refuse a fetched file with another checksum' },
    reinstall: { type: 'boolean', description: 'Install what runs model files anew' },
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
  },
  examples: [
    'hermes model local',
    'hermes model local ~/models/mine.gguf',
    'hermes model local Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf',
  ],
  async run({ positionals, options }, cli) {
    const [wanted, ...others] = positionals
    if (others.length > 0) throw new UsageError('hermes model local: name one file')
    const sha256 = text(options['sha256'])
    if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) {
      throw new UsageError('hermes model local: --sha256 takes 64 hexadecimal digits')
    }
    const { useLocalModel } = await import('./local/use-local-model.ts')
    return useLocalModel(
      { wanted, sha256, reinstall: options['reinstall'] === true, isYes: options['yes'] === true },
      cli,
    )
  },
}
