import { isKnown, type Field } from './fields.ts'
import { baseName } from './shell-values.ts'

/**
 * The name that rules know a program by: without its folder, in lower case and plain characters (some file systems take
 * `RM` for `rm`). Undefined where it is only known when the command runs.
 */
export function programName({ text, isGlob, process }: Field): string | undefined {
  if (process || (isGlob && text !== '[')) return undefined
  const name = baseName(text)
  if (!isKnown(name)) return undefined
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/\.exe$/, '')
}
