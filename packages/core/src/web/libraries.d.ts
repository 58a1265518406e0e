// Libraries that bring no types, or types for browsers alone: what is used of them.

declare module 'turndown' {
  interface Options {
    readonly headingStyle?: 'atx'
    readonly codeBlockStyle?: 'fenced'
    readonly bulletListMarker?: '-'
    readonly emDelimiter?: '*'
  }
  export default class TurndownService {
    constructor(options?: Options)
    use(plugin: unknown): this
    turndown(html: string): string
  }
}

declare module 'turndown-plugin-gfm' {
  export const gfm: unknown
}
