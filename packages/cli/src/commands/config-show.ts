import type { Config } from '@hermes/core/config/schema.ts'
import type { Cli, CommandInput } from '../command.ts'
import { openConfigContext, orCommandError, printJson, wanted } from './config-context.ts'
import { createShownValues, maskSecret } from './config-values.ts'

/** A titled part of the overview: label to value. */
type Overview = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** `config` and `config show`: the settings that matter most, and which keys are there. */
export async function showConfig(input: CommandInput, cli: Cli): Promise<number> {
  wanted(input, 'show', '', 0)
  const { home, environment, load } = openConfigContext(cli)
  const { config, warnings } = await orCommandError(load)
  const overview: Overview = {
    Paths: { Home: home.dir, Config: home.path('config.yaml'), Secrets: home.path('.env') },
    'API keys': keysIn(environment, apiKeys),
    ...settingsOf(config),
    Messaging: keysIn(environment, { Telegram: 'TELEGRAM_BOT_TOKEN', Discord: 'DISCORD_BOT_TOKEN' }),
  }
  const shown = createShownValues()
  if (input.options['json'] === true) printJson(cli, shown.mask('', overview))
  else cli.stdout.write(overviewText(overview, shown.text))
  for (const { message } of warnings) cli.stderr.write(`! ${message}\n`)
  return 0
}

const apiKeys: Readonly<Record<string, string>> = {
  OpenRouter: 'OPENROUTER_API_KEY',
  OpenAI: 'OPENAI_API_KEY',
  Anthropic: 'ANTHROPIC_API_KEY',
  'OpenAI (speech)': 'VOICE_TOOLS_OPENAI_KEY',
  Exa: 'EXA_API_KEY',
  Parallel: 'PARALLEL_API_KEY',
  Firecrawl: 'FIRECRAWL_API_KEY',
  Tavily: 'TAVILY_API_KEY',
  'Brave Search': 'BRAVE_SEARCH_API_KEY',
  Browserbase: 'BROWSERBASE_API_KEY',
  'Browser Use': 'BROWSER_USE_API_KEY',
  FAL: 'FAL_KEY',
}

function keysIn(environment: Readonly<Record<string, string | undefined>>, names: Readonly<Record<string, string>>) {
  const rows = Object.entries(names).map(([label, name]): [string, string] => [
    label,
    maskSecret(environment[name] ?? ''),
  ])
  return Object.fromEntries(rows)
}

function settingsOf(config: Config): Overview {
  const { model, agent, display, terminal, compression, auxiliary } = config
  const changed = Object.entries(auxiliary).flatMap(([task, { provider, model: name }]): [string, string][] =>
    provider === 'auto' && name === '' ? [] : [[task, [provider, name].filter(Boolean).join(' / ')]],
  )
  return {
    Model: { Model: model.default, Provider: model.provider, 'Base URL': model.base_url, 'Max turns': agent.max_turns },
    Display: {
      Personality: display.personality,
      Skin: display.skin,
      Reasoning: display.show_reasoning,
      Streaming: display.streaming,
    },
    Terminal: { Backend: terminal.backend, 'Working directory': terminal.cwd, 'Timeout (s)': terminal.timeout },
    Timezone: { Timezone: config.timezone || "(the machine's)" },
    'Context compression': { Enabled: compression.enabled, Threshold: `${Math.round(compression.threshold * 100)} %` },
    'Auxiliary models': changed.length > 0 ? Object.fromEntries(changed) : { All: 'auto' },
    'Skill settings': config.skills.config,
  }
}

function overviewText(overview: Overview, text: (name: string, value: unknown) => string): string {
  const parts = Object.entries(overview).flatMap(([title, rows]) => {
    const entries = Object.entries(rows)
    if (entries.length === 0) return []
    const lines = entries.map(
      ([label, value]) => `  ${label.padEnd(18)}  ${value === '' ? '(not set)' : text(label, value)}`,
    )
    return [`${title}\n${lines.join('\n')}`]
  })
  return `${parts.join('\n\n')}\n\n"hermes config list" shows every setting, "hermes config set KEY VALUE" changes one.\n`
}
