/** What can be attached to a message by naming it. */
export type ReferenceKind = 'file' | 'folder' | 'diff' | 'staged' | 'git' | 'url'

/** A reference as it stands in a text. */
export interface Reference {
  readonly kind: ReferenceKind
  /** As it was written, e.g. `@file:src/main.ts:10-20`. */
  readonly raw: string
  /** What follows the kind, without quotes and lines; empty for `@diff` and `@staged`. */
  readonly value: string
  /** Lines, from 1, both inclusive. */
  readonly lines: { readonly first: number; readonly last: number } | undefined
  /** Place in the text. */
  readonly start: number
  readonly end: number
}

/** The kinds as people are offered them, in this order. */
export const referenceKinds: readonly { readonly form: string; readonly about: string }[] = [
  { form: '@file:', about: 'a file, or lines of it: @file:PATH:10-20' },
  { form: '@folder:', about: 'the list of files in a folder' },
  { form: '@diff', about: 'changes that are not staged' },
  { form: '@staged', about: 'changes that are staged' },
  { form: '@git:', about: 'the last commits with their changes: @git:3' },
  { form: '@url:', about: 'the text of a web page or PDF document' },
]
