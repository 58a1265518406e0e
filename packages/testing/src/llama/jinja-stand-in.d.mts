export declare class Template {
  constructor(source: string)
  render(values: Readonly<Record<string, unknown>>): string
}
