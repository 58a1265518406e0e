import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { ModelError } from '../model-error.ts'
import type { JinjaModule, LlamaModule } from './binding.ts'

/** The release of node-llama-cpp that this is written for. */
export const runtimeVersion = '3.21.1'

/** The variable that names a folder with `node_modules` in it, to be used instead of the home's own. */
export const runtimeVariable = 'HERMES_LLAMA_RUNTIME'

/** What runs model files, loaded. */
export interface Runtime {
  readonly llama: LlamaModule
  readonly jinja: JinjaModule
}

/** Where a home keeps what runs model files. */
export function runtimeFolder(home: Home): string {
  return home.path('runtimes', 'llama')
}

/** The folder of what runs model files, where it is there. */
export function installedRuntime(home: Home | undefined, environment: Environment): string | undefined {
  const folder = environment[runtimeVariable]?.trim() || (home && runtimeFolder(home))
  return folder !== undefined && existsSync(join(folder, ...packagePath)) ? folder : undefined
}

const packagePath = ['node_modules', 'node-llama-cpp', 'package.json'] as const

/** Loads what runs model files. Throws `not-configured` where it is not installed, or does not load. */
export async function loadRuntime(home: Home | undefined, environment: Environment): Promise<Runtime> {
  const folder = installedRuntime(home, environment)
  if (folder === undefined) {
    const set = environment[runtimeVariable]?.trim()
    const where = set ? ` in ${set}, which ${runtimeVariable} names` : ''
    throw new ModelError('not-configured', `What runs model files is not installed${where}. Run: hermes model local`)
  }
  try {
    const require = createRequire(join(folder, 'node_modules', 'node-llama-cpp', 'package.json'))
    const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)
    const [llama, jinja] = await Promise.all([load('node-llama-cpp'), load('@huggingface/jinja')])
    // Checked as far as can be seen from outside: the two names that everything begins with.
    if (!hasFunction(llama, 'getLlama') || !hasFunction(jinja, 'Template')) throw new Error('it is another version')
    return { llama: llama as LlamaModule, jinja: jinja as JinjaModule }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `What runs model files, in ${folder}, does not load: ${reason}. Install it anew with: hermes model local --reinstall`
    throw new ModelError('not-configured', message, { cause: error })
  }
}

function hasFunction(module: unknown, name: string): boolean {
  return typeof module === 'object' && module !== null && typeof Reflect.get(module, name) === 'function'
}
