/** How the REPL looks and what it calls itself: the part of a skin (`skins/<name>.yaml`) that is drawn. */
export interface Skin {
  /** Colours as `#RRGGBB`, under the skin file's names. */
  readonly colors: {
    readonly bannerTitle: string
    readonly bannerDim: string
    readonly accent: string
    readonly label: string
    readonly ok: string
    readonly error: string
    readonly warn: string
    readonly prompt: string
  }
  readonly agentName: string
  readonly promptSymbol: string
  /** Stands before every tool line. */
  readonly toolPrefix: string
}

export const defaultSkin: Skin = {
  colors: {
    bannerTitle: '#FFD700',
    bannerDim: '#B8860B',
    accent: '#FFBF00',
    label: '#4dd0e1',
    ok: '#4caf50',
    error: '#ef5350',
    warn: '#ffa726',
    prompt: '#FFBF00',
  },
  agentName: 'Hermes Agent',
  promptSymbol: '❯',
  toolPrefix: '┊',
}
