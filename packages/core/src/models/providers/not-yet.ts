/** A provider that existing homes may name and that this version cannot call. */
export interface MissingProvider {
  readonly name: string
  readonly label: string
}

/** They are spoken to in another way than over HTTP. */
export const missingProviders: readonly MissingProvider[] = [{ name: 'copilot-acp', label: 'GitHub Copilot (ACP)' }]
