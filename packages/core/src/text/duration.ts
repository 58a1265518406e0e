/** A span for people, rounded up to whole seconds: `42s`, `5m`, `3h 20m`, `2d 4h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return hours > 0 ? `${days}d ${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`
  return minutes > 0 ? `${minutes}m` : `${seconds}s`
}
