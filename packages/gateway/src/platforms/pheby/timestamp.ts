/** A time (ms since 1970) as the protocol writes it: `2026-09-02T18:00:00+00:00`. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`
}
