import type { AgentContext } from '../agent/context.ts'
import { userHomeOf } from '../security/file-safety.ts'
import type { CheckpointStore } from './checkpoint-store.ts'
import { openGitStore } from './git-store.ts'
import { projectFolder } from './project-folder.ts'
import type { Homes } from './project-folder.ts'

/**
 * The checkpoints of the project that `cwd` (absolute) is in. Throws `CheckpointError` for a folder of which none are
 * ever kept.
 */
export async function openCheckpoints(cwd: string, agent: AgentContext): Promise<CheckpointStore> {
  return openGitStore({ folder: projectFolder(cwd, await homesOf(agent)) }, agent)
}

export async function homesOf({ home, environment }: Pick<AgentContext, 'home' | 'environment'>): Promise<Homes> {
  return { userHome: await userHomeOf(home, environment), hermesHome: home.dir }
}
