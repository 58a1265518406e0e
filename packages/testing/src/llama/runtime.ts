import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

/** A line of what the stand-in did: `load` and `free` of a model, `read` of so many tokens, `grammar` made. */
export interface LlamaAct {
  readonly act: 'load' | 'free' | 'read' | 'grammar' | 'held'
  readonly detail: string | number
}

/** A stand-in of node-llama-cpp in a folder of its own. */
export interface LlamaRuntime {
  /** For `HERMES_LLAMA_RUNTIME`. */
  readonly folder: string
  /** What it did so far. */
  acts(): Promise<readonly LlamaAct[]>
}

/**
 * Makes a folder that holds a stand-in of node-llama-cpp and of the language of chat templates. It says what the last
 * message tells it to: `say: TEXT`, `endless`, or else `You said: TEXT`. A file with `huge` in its name needs too much
 * memory. Its template is ChatML, or what the file's path with `.template` behind it holds.
 */
export async function makeLlamaRuntime(folder: string): Promise<LlamaRuntime> {
  const acts = join(folder, 'acts.jsonl')
  await writePackage(folder, 'node-llama-cpp', 'stand-in.mjs')
  await writePackage(folder, '@huggingface/jinja', 'jinja-stand-in.mjs')
  await writeFile(acts, '')
  return {
    folder,
    acts: async () => {
      const lines = (await readFile(acts, 'utf8')).split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as LlamaAct)
    },
  }
}

async function writePackage(folder: string, name: string, source: string): Promise<void> {
  const place = join(folder, 'node_modules', ...name.split('/'))
  await mkdir(place, { recursive: true })
  const exports = { '.': './index.js' }
  await writeFile(join(place, 'package.json'), JSON.stringify({ name, version: '0.0.0', type: 'module', exports }))
  await writeFile(join(place, 'index.js'), await readFile(fileURLToPath(new URL(source, import.meta.url)), 'utf8'))
}
