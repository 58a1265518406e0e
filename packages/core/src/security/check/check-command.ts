import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import type { Config } from '../../config/schema.ts'
import { isContainer } from '../commands/approve-command.ts'
import { findDangers } from '../commands/dangerous-commands.ts'
import { waiverOf } from '../consent/consent.ts'
import type { Danger } from '../consent/consent.ts'
import { isSwitchedOn } from '../audit/finding.ts'
import { isForModels } from '../consent/smart-judge.ts'
import { userHomeOf } from '../file-safety.ts'
import type { Verdict } from './verdict.ts'

/** By whose settings something is judged. */
export interface CheckPlace {
  readonly home: Home
  readonly config: Pick<Config, 'approvals' | 'command_allowlist' | 'terminal'>
  readonly environment: Environment
  readonly cwd: string
}

export interface CommandVerdict extends Verdict {
  /** What is dangerous in it, and whether the settings allow that for good already. */
  readonly dangers: readonly (Danger & { readonly isListed: boolean })[]
  /** Who would be asked; undefined where nobody is. */
  readonly asked?: 'person' | 'model'
}

/** What would be decided on a command line in a new session, and why. Runs nothing and asks nobody. */
export async function checkCommand(
  command: string,
  { background, ...place }: CheckPlace & { readonly background: boolean },
): Promise<CommandVerdict> {
  const { home, config, environment, cwd } = place
  const userHome = await userHomeOf(home, environment)
  const found = await findDangers(command, { cwd, userHome, hermesHome: home.dir, background })
  const listed = new Set(config.command_allowlist)
  const dangers = found.map((danger) => ({ ...danger, isListed: listed.has(danger.key) }))
  if (found.length === 0) return { decision: 'allowed', reason: 'nothing in it is dangerous', dangers }
  const waived = waiverOf({ isContained: isContainer(config.terminal.backend) }, { config, environment, yolo: false })
  if (waived) return { decision: 'allowed', reason: waiverReason(waived, place), dangers }
  const open = dangers.filter(({ isListed }) => !isListed)
  if (open.length === 0) return { decision: 'allowed', reason: 'command_allowlist allows all of it', dangers }
  const byModel = config.approvals.mode === 'smart' && isForModels(command, open, cwd)
  const reason = byModel
    ? 'approvals.mode is smart, and this is something a model may decide on; where it is not sure, you are asked'
    : `it needs your consent${config.approvals.mode === 'smart' ? ', since no model may decide on this' : ''}; where nobody can be asked, it is denied`
  return { decision: 'asks', reason, dangers, asked: byModel ? 'model' : 'person' }
}

function waiverReason(waived: 'setting' | 'yolo', { config, environment }: CheckPlace): string {
  // The variable sets approvals.mode too.
  if (waived === 'yolo' || isSwitchedOn(environment['HERMES_YOLO_MODE']))
    return 'HERMES_YOLO_MODE is on: nobody is asked about anything'
  return config.approvals.mode === 'off'
    ? 'approvals.mode is off: nobody is asked about anything'
    : `approvals.trust_containers is on, and commands run in a container (${config.terminal.backend})`
}
