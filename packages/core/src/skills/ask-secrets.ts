import type { Decide } from '../agent/decision.ts'
import type { SkillVariable } from './metadata.ts'

export interface SecretRequest {
  /** The skill that asks. */
  readonly skill: string
  /** How far it is trusted, in a word, for the person who is asked. */
  readonly trust: string
  readonly variables: readonly SkillVariable[]
  readonly callId: string
  readonly decide: Decide
  /** Keeps a value, e.g. in `.env`; and makes sure that it is hidden from now on. */
  readonly save: (name: string, value: string) => Promise<void>
  readonly signal: AbortSignal
}

export interface SecretOutcome {
  readonly stored: readonly string[]
  /** Not given: the person declined, or nobody was there. */
  readonly open: readonly string[]
  /** Names that no skill may ask for, since they change how programs run. */
  readonly refused: readonly string[]
}

/** Most variables that one skill may ask for in a row. */
const maxQuestions = 5
const maxPromptChars = 200

/** Names that steer programs, shells, loaders or the agent itself rather than hold a secret. */
const steering =
  /^(?:PATH|HOME|SHELL|USER|LOGNAME|PWD|IFS|ENV|TERM|TMPDIR|EDITOR|VISUAL|PAGER|PROMPT_COMMAND|BASH_.*|ZDOTDIR|LD_.*|DYLD_.*|NODE_.*|NPM_CONFIG_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|GIT_.*|SSH_.*|SSL_.*|CURL_.*|REQUESTS_CA_.*|HERMES_.*|_HERMES_.*|TERMINAL_.*|SUDO_.*|.*_PROXY|.*_BASE_URL|.*_ALLOW_ALL_USERS|.*_ALLOWED_USERS)$/i

/** Whether a skill may have a person fill in this variable. */
export function mayAskFor(name: string): boolean {
  return !steering.test(name)
}

/**
 * Asks the person for the values that a skill lacks, one by one, each as a secret: it is neither shown nor given to the
 * model. The first that is not answered ends it, so that nobody is asked in vain.
 */
export async function askSecrets(request: SecretRequest): Promise<SecretOutcome> {
  const { variables, decide, save, callId, signal } = request
  const allowed = variables.filter(({ name }) => mayAskFor(name))
  const stored: string[] = []
  for (const variable of allowed.slice(0, maxQuestions)) {
    const answer = await decide(
      { kind: 'secret', id: `${callId}-${variable.name}`, prompt: question(variable, request) },
      signal,
    )
    const value = answer.kind === 'secret' && answer.outcome === 'answered' ? answer.value?.trim() : undefined
    if (!value) break
    await save(variable.name, value)
    stored.push(variable.name)
  }
  return {
    stored,
    open: allowed.map(({ name }) => name).filter((name) => !stored.includes(name)),
    refused: variables.map(({ name }) => name).filter((name) => !mayAskFor(name)),
  }
}

/** The skill's own words come last and in quotation marks, so that they cannot pass for ours. */
function question({ name, prompt, help }: SkillVariable, { skill, trust }: SecretRequest): string {
  const words = [prompt, help].filter((text) => text !== undefined).join(' — ')
  // Control characters could redraw the terminal.
  const shown = words
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, maxPromptChars)
    .toWellFormed()
  return `The skill "${skill}" (${trust}) needs ${name}. It is kept in .env. The skill says: "${shown}". Leave empty to skip.`
}
