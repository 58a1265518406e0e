import { readFile } from 'node:fs/promises'
import type { Home } from '../config/home.ts'

/** Longest `SOUL.md` that is used whole, characters (upstream's limit). */
const maxSoulChars = 20_000

const defaultIdentity = `You are Hermes, a personal AI agent. You help one person with whatever they bring: questions, writing, code, files, research, chores on their machine. Be direct and accurate. Say what you did, what you found, and what you are not sure of. Ask before anything that cannot be undone. Answer in the language you are addressed in, as briefly as the matter allows.`

/** Who the agent is: the home's `SOUL.md`, or the built-in identity where that is missing or empty. */
export async function identity(home: Home): Promise<string> {
  const soul = await readSoul(home)
  if (soul === '') return defaultIdentity
  if (soul.length <= maxSoulChars) return soul
  const head = soul.slice(0, maxSoulChars * 0.7).toWellFormed()
  const tail = soul.slice(-maxSoulChars * 0.2).toWellFormed()
  return `${head}\n\n[... SOUL.md is ${soul.length} characters long; its middle is left out ...]\n\n${tail}`
}

async function readSoul(home: Home): Promise<string> {
  try {
    return (await readFile(home.path('SOUL.md'), 'utf8')).replace(/^\uFEFF/, '').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
