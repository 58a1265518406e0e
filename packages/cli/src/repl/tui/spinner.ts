const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** How often it turns, ms. */
export const spinnerIntervalMs = 100

/** The spinner as it looks `elapsedMs` after it began. */
export function spinnerFrame(elapsedMs: number): string {
  return frames[Math.floor(elapsedMs / spinnerIntervalMs) % frames.length] ?? ''
}
