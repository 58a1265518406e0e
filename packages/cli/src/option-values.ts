import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from './command.ts'
import type { CommandInput } from './command.ts'

type Value = CommandInput['options'][string]

/** The value of a string option. */
export function text(value: Value): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be repeated, each also a comma-separated list. */
export function list(value: Value): readonly string[] | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined
  const words = strings(value).flatMap((one) => one.split(','))
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

/** A whole number of at least `least`. Throws `UsageError` naming the option. */
export function wholeNumber(value: Value, option: string, least: number): number | undefined {
  const given = text(value)
  if (given === undefined) return undefined
  const number = Number(given)
  if (!/^\d+$/.test(given) || number < least || !Number.isSafeInteger(number)) {
    throw new UsageError(`${option} takes a whole number of at least ${least}; got "${given}"`)
  }
  return number
}

/** `path`, which must be a folder. */
export function existingFolder(path: string, option: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) throw new UsageError(`${option}: ${path} is ${found ? 'no folder' : 'not there'}`)
  return path
}

/** Paths of image files, absolute; each must be there. */
export function images(value: Value, cwd: string): readonly string[] {
  return strings(value).map((name) => {
    const path = resolve(cwd, name)
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`--image: there is no file ${path}`)
    return path
  })
}

function strings(value: Value): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' ? value.filter((one) => typeof one === 'string') : []
}
