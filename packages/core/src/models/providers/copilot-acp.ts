import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import type { ProviderFacts } from './provider.ts'

export interface CopilotAcpSettings {
  readonly environment: Environment
  readonly home?: Home | undefined
  /** Where it works; the process's own folder where absent. */
  readonly cwd?: string | undefined
}

/** GitHub Copilot by its own command line, which keeps its own sign-in. */
export function copilotAcp({ environment, home, cwd = '.' }: CopilotAcpSettings): ProviderFacts {
  const set = (name: string): string | undefined => environment[name]?.trim() || undefined
  const command = set('HERMES_COPILOT_ACP_COMMAND') ?? set('COPILOT_CLI_PATH') ?? 'copilot'
  const args = words(set('HERMES_COPILOT_ACP_ARGS') ?? '--acp --stdio')
  return {
    name: 'copilot-acp',
    label: 'GitHub Copilot (ACP)',
    keys: [],
    needsKey: false,
    keyHint: 'Run "copilot" and sign in with /login.',
    baseUrlVariable: 'COPILOT_ACP_BASE_URL',
    baseUrl: 'acp://copilot',
    // What the person has chosen there.
    defaultModel: 'auto',
    isFoundByKey: false,
    speaks: { acp: { command, args, folder: cwd, home, environment } },
  }
}

/** The words of a setting as a shell would part them, quotes and all; nothing is expanded. */
function words(setting: string): readonly string[] {
  const parts = setting.match(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g) ?? []
  return parts.map((part) =>
    part.replaceAll(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_all, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
    ),
  )
}
