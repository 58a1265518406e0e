/**
 * Time that this thread has kept a processor busy, ms. What a computation costs is measured by it: unlike a clock it stands
 * still while others have the processor.
 */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
