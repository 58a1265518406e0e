import type { InstallPlan } from '@hermes/core/skills/hub/install.ts'
import type { Cli } from '../../command.ts'
import { confirm } from '../sessions/confirm.ts'
import { reviewText } from './review-text.ts'

/** Shows what is about to be installed and asks; with `--yes` it only shows. */
export function installConsent(cli: Cli, isYes: boolean): (plan: InstallPlan) => Promise<boolean> {
  return async ({ bundle, review, place, isUpdate }) => {
    cli.stderr.write(`${reviewText(bundle, review)}\n`)
    return isYes || confirm(`${isUpdate ? 'Update' : 'Install into'} skills/${place}?`, cli)
  }
}
