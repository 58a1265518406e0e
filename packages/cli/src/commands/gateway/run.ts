import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'

export const run: Command = {
  name: 'run',
  summary: 'Run the gateway here, until it is stopped',
  async run(_input, cli) {
    const { createContext } = await import('@hermes/core/agent/create-context.ts')
    const { runGateway } = await import('@hermes/gateway/life/run-gateway.ts')
    const tell = (line: string) => void cli.stderr.write(`${line}\n`)
    try {
      await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd })
      const refusal = await runGateway({ agent, tell }, cli.signal)
      if (!refusal) return 0
      throw new CommandError(
        refusal.type === 'running'
          ? `The gateway of this profile runs already (pid ${refusal.pid}). Stop it with "hermes gateway stop".`
          : 'No chat platform is set up. docs/gateway.md says how; for Telegram: put TELEGRAM_BOT_TOKEN into .env.',
      )
    } catch (error) {
      if (error instanceof ConfigError) throw new CommandError(error.message, 1, { cause: error })
      throw error
    }
  },
}
