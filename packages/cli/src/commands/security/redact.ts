import { StringDecoder } from 'node:string_decoder'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { withProfile } from './with-profile.ts'

export const redact: Command = {
  name: 'redact',
  summary: 'Copy stdin to stdout with secrets hidden, as it comes; secrets of this profile by their names',
  examples: ['journalctl -u app | hermes security redact', 'hermes security redact < debug.log > to-share.log'],
  async run({ positionals }, cli) {
    if (positionals.length > 0) throw new UsageError('hermes security redact: it takes no arguments')
    return withProfile(cli, async (profile) => {
      const { profileRedactor } = await import('@hermes/core/security/profile-redactor.ts')
      const { redactStream } = await import('@hermes/core/security/redact-stream.ts')
      // Whoever asks for it means it, whatever the settings say of everything else.
      const stream = redactStream(profileRedactor(profile, { enabled: true }))
      const decoder = new StringDecoder('utf8')
      for await (const chunk of cli.stdin) {
        cli.signal.throwIfAborted()
        const shown = stream.push(decoder.write(Buffer.from(chunk)))
        if (shown !== '') await writeOut(cli, shown)
      }
      const rest = stream.push(decoder.end()) + stream.end()
      if (rest !== '') await writeOut(cli, rest)
      return 0
    })
  },
}
