import type { ToolContext } from '../../tools/tool.ts'
import { askConsent } from '../consent/consent.ts'
import type { Consent } from '../consent/consent.ts'
import { userHomeOf } from '../file-safety.ts'
import { absolutePath } from '../file-safety-resolve.ts'
import { findDangers } from './dangerous-commands.ts'

export interface CommandRequest {
  readonly command: string
  /** Where it would run; the session's directory when absent. */
  readonly workdir?: string
  readonly background: boolean
  /** Placeholders of secrets that were put back into it. */
  readonly revealed?: readonly string[]
}

/** A secret that the model has only seen hidden may go anywhere by a command. */
const secretUse = 'use of a hidden secret'

const containers: ReadonlySet<string> = new Set(['docker', 'singularity', 'modal', 'daytona'])

/** Whether a backend's commands run in a container of their own. */
export function isContainer(backend: string): boolean {
  return containers.has(backend)
}

/** Asks for consent where a command needs it and there is none yet. */
export async function approveCommand(request: CommandRequest, context: ToolContext): Promise<Consent> {
  const { agent, session } = context
  const userHome = await userHomeOf(agent.home, agent.environment)
  const cwd = absolutePath(request.workdir ?? '.', session.cwd(), userHome)
  const { command: subject, background, revealed = [] } = request
  const found = await findDangers(subject, { cwd, userHome, hermesHome: agent.home.dir, background })
  const dangers = revealed.length > 0 ? [...found, { key: secretUse, permanent: false }] : found
  const isContained = isContainer(agent.config.terminal.backend)
  return askConsent({ kind: 'command', subject, dangers, isContained }, context)
}
