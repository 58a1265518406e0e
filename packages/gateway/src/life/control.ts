/** What a running gateway is asked to do from outside. */
export interface GatewayControl {
  /** Aborts when it is to end and be started anew. */
  readonly restarting: AbortSignal
  restart(): void
  /** Has it look at its settings again; before it runs there is nothing to do. */
  reload(): void
  /** Who does that. */
  onReload(reload: () => void): void
}

export function createGatewayControl(): GatewayControl {
  const restarting = new AbortController()
  let reload = () => {}
  return {
    restarting: restarting.signal,
    restart: () => restarting.abort(new DOMException('The gateway is to be started anew.', 'AbortError')),
    reload: () => reload(),
    onReload(next) {
      reload = next
    },
  }
}
