import { z } from 'zod'
import { askConsent } from '../../security/consent/consent.ts'
import { defineTool, jsonResult } from '../tool.ts'
import type { ToolContext, ToolResult } from '../tool.ts'
import type { Danger } from '../../security/consent/consent.ts'
import { runScript } from './run-script.ts'
import type { ScriptRun } from './run-script.ts'
import { scriptDanger, scriptDangers } from './script-dangers.ts'
import type { ScriptLanguage } from './script-dangers.ts'
import { scriptTools } from './script-tools.ts'

const input = z.object({
  code: z.string().describe('e.g. `from hermes_tools import read_file`, then print what you need'),
  language: z.enum(['python', 'javascript']).default('python'),
})

export const executeCode = defineTool({
  name: 'execute_code',
  toolset: 'code_execution',
  description:
    'Run a script that calls tools, where there are many calls with logic between them or much output to filter: only what it prints comes back. Python: `from hermes_tools import …`; JavaScript: `import { … } from "hermes_tools"`, await each call. There are web_search(query), web_extract(urls), read_file(path, offset, limit), write_file(path, content), search_files(pattern, target, path, file_glob, limit, output_mode), patch(path, old_string, new_string, replace_all), terminal(command, timeout, workdir); each returns the decoded JSON; and json_parse, shell_quote, retry. 5 minutes, 50 calls.',
  input,
  concurrency: 'exclusive',
  maxResultChars: 200_000,
  preview: ({ code }) => code.trim().split('\n')[0] ?? '',
  async run({ code, language }, context) {
    if (code.trim() === '') return jsonResult({ error: 'code is empty.' }, 'error')
    const found = await runAgreed({ code, language, dangers: scriptDangers(code, language) }, context)
    if ('refusal' in found) return jsonResult({ status: 'blocked', error: found.refusal }, 'denied')
    if (found.status !== 'no-wall') return resultOf(found, context)
    // Nothing of it has run: what cannot be held needs consent, however harmless it looks.
    const agreed = await runAgreed({ code, language, dangers: [scriptDanger] }, context)
    return 'refusal' in agreed
      ? jsonResult({ status: 'blocked', error: agreed.refusal }, 'denied')
      : resultOf(agreed, context)
  },
})

interface Wanted {
  readonly code: string
  readonly language: ScriptLanguage
  readonly dangers: readonly Danger[]
}

/** Runs it once its dangers are agreed to; held back from everything where it has none. */
async function runAgreed(
  { code, language, dangers }: Wanted,
  context: ToolContext,
): Promise<ScriptRun | { readonly refusal: string }> {
  const consent = await askConsent({ kind: 'script', subject: code, dangers }, context)
  if (!consent.allowed) return { refusal: consent.message }
  const isGuarded = dangers.length === 0
  return runScript({ code, language, tools: scriptTools(context.tools), isGuarded }, context)
}

function resultOf(run: ScriptRun, { agent }: ToolContext): ToolResult {
  const { redactor } = agent
  const errors = run.status === 'success' || run.stderr.trim() === '' ? [] : ['--- stderr ---', run.stderr.trim()]
  const output = [run.stdout.trim(), ...errors].filter((part) => part !== '').join('\n')
  return jsonResult(
    {
      status: run.status,
      output: redactor.redact(output),
      tool_calls_made: run.toolCalls,
      duration_seconds: Math.round(run.durationMs / 10) / 100,
      ...(run.error !== undefined && { error: redactor.redact(run.error) }),
    },
    run.status === 'success' ? 'ok' : 'error',
  )
}
