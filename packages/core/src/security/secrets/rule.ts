/** Finds its kind of secrets in a text and replaces each by what `hide` makes of it. */
export type HideRule = (text: string, hide: (secret: string) => string) => string
