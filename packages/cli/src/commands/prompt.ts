import { nobody } from '@hermes/core/agent/decision.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { ContextReport } from '@hermes/core/context/context-report.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import type { Cli, Command, CommandInput } from '../command.ts'
import { CommandError, UsageError } from '../command.ts'
import { contextTable } from '../context-table.ts'
import { faceNotes } from '../face-notes.ts'
import { list, text } from '../option-values.ts'
import { cleanText } from '../repl/clean-text.ts'

export const command: Command = {
  name: 'prompt',
  summary: 'Show what a new session here tells the model, and how many tokens each part has',
  options: {
    tokens: { type: 'boolean', description: 'Only the parts and their tokens, tools included' },
    json: { type: 'boolean', description: 'Print JSON' },
    model: { type: 'string', short: 'm', value: 'MODEL', description: 'For this model' },
    toolsets: { type: 'string', short: 't', value: 'A,B', description: 'With these toolsets' },
  },
  examples: ['hermes prompt', 'hermes prompt --tokens', 'hermes prompt --json --toolsets terminal,file'],
  async run(input, cli) {
    if (input.positionals.length > 0) throw new UsageError('hermes prompt: it takes no arguments')
    const report = await reportFor(input, cli)
    for (const { message } of report.notices) cli.stderr.write(`! ${cleanText(message)}\n`)
    if (input.options['json'] === true) cli.stdout.write(`${JSON.stringify(asJson(report), undefined, 2)}\n`)
    else cli.stdout.write(`${shown(input.options['tokens'] === true ? contextTable(report) : whole(report), cli)}\n`)
    return 0
  },
}

async function reportFor({ options }: CommandInput, cli: Cli): Promise<ContextReport> {
  const { createContext } = await import('@hermes/core/agent/create-context.ts')
  const { contextReport } = await import('@hermes/core/context/context-report.ts')
  const { newSessionId } = await import('@hermes/core/sessions/session-id.ts')
  try {
    await using context = await createContext({ environment: cli.environment, cwd: cli.cwd })
    const request = {
      session: { id: newSessionId(context.clock), source: 'cli' },
      face: { name: 'cli', promptHint: faceNotes({}), decide: nobody },
      model: text(options['model']),
      toolsets: list(options['toolsets']),
    }
    return await contextReport(request, context, cli.signal)
  } catch (error) {
    if (error instanceof ModelError || error instanceof ConfigError) {
      throw new CommandError(cleanText(error.message), 1, { cause: error })
    }
    throw error
  }
}

/** The texts of the prompt as they are sent, each under its name. */
function whole({ parts }: ContextReport): string {
  const blocks = parts.filter((part) => part.text !== undefined)
  return blocks.map(({ name, tokens, text: words }) => `──── ${name} (${tokens} tokens)\n\n${words}`).join('\n\n')
}

/** A file or program gets it as it is; a terminal would obey what is hidden in it. */
function shown(words: string, cli: Cli): string {
  return cli.stdout.isTTY ? cleanText(words) : words
}

function asJson({ parts, tokens, model, contextLength }: ContextReport): Readonly<Record<string, unknown>> {
  return { model, context_length: contextLength, tokens, parts }
}
